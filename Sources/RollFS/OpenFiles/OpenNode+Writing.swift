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
    ///   - offset: where bytes are written, for changes that bring bytes.
    ///   - isPlainWrite: `body` tells of its bytes by `noteWrite`; any other change ends hashing behind the writer.
    func write<Result>(
        to library: Library, startsEmpty: Bool = false, at offset: Int64? = nil, isPlainWrite: Bool = false,
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
                do throws(Errno) {
                    let result = try body(file)
                    noteSuccess(at: offset, startsEmpty: startsEmpty)
                    return result
                } catch {
                    noteFailure(error, at: offset)
                    throw error
                }
            }
            if let outcome { return outcome }
            try makeWritable(library, startsEmpty: startsEmpty)
        }
    }

    /// A gap is closed by writing it again, or by beginning anew.
    private func noteSuccess(at offset: Int64?, startsEmpty: Bool) {
        state.withLock { state in
            guard let failed = state.failedWrite else { return }
            if startsEmpty || offset.map({ $0 <= failed.offset }) == true { state.failedWrite = nil }
        }
    }

    /// Bytes are missing where the store failed, but not where the request made no sense.
    private func noteFailure(_ error: Errno, at offset: Int64?) {
        guard let offset, [.noSpace, .quotaExceeded, .ioError, .fileTooLarge].contains(error) else { return }
        state.withLock { state in
            if let failed = state.failedWrite, failed.offset <= offset { return }
            state.failedWrite = FailedWrite(error: error, offset: offset)
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
