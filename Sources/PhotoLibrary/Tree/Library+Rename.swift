internal import Media
public import Platform
internal import SQLite

/// Renames, which may make an asset of a temporary file, or an edit of an asset.
extension Library {
    /// What a rename did to nodes that somebody may have open.
    public struct RenameOutcome: Sendable {
        /// Nodes that nothing in the library knows any more, as they were.
        public var gone: [NodeRecord] = []
        /// The renamed node's names belong to this node now.
        public var mergedInto: UInt64?
        /// The renamed node became an asset with this rename, or a new version of one.
        public var becameAsset = false
        /// It became an edit of the asset that was set aside from the name.
        var isSuccession = false
    }

    /// Renames an entry, replacing what has the new name unless `mayReplace` is false (`EEXIST`).
    ///
    /// A pending file that gets a name that is not temporary becomes an asset first; over an asset, the rules of
    /// writing over it hold: an edit where it shows the same picture, else the one that was there steps aside.
    /// - Parameter openFile: the node's file where somebody has it open for writing: more bytes may come.
    /// - Throws: `refused` for bytes that are no photo or video; nothing was renamed then.
    public func rename(
        _ name: FileName, in parent: UInt64, to newName: FileName, in newParent: UInt64, mayReplace: Bool,
        openFile: FileDescriptor?, client: String
    ) throws(CommitFailure) -> RenameOutcome {
        let move: Move
        do throws(Errno) { move = try self.move(name, parent, newName, newParent) } catch { throw .failed(error) }
        if move.target != nil, !mayReplace { throw .failed(.exists) }
        // Two names of one file: nothing happens (rename(2)).
        if move.source.node.id == move.target?.node.id { return RenameOutcome() }
        let version = try versionMade(by: move, openFile: openFile, client: client)
        do throws(Errno) {
            let outcome = try carryOut(move, version, client: client)
            if version != nil { try finish() } else { sweeper.sweep() }
            return outcome
        } catch { throw .failed(error) }
    }

    /// Swaps two entries (renameat2(2), RENAME_EXCHANGE).
    public func exchange(
        _ name: FileName, in parent: UInt64, with otherName: FileName, in otherParent: UInt64
    ) throws(Errno) {
        let move = try move(name, parent, otherName, otherParent)
        guard let other = move.target else { throw .noEntry }
        guard move.sourceRoom == move.targetRoom else { throw .invalid }
        let mine = move.source
        if mine.node.id == other.node.id { return }
        try catalog.write { (database) throws(Errno) in
            try database.refuseCycle(moving: mine.node, into: otherParent)
            try database.refuseCycle(moving: other.node, into: parent)
            let now = Clock.now()
            try database.run(
                "UPDATE dentry SET node = ? WHERE id = ?", [.integer(other.node.id), .integer(mine.cookie)])
            try database.run(
                "UPDATE dentry SET node = ? WHERE id = ?", [.integer(mine.node.id), .integer(other.cookie)])
            // Each directory counts the directories in it.
            let change = (other.node.kind == .directory ? 1 : 0) - (mine.node.kind == .directory ? 1 : 0)
            try database.run(
                "UPDATE node SET links = links + ?, modified = ?2, changed = ?2 WHERE id = ?3",
                [.integer(change), .integer(now), .integer(parent)])
            try database.run(
                "UPDATE node SET links = links - ?, modified = ?2, changed = ?2 WHERE id = ?3",
                [.integer(change), .integer(now), .integer(otherParent)])
            try database.run(
                "UPDATE node SET changed = ? WHERE id IN (?, ?)",
                [.integer(now), .integer(mine.node.id), .integer(other.node.id)])
        }
    }

    /// The entries that a rename is about, and what their directories are for.
    struct Move {
        var source: DirectoryEntry
        var parent: UInt64
        var sourceRoom: Room
        var target: DirectoryEntry?
        var newParent: UInt64
        var newName: FileName
        var targetRoom: Room
    }

    private func move(
        _ name: FileName, _ parent: UInt64, _ newName: FileName, _ newParent: UInt64
    ) throws(Errno) -> Move {
        try catalog.read { (database) throws(Errno) in
            guard let source = try database.entry(name, in: parent) else { throw .noEntry }
            let target = try database.entry(newName, in: newParent)
            guard let from = try database.node(parent), let to = try database.node(newParent) else { throw .noEntry }
            guard source.node.id != FixedNode.cameraRoll, target?.node.id != FixedNode.cameraRoll else {
                throw .notPermitted
            }
            return Move(
                source: source, parent: parent, sourceRoom: from.room, target: target, newParent: newParent,
                newName: newName, targetRoom: to.room)
        }
    }

    /// Bytes that become a version of an asset with a rename.
    struct RenamedVersion {
        var prepared: PreparedFile
        /// They show the picture of the asset that has the new name.
        var isSamePicture: Bool
        /// The asset that was set aside from the new name, where they show its picture.
        var predecessor: Predecessor?
    }

    /// Looks at the bytes of what is renamed, where the new name calls for it; nil where it stays what it is.
    /// Changes nothing.
    private func versionMade(
        by move: Move, openFile: FileDescriptor?, client: String
    ) throws(CommitFailure) -> RenamedVersion? {
        let source = move.source.node
        if source.kind == .asset { return try versionMade(by: source, over: move) }
        guard source.kind == .pending || source.kind == .plain, move.targetRoom == .cameraRoll,
            NameClass(of: move.newName) == .ordinary
        else { return nil }
        let overAsset = move.target?.node.kind == .asset
        // Bytes that were refused already may be moved about like any file, but never over an asset.
        if source.kind == .pending, source.reason != nil, !overAsset, NameClass(of: move.source.name) == .ordinary {
            return nil
        }
        let file: FileDescriptor
        do throws(Errno) {
            if let openFile { file = openFile } else { file = try self.openFile(of: source, forWriting: false) }
            if try file.status().size == 0, !overAsset { return nil }
        } catch { throw .failed(error) }
        do throws(CommitFailure) {
            let prepared = try prepare(path: source.file ?? "", file: file, name: move.newName)
            var isSame = false
            if overAsset, let asset = move.target?.node.asset {
                do throws(Errno) {
                    isSame = try showsSamePicture(prepared, file: file, as: asset)
                } catch { throw .failed(error) }
            }
            var version = RenamedVersion(prepared: prepared, isSamePicture: isSame)
            if move.target == nil {
                do throws(Errno) {
                    version.predecessor = try predecessor(
                        of: prepared, file: file, at: WrittenName(parent: move.newParent, name: move.newName),
                        client: client)
                } catch { throw .failed(error) }
            }
            return version
        } catch .refused(let reason) {
            // Somebody writes to it still: it is looked at again when they close it.
            if openFile != nil, !overAsset { return nil }
            do throws(Errno) { try setReason(of: source, to: reason) } catch { throw .failed(error) }
            // Out of a desktop trash: it goes back to being the file that it was.
            if move.sourceRoom == .trash, !overAsset { return nil }
            throw .refused(reason: reason)
        }
    }

    /// An asset renamed over another that shows the same picture, as programs do that save to a name of their own first;
    /// nil where it stays an asset of its own. One that has a history, or other names, stays.
    private func versionMade(by source: NodeRecord, over move: Move) throws(CommitFailure) -> RenamedVersion? {
        guard let asset = source.asset, let target = move.target?.node, target.kind == .asset,
            let other = target.asset, move.targetRoom.isInRoll, move.sourceRoom.isInRoll, source.links == 1
        else { return nil }
        let file: FileDescriptor
        do throws(Errno) {
            let isEdited = try catalog.read { (database) throws(Errno) in
                try database.original(of: asset)?.isEdited ?? true
            }
            guard !isEdited else { return nil }
            file = try openFile(of: source, forWriting: false)
        } catch { throw .failed(error) }
        let prepared = try prepare(path: source.file ?? "", file: file, name: move.newName)
        do throws(Errno) {
            guard try showsSamePicture(prepared, file: file, as: other) else { return nil }
        } catch { throw .failed(error) }
        return RenamedVersion(prepared: prepared, isSamePicture: true)
    }

    private func carryOut(_ move: Move, _ version: RenamedVersion?, client: String) throws(Errno) -> RenameOutcome {
        guard let version else {
            return try catalog.write { (database) throws(Errno) in
                try database.checkUnchanged(move)
                var outcome = RenameOutcome()
                outcome.gone = try database.moveEntry(move)
                try database.noteForSidecars(move, by: client)
                return outcome
            }
        }
        if let asset = move.source.node.asset {
            // It was an original and becomes an edit: it is linked to where those lie, and loses the old place with the
            // transaction. A crash before that leaves a link that recovery finds to be bytes the library has.
            let original = version.prepared.path
            let render = store.path(
                in: Store.renders, node: move.source.node.id, staged: original,
                pathExtension: version.prepared.inspection.kind.preferredExtension)
            try store.link(original, to: render)
            do throws(Errno) {
                return try catalog.write { (database) throws(Errno) in
                    try database.checkUnchanged(move)
                    try database.dissolve(asset, of: move.source.node.id, into: move.target?.node.asset)
                    try database.doom(original)
                    return try database.moveEntry(move, making: version, file: render, client: client)
                }
            } catch {
                try store.remove(render)
                throw error
            }
        }
        let placed = try place(
            version.prepared,
            in: version.isSamePicture || version.predecessor != nil ? Store.renders : Store.originals,
            node: move.source.node.id)
        do throws(Errno) {
            let outcome = try catalog.write { (database) throws(Errno) in
                try database.checkUnchanged(move)
                return try database.moveEntry(move, making: version, file: placed.file, client: client)
            }
            if !outcome.isSuccession { abandon(version.predecessor) }
            return outcome
        } catch {
            abandon(version.predecessor)
            takeBack(placed, pending: move.source.node)
            throw error
        }
    }
}
