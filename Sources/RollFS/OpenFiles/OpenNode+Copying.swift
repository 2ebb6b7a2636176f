internal import PhotoLibrary
internal import Platform

extension OpenNode {
    /// Takes all bytes of an asset that somebody has open, as `copy_file_range` of the whole into a new file asks for: the
    /// file's names lead to that asset then, which is what the close would find out by reading every byte.
    ///
    /// - Returns: nil, and nothing was done, where the source is no asset as it stands in the library or this is no empty
    ///   new file; the bytes are to be copied then.
    func take(_ source: OpenNode, in library: Library) throws(Errno) -> Merge? {
        let version = source.state.withLock { state -> FileDescriptor? in
            state.isWritable || state.draft != nil || state.orphan != nil || state.merged != nil ? nil : state.file
        }
        guard let version else { return nil }
        return try gate.exclusive { () throws(Errno) -> Merge? in
            let file = state.withLock { state -> FileDescriptor? in
                let isNew =
                    state.isWritable && state.draft == nil && state.orphan == nil && state.failedWrite == nil
                    && state.writers == 1
                return isNew ? state.file : nil
            }
            guard let file, try file.status().size == 0, let record = try library.node(source.id),
                let path = record.file, try library.isVersion(version, at: path)
            else { return nil }
            let names = try library.names(of: id)
            guard let (node, target) = try library.copyAsset(source.id, file: path, to: id) else { return nil }
            let merge = Merge(node: node, target: target, names: names)
            state.withLock { state in
                state.file = version
                state.isDirty = false
                state.failure = nil
                state.stream = nil
                state.isWritable = false
                state.merged = merge
            }
            return merge
        }
    }
}
