public import FUSE
internal import PhotoLibrary
public import Platform

extension RollFileSystem {
    public func rename(
        _ name: FileName, in parent: UInt64, to newName: FileName, in newParent: UInt64, mode: RenameMode,
        for caller: Caller
    ) throws(Errno) {
        let access = gate.access(of: caller)
        defer { gate.namesChanged() }
        if let view = ViewInode(parent) {
            try gate.requireSight(access, "rename", name.description)
            if case .directory = try viewItem(name, in: view, access) {
                return try moveDirectory(name, in: view, to: newName, in: newParent, mode, access)
            }
        }
        if parent == Library.rootNode, views.inode(named: name) != nil { throw .notPermitted }
        let source = try source(name, in: parent, access)
        let (node, name) = (source.node, source.name)
        if let target = ViewInode(newParent) {
            guard mode != .exchange else { throw .notPermitted }
            // A name that leads to somebody else's asset is its maker's; what a view changes is the asset.
            try gate.require(access, reaches: node, "rename", name.description)
            defer { companions.note(caller.pid) }
            return noteRemoval(
                try move(node, name, from: parent, to: newName, in: target, mode, access), of: node)
        }
        guard newParent != Library.rootNode, parent != Library.rootNode else { throw .notPermitted }
        let chosen = newName
        var newName = newName
        if let existing = try gate.entry(newName, in: newParent, access) {
            try gate.require(access, reaches: existing.node, "rename", library.path(of: newName, in: newParent))
            newName = existing.name
        } else {
            newName = try gate.newName(newName, in: newParent, access)
        }
        if let view = ViewInode(parent) {
            guard mode != .exchange else { throw .notPermitted }
            try move(node, name, from: view, toRoll: newName, in: newParent, mode, access)
            try gate.noteChoice(of: chosen, for: newName, in: newParent, access)
            return dropAttributes(of: [node.id, newParent])
        }
        if mode == .exchange { return try library.exchange(name, in: parent, with: newName, in: newParent) }
        try renameInRoll(node, name, parent, newName, newParent, mode, access)
        try gate.noteChoice(of: chosen, for: newName, in: newParent, access)
    }

    /// What is renamed, for a client that may.
    private func source(
        _ name: FileName, in parent: UInt64, _ access: Access
    ) throws(Errno) -> (node: NodeRecord, name: FileName) {
        if let view = ViewInode(parent) {
            guard case .node(let node) = try viewItem(name, in: view, access) else { throw .notPermitted }
            return (node, name)
        }
        let entry = try reachedEntry(name, in: parent, access, "rename")
        return (entry.node, entry.name)
    }

    private func noteRemoval(_ removal: ViewRemoval, of node: NodeRecord) {
        dropAttributes(of: [node.id])
        // The kernel drops the name that it renamed itself, and holds that directory's lock: no waiting here.
        for name in removal.names { notifier?.dropEntry(name.name, in: name.parent, waiting: 0) }
    }

    func renameInRoll(
        _ node: NodeRecord, _ name: FileName, _ parent: UInt64, _ newName: FileName, _ newParent: UInt64,
        _ mode: RenameMode, _ access: Access
    ) throws(Errno) {
        let mayReplace = mode == .replace
        let outcome: Library.RenameOutcome
        do throws(CommitFailure) {
            if node.kind == .pending || node.kind == .plain {
                let old = WrittenName(parent: parent, name: name)
                let new = WrittenName(parent: newParent, name: newName)
                outcome = try renameHeld(node, from: old, to: new) { (openFile) throws(CommitFailure) in
                    try library.rename(
                        name, in: parent, to: newName, in: newParent, mayReplace: mayReplace, openFile: openFile,
                        client: access.client)
                }
            } else {
                outcome = try library.rename(
                    name, in: parent, to: newName, in: newParent, mayReplace: mayReplace, openFile: nil,
                    client: access.client)
            }
        } catch {
            if case .refused(let reason) = error {
                library.events.add(
                    EventLog.Event(
                        client: access.client, operation: "rename", path: library.path(of: newName, in: newParent),
                        errno: error.errno, reason: reason))
            }
            throw error.errno
        }
        if node.kind == .asset, try gate.mayChange(access, node) {
            library.noteRename(
                of: node.id, from: WrittenName(parent: parent, name: name),
                to: WrittenName(parent: newParent, name: newName), client: access.client)
        }
        gate.noteClose(of: node.id, mergedInto: outcome.mergedInto, by: access.client)
        for gone in outcome.gone { files.orphan(gone) }
        files.contentsChanged()
        if node.kind == .asset { follower.wake() } else { takeUpSidecars(of: node.id, named: newName, access) }
        dropAttributes(of: [node.id] + (outcome.mergedInto.map { [$0] } ?? []) + outcome.gone.map(\.id))
    }

    /// Renames a file that is no asset yet while nobody writes to it, so that bytes that are looked at hold still.
    private func renameHeld(
        _ node: NodeRecord, from old: WrittenName, to new: WrittenName,
        _ body: (FileDescriptor?) throws(CommitFailure) -> Library.RenameOutcome
    ) throws(CommitFailure) -> Library.RenameOutcome {
        let open: OpenNode
        // Not counted as a writer: a close that comes meanwhile is still the last one.
        do throws(Errno) { open = try files.acquire(node.id, forWriting: false) } catch { throw .failed(error) }
        defer { files.release(open, forWriting: false) }
        return try open.gate.exclusive { () throws(CommitFailure) in
            let names: [(parent: UInt64, name: FileName)]
            do throws(Errno) {
                // As they will be: whoever writes on after a merge is given these back.
                names = try library.names(of: node.id).map { place in
                    place.parent == old.parent && place.name == old.name ? (parent: new.parent, name: new.name) : place
                }
            } catch { throw .failed(error) }
            let isBusy = open.state.withLock { $0.writers > 0 }
            let outcome = try body(isBusy ? open.file : nil)
            open.state.withLock { state in
                if outcome.becameAsset {
                    state.isWritable = false
                    state.isDirty = false
                    state.failure = nil
                    state.amends = isBusy
                } else if let target = outcome.mergedInto {
                    state.isWritable = false
                    state.isDirty = false
                    state.failure = nil
                    state.merged = OpenNode.Merge(node: node, target: target, names: names)
                }
            }
            return outcome
        }
    }
}
