internal import FUSE
internal import PhotoLibrary
internal import Platform

extension OpenNode {
    /// What a commit changed besides the node itself, for the kernel's caches.
    struct CommitEffect {
        /// Nodes whose attributes are other than before.
        var changedNodes: [UInt64] = []
        /// Nodes that are gone, as they were.
        var goneNodes: [NodeRecord] = []
        /// The node's own bytes are other than what was written to it last.
        var lostContents = false
    }

    /// Commits what was written since the last time. A second call without a write in between repeats its answer.
    ///
    /// - Parameter isLast: no handle is left that might go on writing: refused bytes of a draft find a place of their own.
    func commit(
        to library: Library, client: String, name: WrittenName?, isLast: Bool, effect: inout CommitEffect
    ) throws(CommitFailure) {
        var made = CommitEffect()
        defer { effect = made }
        try gate.exclusive { () throws(CommitFailure) in
            let before = state.withLock { state in
                (
                    isDirty: state.isDirty, draft: state.draft, failure: state.failure, file: state.file,
                    isWritable: state.isWritable, amends: state.amends, isOrphan: state.orphan != nil
                )
            }
            guard !before.isOrphan, before.isWritable else {
                if isLast, let draft = before.draft { drop(draft, library) }
                return
            }
            // It holds for one commit; what is written later is hashed as a whole.
            defer { state.withLock { $0.stream = nil } }
            do throws(CommitFailure) {
                if before.isDirty {
                    try commitBytes(before.draft, before.file, before.amends, library, client, name, &made)
                } else if let failure = before.failure {
                    throw failure
                }
            } catch {
                state.withLock { state in
                    state.isDirty = false
                    state.failure = error
                }
                if case .failed = error { reconcile(before.draft, library) }
                if isLast, let draft = state.withLock({ $0.draft }) { keep(draft, name, error.reason, library, &made) }
                throw error
            }
        }
    }

    /// Why a draft becomes a pending file beside its asset; nil where it stays a draft.
    private func reasonToKeep(_ failure: CommitFailure) -> String? {
        if case .refused(let reason) = failure { return reason }
        return state.withLock { $0.failedWrite }.map { Self.reason(ofFailedWrite: $0.error) }
    }

    private static func reason(ofFailedWrite error: Errno) -> String {
        "Writing this file failed: \(error). It is not whole. Copy it again once there is room, or remove it."
    }

    private func commitBytes(
        _ draft: Draft?, _ file: FileDescriptor, _ amends: Bool, _ library: Library, _ client: String,
        _ name: WrittenName?, _ effect: inout CommitEffect
    ) throws(CommitFailure) {
        let record: NodeRecord?
        let names: [(parent: UInt64, name: FileName)]
        do throws(Errno) {
            record = try library.node(id)
            names = try library.names(of: id)
        } catch { throw .failed(error) }
        if let error = state.withLock({ $0.failedWrite?.error }) {
            do throws(Errno) {
                try library.noteIncomplete(id, reason: Self.reason(ofFailedWrite: error))
            } catch {
                // The writer learns of it all the same; the file stays pending.
            }
            throw .failed(error)
        }
        let outcome: CommitOutcome
        var described: [UInt64] = []
        if let draft {
            outcome = try library.commitDraft(draft, of: id, amends: amends, written: name, client: client)
        } else if record?.kind == .plain {
            described = library.takeUpSidecar(id, file: file, client: client)
            do throws(Errno) {
                try library.makeLast(file)
            } catch { throw .failed(error) }
            outcome = .kept
        } else {
            outcome = try library.commitPending(
                id, file: file, stream: state.withLock { $0.stream }, client: client)
        }
        effect.changedNodes = names.map(\.parent) + described
        switch outcome {
        case .asset, .edit:
            if case .edit(let gone) = outcome { effect.goneNodes.append(gone) }
            state.withLock { state in
                state.isDirty = false
                state.draft = nil
                state.isWritable = false
                state.amends = amends || draft == nil
            }
        case .merged(let target):
            effect.changedNodes.append(target)
            state.withLock { state in
                state.isDirty = false
                state.draft = nil
                state.isWritable = false
                if let record { state.merged = Merge(node: record, target: target, names: names) }
            }
        case .unchanged:
            returnToVersion(library)
        case .kept:
            state.withLock { $0.isDirty = false }
        }
    }

    /// The asset's own version is what is read again.
    private func returnToVersion(_ library: Library) {
        do throws(Errno) {
            guard let record = try library.node(id) else { throw .stale }
            let file = try library.openFile(of: record, forWriting: false)
            state.withLock { state in
                state.isDirty = false
                state.failure = nil
                state.draft = nil
                state.isWritable = false
                state.file = file
            }
        } catch {
            // The asset was deleted for good meanwhile: the draft's bytes stay readable until the last close.
            state.withLock { state in
                state.isDirty = false
                state.draft = nil
                state.isWritable = false
            }
        }
    }

    /// Brings the state in line with the catalogue after a failure: a transaction may have been committed before it. Then
    /// the file is a version and no staging file any more, and no write may reach it.
    private func reconcile(_ draft: Draft?, _ library: Library) {
        do throws(Errno) {
            let isStaged: Bool
            if let draft {
                isStaged = try library.isStaged(draft)
            } else {
                isStaged = try library.node(id)?.asset == nil
            }
            if isStaged { return }
        } catch {
            // Nothing can be read: better no further write than one to an original.
        }
        state.withLock { state in
            state.draft = nil
            state.isWritable = false
        }
    }

    private func keep(
        _ draft: Draft, _ name: WrittenName?, _ reason: String, _ library: Library, _ effect: inout CommitEffect
    ) {
        do throws(Errno) {
            if let directory = try library.keep(draft, of: id, written: name, reason: reason) {
                effect.changedNodes.append(directory)
            }
        } catch {
            // The draft's file stays in staging; the next mount brings it back as a pending file.
            library.events.add(
                EventLog.Event(
                    client: "", operation: "keep", path: "", errno: error,
                    reason: "Refused bytes could not be given a name: \(error). They come back with the next mount."))
        }
        effect.changedNodes.append(id)
        effect.lostContents = true
        returnToVersion(library)
    }

    private func drop(_ draft: Draft, _ library: Library) {
        do throws(Errno) { try library.discard(draft) } catch {
            // It is a draft without an asset: recovery removes it.
        }
        state.withLock { state in
            state.draft = nil
            state.isWritable = false
        }
    }
}
