import Glibc
import PhotoLibrary
import Platform

/// The file that the process which mounts a library keeps locked (flock(2)) for as long as it does, `mount.lock` in the
/// library. Its one line tells others which process that is and where it mounts; without the lock it tells nothing.
struct MountLock: Sendable {
    /// What the line says.
    struct Holder: Sendable, Equatable {
        var pid: Int32
        var mountPoint: String
        /// Where it keeps thumbnails for the desktop.
        var desktopThumbnails: String?
    }

    /// What a look at the lock finds.
    enum State: Sendable, Equatable {
        /// No process mounts the library. `last` is what a process left that ended without unmounting.
        case free(last: Holder?)
        /// A process mounts it; nil where it does not say where, as it is about to.
        case held(Holder?)
    }

    fileprivate let file: FileDescriptor
    private static let name = "mount.lock"
    private static let sizeLimit = 8192

    /// Takes the lock.
    ///
    /// - Throws: `busy`, saying where, while another process mounts the library.
    static func take(of library: String) throws(CommandFailure) -> MountLock {
        do throws(Errno) {
            let file = try Directory(library).open(name, [.readWrite, .create, .noFollow])
            for _ in 0..<10 {
                if try file.tryLock() { return MountLock(file: file) }
                // Somebody who only looks holds it for a moment too.
                Clock.sleep(20_000_000)
            }
            throw .busy
        } catch .busy {
            throw busy(library)
        } catch {
            throw CommandFailure(system: error, "\(library)/\(name) cannot be locked")
        }
    }

    private static func busy(_ library: String) -> CommandFailure {
        guard let state = try? state(of: library), case .held(let holder?) = state else {
            return CommandFailure(.busy, "\(library) is mounted by another process. Unmount it there first.")
        }
        return CommandFailure(
            .busy,
            "\(library) is mounted at \(holder.mountPoint) already (process \(holder.pid))."
                + " Use it there, or unmount it first: cameraroll unmount \(holder.mountPoint)")
    }

    /// Looks whether a process mounts a library.
    static func state(of library: String) throws(Errno) -> State {
        let file: FileDescriptor
        do throws(Errno) {
            file = try Directory(library).open(name, [.readOnly, .noFollow, .nonBlocking])
        } catch .noEntry { return .free(last: nil) }
        guard try file.status().kind == .regular else { return .free(last: nil) }
        let isFree = try file.tryLock(shared: true)
        let holder = holder(in: try file.readBytes(sizeLimit, at: 0))
        return isFree ? .free(last: holder) : .held(holder)
    }

    static func holder(in bytes: [UInt8]) -> Holder? {
        guard let line = try? JSONParser.parse(bytes, limit: sizeLimit),
            let pid = line["pid"]?.integer.flatMap({ Int32(exactly: $0) }), pid > 0,
            let mountPoint = line["mountpoint"]?.text, mountPoint.utf8.first == UInt8(ascii: "/")
        else { return nil }
        return Holder(pid: pid, mountPoint: mountPoint, desktopThumbnails: line["desktop_thumbnails"]?.text)
    }

    /// Says where this process mounts.
    func note(mountPoint: String, desktopThumbnails: String? = nil) throws(Errno) {
        let more = desktopThumbnails.map { ",\"desktop_thumbnails\":\(JSONText.quoted($0))" } ?? ""
        let line = "{\"pid\":\(getpid()),\"mountpoint\":\(JSONText.quoted(mountPoint))\(more)}\n"
        try file.truncate(to: 0)
        try file.append(line)
    }

    /// Takes the line back, at a clean end.
    func clear() {
        // A line that stays says nothing once the lock is gone.
        try? file.truncate(to: 0)
    }
}
