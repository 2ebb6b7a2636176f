internal import Media
public import Platform
internal import SQLite

extension Library {
    /// Brings an asset's original back as its current version.
    ///
    /// - Returns: false for one that is not edited.
    /// - Throws: `EIO` where the original is damaged; the edit stays then.
    public func revert(_ id: UInt64) throws(Errno) -> Bool {
        guard let node = try node(id), let asset = node.asset else { throw .noEntry }
        guard let original = try original(ofNode: id) else { return false }
        let file = try open(original)
        let digest = try SHA256Digest.of(file, size: original.size)
        let inspection: MediaInspection
        do throws(MediaError) {
            inspection = try MediaInspector.inspect(
                file, size: original.size, name: node.displayName?.description ?? "")
        } catch {
            return try fail(with: error)
        }
        let prepared = PreparedFile(
            path: "", name: node.displayName ?? FileName(trusted: []), inspection: inspection, digest: digest,
            size: original.size, blocks: original.blocks, modified: try file.status().modificationTime)
        let isReverted = try catalog.write { (database) throws(Errno) in
            guard let now = try database.original(of: asset), now.isEdited, now.digest == digest else {
                return false
            }
            try database.revert(asset: asset, at: id, describedBy: prepared)
            return true
        }
        guard isReverted else { throw .stale }
        try finish()
        return true
    }

    private func fail(with error: MediaError) throws(Errno) -> Bool {
        switch error {
        case .rejected: throw .ioError
        case .unreadable(let errno): throw errno
        }
    }
}
