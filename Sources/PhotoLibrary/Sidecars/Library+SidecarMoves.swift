public import Platform
internal import SQLite

/// Sidecars follow renames of their asset, a moment later.
///
/// Whoever moves a selection renames the picture and then the sidecar, each by its old name, and fails where that is gone.
/// So the sidecar is left alone until nothing was renamed out of its directory for a while. Where somebody moved it by
/// then, or another picture has taken the asset's place beside it, it stays as it is.
extension Library {
    /// How long nothing may be renamed out of a directory before sidecars in it follow, in nanoseconds.
    public static let sidecarPatience: Int64 = 2_000_000_000

    /// When the next sidecar follows its asset; nil where none is to.
    public func nextSidecarMove() throws(Errno) -> Int64? {
        try catalog.read { (database) throws(Errno) in
            try database.first("SELECT min(due) FROM sidecar_move") { $0.optionalInt64(0) }.flatMap { $0 }
        }
    }

    /// A sidecar that went after its asset.
    public struct SidecarMove: Sendable {
        public var parent: UInt64
        public var name: FileName
        public var newParent: UInt64
        public var node: UInt64
    }

    /// Lets the sidecars follow their assets that are due.
    public func moveSidecars(due now: Int64) throws(Errno) -> [SidecarMove] {
        try catalog.write { (database) throws(Errno) in
            let waiting = try database.waitingSidecars(due: now)
            var moves: [SidecarMove] = []
            for move in waiting {
                try database.run("DELETE FROM sidecar_move WHERE entry = ?", [.integer(move.entry)])
                if let done = try database.carryOut(move) { moves.append(done) }
            }
            return moves
        }
    }
}

/// A sidecar that is to follow its asset.
private struct WaitingSidecar {
    var entry: UInt64
    var parent: UInt64
    var name: FileName
    var node: UInt64
    var assetNode: UInt64
    var picture: FileName
    var newParent: UInt64
    var newPicture: FileName
    var rival: UInt64?
}

extension Database {
    /// Notes after a rename which sidecars are to follow, and takes up what lies beside the new name.
    func noteForSidecars(_ move: Library.Move, by client: String) throws(Errno) {
        guard try hasSidecars() else { return }
        let due = Clock.now() &+ Library.sidecarPatience
        try run("UPDATE sidecar_move SET due = ? WHERE parent = ?", [.integer(due), .integer(move.parent)])
        let node = move.source.node
        guard node.kind == .asset, move.targetRoom == .cameraRoll else { return }
        if move.sourceRoom == .cameraRoll {
            // It moves on while sidecars wait.
            try run(
                """
                UPDATE sidecar_move SET new_parent = ?, new_picture = ?, due = ?
                WHERE asset_node = ? AND new_parent = ? AND new_picture = ?
                """,
                [
                    .integer(move.newParent), .text(move.newName.bytes), .integer(due), .integer(node.id),
                    .integer(move.parent), .text(move.source.name.bytes),
                ])
            try noteFollowers(of: move, due: due, client)
        }
        try attachSidecars(to: node.id, by: client)
    }

    private func noteFollowers(of move: Library.Move, due: Int64, _ client: String) throws(Errno) {
        let id = move.source.node.id
        let isSticky = try node(move.parent).map { $0.mode & 0o1000 != 0 } ?? false
        for sidecar in try sidecars(besides: move.source.name, in: move.parent) {
            guard try asset(of: sidecar.name, in: move.parent, and: move.source)?.node.id == id,
                try sees(sidecar.entry, client),
                // In such a directory only a file's owner renames it (inode(7)).
                !isSticky || sidecar.entry.node.uid == move.source.node.uid
            else { continue }
            let rival = try asset(of: sidecar.name, in: move.parent)
            // The same picture under another name that goes with the sidecar as well.
            if rival?.node.id == id { continue }
            try run(
                """
                INSERT OR IGNORE INTO sidecar_move
                    (entry, parent, name, node, asset_node, picture, new_parent, new_picture, rival, due)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .integer(sidecar.entry.cookie), .integer(move.parent), .text(sidecar.name.name.bytes),
                    .integer(sidecar.entry.node.id), .integer(id), .text(move.source.name.bytes),
                    .integer(move.newParent), .text(move.newName.bytes),
                    rival.map { .integer($0.node.id) } ?? .null, .integer(due),
                ])
        }
    }

    fileprivate func waitingSidecars(due now: Int64) throws(Errno) -> [WaitingSidecar] {
        try all(
            """
            SELECT entry, parent, name, node, asset_node, picture, new_parent, new_picture, rival FROM sidecar_move
            WHERE due <= ? LIMIT 256
            """, [.integer(now)]
        ) {
            WaitingSidecar(
                entry: $0.uint64(0), parent: $0.uint64(1), name: FileName(trusted: $0.bytes(2)), node: $0.uint64(3),
                assetNode: $0.uint64(4), picture: FileName(trusted: $0.bytes(5)), newParent: $0.uint64(6),
                newPicture: FileName(trusted: $0.bytes(7)), rival: $0.optionalInt64(8).map { UInt64(bitPattern: $0) })
        }
    }

    /// - Returns: nil where the sidecar stays: it or its asset has another place by now, another picture took the asset's
    ///   place beside it, or the name is taken.
    fileprivate func carryOut(_ move: WaitingSidecar) throws(Errno) -> Library.SidecarMove? {
        guard let entry = try entry(move.name, in: move.parent), entry.cookie == move.entry,
            entry.node.id == move.node, entry.node.kind == .plain, let sidecar = SidecarName(move.name),
            try self.entry(move.newPicture, in: move.newParent)?.node.id == move.assetNode,
            try node(move.newParent)?.room == .cameraRoll,
            try stays(sidecar, move) == false, let name = sidecar.following(move.picture, to: move.newPicture),
            move.newParent != move.parent || name != move.name,
            try self.entry(name, in: move.newParent) == nil
        else { return nil }
        try moveName(entry, from: move.parent, to: name, in: move.newParent)
        return Library.SidecarMove(
            parent: move.parent, name: move.name, newParent: move.newParent, node: move.node)
    }

    /// Whether a picture has come beside the sidecar since. One that was there and comes after the asset that went, as the
    /// movie of a Live Photo does, does not keep it.
    private func stays(_ sidecar: SidecarName, _ move: WaitingSidecar) throws(Errno) -> Bool {
        guard let neighbour = try asset(of: sidecar, in: move.parent) else { return false }
        return neighbour.node.id != move.rival
    }
}
