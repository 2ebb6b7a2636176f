import FUSE
import PhotoLibrary
import Platform

/// Where a library lies that an argument names: by its directory, or by a path in a mount of it.
enum LibraryLocation {
    /// What the mount table calls mounts of libraries.
    static let mountType = "fuse.cameraroll"

    /// The absolute path of the library's directory.
    static func resolve(_ argument: String) throws(CommandFailure) -> String {
        guard !argument.isEmpty else { throw .usage("LIBRARY is empty. Name a library's directory or a mount point.") }
        if let (mount, _) = try mount(containing: argument) { return try library(of: mount) }
        do throws(Errno) { return try PathName.resolved(argument) } catch {
            throw missing(argument, error)
        }
    }

    /// A library and what follows its mount point or directory in a path.
    static func resolveItem(_ argument: String) throws(CommandFailure) -> (library: String, path: String) {
        guard !argument.isEmpty else { throw .usage("PATH is empty.") }
        if let (mount, rest) = try mount(containing: argument) { return (try library(of: mount), rest) }
        do throws(Errno) {
            // LIBRARY/DCIM/…: the tree's paths do not exist below the library's directory, so links end with that.
            let parts = PathName.components(of: try PathName.absolute(argument)).filter { $0 != "." }
            for count in stride(from: parts.count, through: 1, by: -1) {
                let head = "/" + parts[..<count].joined(separator: "/")
                if Library.isLibrary(head) {
                    return (try PathName.resolved(head), parts[count...].joined(separator: "/"))
                }
            }
        } catch { throw missing(argument, error) }
        throw CommandFailure(
            .noSuchItem,
            "\(argument) lies neither in a mounted library nor below a library's directory. See: cameraroll status")
    }

    /// The mount of a library that a path lies in, and the path below it.
    private static func mount(
        containing argument: String
    ) throws(CommandFailure) -> (mount: MountTable.Mount, rest: String)? {
        let table: MountTable
        do throws(Errno) { table = try MountTable() } catch {
            throw CommandFailure(system: error, "The mount table /proc/self/mountinfo cannot be read")
        }
        // As the path is written, since a dead or foreign mount cannot be walked; then without links.
        for isAsWritten in [true, false] {
            let found = isAsWritten ? try? PathName.absolute(argument) : try? PathName.resolvingParent(argument)
            guard let path = found else { continue }
            let parts = PathName.components(of: path).filter { $0 != "." }
            if parts.contains("..") { continue }
            let trimmed = "/" + parts.joined(separator: "/")
            let deepest = table.mounts.filter { PathName.lies(trimmed, in: $0.path) }
                .max { $0.path.utf8.count < $1.path.utf8.count }
            guard let deepest, let mount = table.mount(at: deepest.path), mount.type == mountType else { continue }
            return (mount, PathName.remainder(of: trimmed, below: mount.path))
        }
        return nil
    }

    /// The library that a mount says it shows. Anyone may mount something that says so: the library has to agree.
    private static func library(of mount: MountTable.Mount) throws(CommandFailure) -> String {
        let state: MountLock.State
        do throws(Errno) { state = try MountLock.state(of: mount.source) } catch {
            throw CommandFailure(
                error == .noEntry ? .noSuchItem : .notAuthorized,
                "\(mount.path) is a mount of \(mount.source), which cannot be opened: \(error)."
                    + " Only the library's owner can use it with this command.")
        }
        switch state {
        case .held(let holder?), .free(last: let holder?):
            if holder.mountPoint.utf8.elementsEqual(mount.path.utf8) { return mount.source }
        case .held(nil), .free(last: nil): break
        }
        throw CommandFailure(
            .noSuchItem,
            "\(mount.path) says that it is a mount of \(mount.source), but that library is not mounted there."
                + " Name the library's directory instead.")
    }

    static func missing(_ argument: String, _ error: Errno) -> CommandFailure {
        switch error {
        case .noEntry, .notDirectory:
            CommandFailure(.noSuchItem, "\(argument) does not exist. Make a library with: cameraroll init LIBRARY")
        case .accessDenied:
            CommandFailure(.notAuthorized, "\(argument) cannot be opened: \(error). Ask its owner.")
        default: CommandFailure(system: error, "\(argument) cannot be opened")
        }
    }
}
