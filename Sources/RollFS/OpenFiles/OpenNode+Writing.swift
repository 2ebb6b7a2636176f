internal import FUSE
internal import Media
internal import PhotoLibrary
internal import Platform

extension OpenNode {
    /// Runs `body` with the file that takes writes, while no commit is under way.
    ///
    /// The first write to an asset makes a draft of it; the asset keeps its version.
    /// - Parameters:
    ///   - startsEmpty: all that is there goes anyway, so a draft need not copy it.
    ///   - isPlainWrite: `body` tells of its bytes by `noteWrite`; any other change ends hashing behind the writer.
    func write<Result>(
        to library: Library, startsEmpty: Bool = false, isPlainWrite: Bool = false,
        _ body: (FileDescriptor) throws(Errno) -> Result
    ) throws(Errno) -> Result {
        while true {
            let outcome = try gate.shared { () throws(Errno) -> Result? in
                guard let file = state.withLock({ $0.isWritable ? $0.file : nil }) else { return nil }
                // Dirty before and after: a commit that another thread begins after this sees it.
                let forgetsTime = state.withLock { state in
                    state.isDirty = true
                    state.failure = nil
                    if !isPlainWrite { state.stream = nil }
                    defer { state.hasClientTime = false }
                    return state.hasClientTime && state.orphan == nil
                }
                if forgetsTime { try library.forgetModified(id) }
                return try body(file)
            }
            if let outcome { return outcome }
            try makeWritable(library, startsEmpty: startsEmpty)
        }
    }

    /// Bytes were appended or written in order; hashed behind the writer.
    func noteWrite(offset: Int64, count: Int, file: FileDescriptor) {
        state.withLock { $0.stream }?.note(offset: offset, end: offset &+ Int64(count), of: file)
    }

    private func makeWritable(_ library: Library, startsEmpty: Bool) throws(Errno) {
        try gate.exclusive { () throws(Errno) in
            let (file, isWritable, merged) = state.withLock { ($0.file, $0.isWritable, $0.merged) }
            if isWritable { return }
            let draft = try library.makeDraft(of: id, copying: startsEmpty ? nil : file)
            var isOrphan = false
            if let merged {
                isOrphan = try !library.separate(
                    merged.node, from: merged.target, names: merged.names, draft: draft)
                if isOrphan { try library.discard(draft) }
            }
            state.withLock { state in
                state.file = draft.file
                state.isWritable = true
                if let merged {
                    state.merged = nil
                    if isOrphan {
                        // Its names went to something else: what is written now goes with the last descriptor.
                        state.orphan = merged.node
                        state.orphan?.links = 0
                    }
                } else {
                    state.draft = draft
                }
            }
        }
    }
}
