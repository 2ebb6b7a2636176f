internal import Platform

/// Which version of each file the kernel has pages of, so that it keeps them from one opening to the next only where
/// the file is the same.
final class KnownContents: Sendable {
    private let files = Lock<[UInt64: String]>([:])
    /// Beyond it all are forgotten: the kernel then reads again what it had.
    private static let limit = 65536

    /// Notes the file that an inode's pages come from. - Returns: whether it is the one from before.
    func note(_ file: String?, of inode: UInt64) -> Bool {
        files.withLock { files in
            if files[inode] == file { return file != nil }
            if files.count >= Self.limit { files.removeAll(keepingCapacity: true) }
            files[inode] = file
            return false
        }
    }
}
