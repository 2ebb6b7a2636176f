import FUSE
import PhotoLibrary
import Platform

/// What `status` tells of a library.
struct LibraryStatus: Sendable {
    struct Mount: Sendable, Equatable {
        var path: String
        /// The process that serves it; nil for one that has died.
        var pid: Int32?
        /// Where it keeps thumbnails for the desktop; nil: nowhere.
        var desktopThumbnails: String?
    }

    var library: String
    /// Nil where the library is not open to this user.
    var statistics: Library.Statistics?
    /// Bytes that its store can still take for this user.
    var free: Int64?
    var mounts: [Mount] = []
    var warnings: [String] = []

    /// Less than this is worth a warning.
    private static let scarceSpace: Int64 = 1_000_000_000

    /// Reads what there is to say of a library.
    static func of(_ path: String) throws(CommandFailure) -> LibraryStatus {
        let library = try OpenLibrary.open(path, forReading: true)
        defer { library.close() }
        var status = LibraryStatus(library: path)
        do throws(Errno) {
            let statistics = try library.statistics()
            status.statistics = statistics
            let space = try library.fileSystem()
            let (free, overflow) = space.blocksAvailable.multipliedReportingOverflow(by: space.fragmentSize)
            status.free = overflow ? .max : Int64(clamping: free)
            try status.findMounts()
            if statistics.refused > 0 {
                let files = statistics.refused == 1 ? "1 file was" : "\(statistics.refused) files were"
                status.warnings.append("\(files) refused as photo or video. See: cameraroll pending \(path)")
            }
            let isMounted = status.mounts.contains { $0.pid != nil }
            if isMounted, try !library.authorization.records().contains(where: { $0.status == .authorized }) {
                status.warnings.append(
                    "Nobody is authorized to use the mount. See: cameraroll authorization --help")
            }
        } catch { throw OpenLibrary.failure(error, library, "The library \(path) cannot be read") }
        if let free = status.free, free < scarceSpace {
            status.warnings.append("Only \(DisplayText.byteCount(free)) are free where the library lies.")
        }
        return status
    }

    /// A library that is mounted and not open to this user.
    static func closed(_ path: String, _ failure: CommandFailure) -> LibraryStatus {
        var status = LibraryStatus(library: path)
        // The table of mounts is open to everyone.
        try? status.findMounts()
        status.warnings.append(failure.message)
        return status
    }

    /// Every library that this machine's mount table shows, once.
    static func mountedLibraries() throws(CommandFailure) -> [String] {
        do throws(Errno) {
            var found: [String] = []
            for mount in try MountTable().mounts
            where mount.type == LibraryLocation.mountType && !found.contains(mount.source) {
                found.append(mount.source)
            }
            return found
        } catch { throw CommandFailure(system: error, "The mount table /proc/self/mountinfo cannot be read") }
    }

    private mutating func findMounts() throws(Errno) {
        let paths = try MountTable().mounts
            .filter { $0.type == LibraryLocation.mountType && $0.source.utf8.elementsEqual(library.utf8) }
            .map(\.path)
        mounts = paths.map { Mount(path: $0) }
        let state: MountLock.State
        do throws(Errno) { state = try MountLock.state(of: library) } catch .accessDenied { return }
        if case .held(let holder) = state {
            if let holder, let index = mounts.lastIndex(where: { $0.path.utf8.elementsEqual(holder.mountPoint.utf8) }) {
                mounts[index].pid = holder.pid
                mounts[index].desktopThumbnails = holder.desktopThumbnails
            } else if let holder {
                mounts.append(Mount(path: holder.mountPoint, pid: holder.pid))
                warnings.append("\(holder.mountPoint) is a mount that this process cannot see (another namespace).")
            } else if mounts.isEmpty {
                warnings.append("A process is about to mount the library.")
            }
        }
        for mount in mounts where mount.pid == nil {
            warnings.append("\(mount.path) has no process behind it. Clear it with: cameraroll unmount \(mount.path)")
        }
    }
}
