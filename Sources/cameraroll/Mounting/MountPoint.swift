import FUSE
import Glibc
import PhotoLibrary
import Platform

/// The directory that a library is to be mounted on.
enum MountPoint {
    /// Sees to it that a path can be mounted on: a mount whose process has died is cleared away.
    ///
    /// - Parameter creates: a missing directory is made.
    /// - Returns: the path, absolute and without symbolic links.
    static func prepare(_ argument: String, creates: Bool) throws(CommandFailure) -> String {
        let path = try locate(argument)
        // Several dead mounts may lie on top of each other.
        for _ in 0..<8 {
            switch try look(at: path) {
            case .directory:
                try refuseMounted(path)
                do throws(Errno) { return try PathName.resolved(path) } catch {
                    throw CommandFailure(system: error, "\(path) cannot be mounted on")
                }
            case .missing where creates:
                guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
                    throw CommandFailure(system: Errno.current, "The mount point \(path) cannot be made")
                }
            case .missing:
                throw CommandFailure(
                    .noSuchItem, "\(path) cannot be mounted on: it does not exist. Make it with: mkdir \(path)")
            case .dead:
                StandardError.note("\(path) was a mount whose process had ended; it is cleared away.")
                do throws(SessionError) { try MountTable.unmount(path, lazily: true) } catch {
                    throw CommandFailure(error)
                }
            }
        }
        throw CommandFailure(.mountFailed, "\(path) cannot be cleared: a dead mount is there again and again.")
    }

    /// An argument's absolute path, its last component not asked for anything.
    static func locate(_ argument: String) throws(CommandFailure) -> String {
        guard !argument.isEmpty else { throw .usage("MOUNTPOINT is empty.") }
        do throws(Errno) {
            let path = try PathName.resolvingParent(argument)
            // A link to a directory is followed; a dead mount is no link.
            let isLink = (try? FileStatus(linkAt: path))?.kind == .symbolicLink
            return isLink ? try PathName.resolved(path) : path
        } catch {
            throw CommandFailure(
                error == .noEntry ? .noSuchItem : .mountFailed, "\(argument) cannot be reached: \(error).")
        }
    }

    private enum Look { case directory, missing, dead }

    private static func look(at path: String) throws(CommandFailure) -> Look {
        do throws(Errno) {
            guard try FileStatus(path: path).kind == .directory else { throw .notDirectory }
            try probe(path)
            return .directory
        } catch {
            switch error {
            case .noEntry: return .missing
            case .notConnected, .connectionAborted: return .dead
            case .accessDenied:
                try refuseMounted(path)
                throw CommandFailure(
                    .notAuthorized, "\(path) cannot be mounted on: a directory on the way is not open to this user.")
            case .notDirectory:
                throw CommandFailure(.mountFailed, "\(path) cannot be mounted on: it is not a directory.")
            default: throw CommandFailure(.mountFailed, "\(path) cannot be mounted on: \(error).")
            }
        }
    }

    /// Whether the process behind a mount has ended.
    static func isDead(_ path: String) -> Bool {
        do throws(Errno) {
            try probe(path)
            return false
        } catch { return error == .notConnected || error == .connectionAborted }
    }

    /// Asks the process behind a mount for an answer.
    ///
    /// The kernel keeps attributes and answers stat(2) from them when the process has died, but never statfs(2).
    /// - Throws: `ENOTCONN` or `ECONNABORTED` for a dead mount.
    static func probe(_ path: String) throws(Errno) {
        _ = try FileDescriptor.open(path, [.pathOnly, .directory]).fileSystem()
    }

    private static func refuseMounted(_ path: String) throws(CommandFailure) {
        guard let mount = try? MountTable().mount(at: path), mount.type == LibraryLocation.mountType else { return }
        throw CommandFailure(
            .busy,
            "\(path) has the library \(mount.source) mounted already. Unmount it first: cameraroll unmount \(path)")
    }

    /// A library and its mount point must not lie in each other: the one would hide the other.
    static func refuseOverlap(of mountPoint: String, with library: String) throws(CommandFailure) {
        if PathName.lies(mountPoint, in: library) {
            throw .usage("\(mountPoint) lies in the library \(library). Choose a mount point outside of it.")
        }
        if PathName.lies(library, in: mountPoint) {
            throw .usage(
                "The library \(library) lies in \(mountPoint), where it would be hidden. Choose another place.")
        }
    }

    /// Tells the user that files are there which nobody sees while the library is mounted.
    static func noteHiddenFiles(in path: String) {
        var isEmpty = true
        do throws(Errno) {
            try Directory(path).forEachName { (_) throws(Errno) in isEmpty = false }
        } catch { return }
        if !isEmpty { StandardError.note("\(path) is not empty; its files are hidden while the library is mounted.") }
    }
}
