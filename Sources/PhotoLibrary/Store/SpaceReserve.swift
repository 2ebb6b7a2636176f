internal import Platform

/// Space set aside, so that on a full disk deleting still works: the catalogue needs room to note what goes.
///
/// A file of 8 MiB in the library; it is given up when a removal meets `ENOSPC`, and made again when there is room.
final class SpaceReserve: Sendable {
    private let root: Directory
    private static let name = "reserve"
    private static let size: Int64 = 8 << 20

    init(root: Directory) { self.root = root }

    /// Sets the space aside where it is not yet. On a disk without that much room there is no reserve.
    func fill() {
        do throws(Errno) {
            let file = try root.open(Self.name, [.readWrite, .create, .noFollow])
            let status = try file.status()
            if status.blocks * 512 >= Self.size { return }
            let available = try file.fileSystem()
            guard available.blocksAvailable * available.fragmentSize > UInt64(Self.size) * 4 else { return }
            try file.allocate(mode: 0, at: 0, count: Self.size)
        } catch {
            // A file system that cannot reserve, or has just filled up: removals may fail there when it is full.
        }
    }

    /// Gives the space up.
    ///
    /// - Returns: whether there was any.
    func giveUp() -> Bool {
        do throws(Errno) {
            guard let status = try root.status(of: Self.name), status.blocks > 0 else { return false }
            try root.open(Self.name, [.readWrite, .noFollow]).truncate(to: 0)
            return true
        } catch { return false }
    }
}
