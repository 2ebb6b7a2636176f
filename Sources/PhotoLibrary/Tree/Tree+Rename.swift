internal import Platform
internal import SQLite

/// What a rename does to the rows. To be used inside a transaction.
extension Database {
    /// The kernel keeps names still during a rename, but other processes have the catalogue open too.
    func checkUnchanged(_ move: Library.Move) throws(Errno) {
        let source = try entry(move.source.name, in: move.parent)
        let target = try entry(move.newName, in: move.newParent)
        guard source?.cookie == move.source.cookie, source?.node.id == move.source.node.id,
            source?.node.kind == move.source.node.kind, source?.node.asset == move.source.node.asset,
            source?.node.file == move.source.node.file, target?.node.id == move.target?.node.id,
            target?.node.asset == move.target?.node.asset, target?.node.file == move.target?.node.file
        else { throw .stale }
    }

    /// A directory cannot move into itself (`EINVAL`, rename(2)).
    func refuseCycle(moving node: NodeRecord, into directory: UInt64) throws(Errno) {
        guard node.kind == .directory else { return }
        var current = directory
        for _ in 0..<4096 where current != FixedNode.root {
            if current == node.id { throw .invalid }
            guard let parent = try places(of: current).first?.parent else { return }
            current = parent
        }
    }

    /// Moves an entry that stays what it is.
    ///
    /// - Returns: nodes that are gone with it.
    func moveEntry(_ move: Library.Move) throws(Errno) -> [NodeRecord] {
        let node = move.source.node
        try refuseCycle(moving: node, into: move.newParent)
        let oldPath = node.kind == .directory ? try path(ofDirectory: node.id) : ""
        var gone: [NodeRecord] = []
        if let target = move.target {
            if let removed = try displace(target, from: move.newParent, for: node) { gone.append(removed) }
        }
        try moveName(move.source, from: move.parent, to: move.newName, in: move.newParent)
        switch node.kind {
        case .directory:
            let room = move.targetRoom.room(ofDirectory: move.newName)
            if node.room != room { try settle(directory: node.id, room: room, oldPath: oldPath) }
        case .asset:
            let lost = move.sourceRoom.isInRoll ? (parent: move.parent, name: move.source.name) : nil
            try settle(asset: node, lost: move.targetRoom.isInRoll ? nil : lost)
            // The name in the other views follows the only name of the file.
            if move.targetRoom == .cameraRoll, node.links == 1, move.newName != move.source.name {
                try setDisplayName(of: node.id, like: move.newName)
            }
        case .pending, .plain:
            let isPlain = move.targetRoom != .cameraRoll || NameClass(of: move.newName) == .plain
            let kind: NodeKind = isPlain ? .plain : .pending
            if kind != node.kind {
                try run("UPDATE node SET kind = ? WHERE id = ?", [.integer(kind.rawValue), .integer(node.id)])
                if isPlain { try run("UPDATE node SET reason = NULL WHERE id = ?", [.integer(node.id)]) }
            }
        case .symbolicLink, .special:
            break
        }
        return gone
    }

    /// Clears the new name of a rename: an asset steps aside, an empty directory or another file goes.
    func displace(
        _ target: DirectoryEntry, from parent: UInt64, for node: NodeRecord
    ) throws(Errno) -> NodeRecord? {
        if target.node.kind == .directory {
            guard node.kind == .directory else { throw .isDirectory }
            guard try isEmptyDirectory(target.node.id) else { throw .notEmpty }
            try removeName(cookie: target.cookie, of: target.node.id, in: parent, isDirectory: true)
            try removeNode(target.node)
            return target.node
        }
        guard node.kind != .directory else { throw .notDirectory }
        if target.node.kind == .asset {
            let free = try freeName(like: target.name, in: parent)
            try moveName(target, from: parent, to: free, in: parent)
            return nil
        }
        let removal = try remove(target, from: parent)
        return removal.isGone ? removal.node : nil
    }

    /// Moves an entry whose bytes, which lie at `file` now, become an asset or a version of the one that has the name.
    func moveEntry(
        _ move: Library.Move, making version: Library.RenamedVersion, file: String, client: String
    ) throws(Errno) -> Library.RenameOutcome {
        var outcome = Library.RenameOutcome()
        let prepared = version.prepared
        let node = move.source.node
        let isRevert = try isRevert(prepared, of: move.target?.node)
        if !isRevert, let twin = try holder(of: prepared, rather: move.target?.node) {
            try doom(file)
            if let target = move.target {
                if target.node.id == twin {
                    // The same bytes over themselves: the name stays, the temporary file goes.
                    try removeName(cookie: target.cookie, of: target.node.id, in: move.newParent)
                } else if let removed = try displace(target, from: move.newParent, for: node) {
                    outcome.gone.append(removed)
                }
            }
            try moveName(move.source, from: move.parent, to: move.newName, in: move.newParent)
            guard let moved = try self.node(node.id) else { throw .ioError }
            try mergeNames(of: moved, into: twin)
            outcome.mergedInto = twin
            return outcome
        }
        outcome.becameAsset = true
        if version.isSamePicture || isRevert, let target = move.target, let asset = target.node.asset {
            outcome.gone.append(target.node)
            try removeName(cookie: target.cookie, of: target.node.id, in: move.newParent)
            try moveName(move.source, from: move.parent, to: move.newName, in: move.newParent)
            try takeOver(target.node, by: node.id)
            try settleAttributes(of: node.id, asset: asset, isKnown: true)
            if isRevert {
                try doom(file)
                try revert(asset: asset, at: node.id, describedBy: prepared)
            } else {
                try addVersion(prepared, file: file, to: asset, at: node.id)
            }
            return outcome
        }
        if let target = move.target, let removed = try displace(target, from: move.newParent, for: node) {
            outcome.gone.append(removed)
        }
        try moveName(move.source, from: move.parent, to: move.newName, in: move.newParent)
        guard let moved = try self.node(node.id) else { throw .ioError }
        if case .backup(let predecessor)? = version.predecessor {
            guard try succeed(predecessor, at: moved, in: move.newParent, prepared, file: file) else { throw .stale }
            outcome.isSuccession = true
            return outcome
        }
        try makeAsset(prepared, file: file, at: moved, client: client)
        return outcome
    }

    /// Takes the rows of an asset away whose only version becomes another asset's.
    ///
    /// - Parameter other: that asset; it is in all that the first one was in.
    func dissolve(_ asset: Int64, of node: UInt64, into other: Int64?) throws(Errno) {
        if let other { try handOver(from: asset, to: other) }
        try run("UPDATE node SET asset = NULL, display_name = NULL WHERE id = ?", [.integer(node)])
        try run("DELETE FROM asset WHERE id = ?", [.integer(asset)])
    }

    /// Whether bytes are the original of an asset that is edited.
    private func isRevert(_ prepared: PreparedFile, of node: NodeRecord?) throws(Errno) -> Bool {
        guard let asset = node?.asset, let original = try original(of: asset) else { return false }
        return original.isEdited && original.digest == prepared.digest
    }

    /// The node of an asset whose current version has these bytes; where there are several, rather that node.
    private func holder(of prepared: PreparedFile, rather node: NodeRecord?) throws(Errno) -> UInt64? {
        if let node, let asset = node.asset, try latestVersion(of: asset)?.digest == prepared.digest { return node.id }
        return try assetHolding(digest: prepared.digest, size: prepared.size)?.node
    }

    /// Hands an asset's other names, its name in views and what clients set on it to the node that replaces its own.
    ///
    /// Whoever has the old node open keeps reading the old bytes, as after any rename over a file.
    func takeOver(_ old: NodeRecord, by node: UInt64) throws(Errno) {
        try run("UPDATE dentry SET node = ? WHERE node = ?", [.integer(node), .integer(old.id)])
        try run("UPDATE node SET links = links + ? WHERE id = ?", [.integer(changedRows), .integer(node)])
        try run(
            """
            INSERT OR IGNORE INTO extended_attribute (node, name, value)
            SELECT ?, name, value FROM extended_attribute WHERE node = ?
            """, [.integer(node), .integer(old.id)])
        // The name is unique and the row is referred to: the old node lets go of both before it goes.
        try run("DELETE FROM node WHERE id = ?", [.integer(old.id)])
        try run(
            "UPDATE node SET display_name = ? WHERE id = ?",
            [old.displayName.map { .text($0.bytes) } ?? .null, .integer(node)])
    }
}
