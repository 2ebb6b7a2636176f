public import Platform
internal import SQLite

/// Recently Deleted.
extension Library {
    /// How long a deleted asset can be restored, in nanoseconds: 30 days, as on a phone.
    public static let trashLifetime: Int64 = 30 * 86_400 * 1_000_000_000

    /// A deleted asset.
    public struct TrashedAsset: Sendable {
        public var node: NodeRecord
        public var identifier: String
        public var name: FileName
        /// Where it was, below the root; nil where that is not known.
        public var origin: String?
        /// Nanoseconds since 1970 UTC.
        public var deleted: Int64
    }

    /// Reads deleted assets whose node follows `node`, until `body` answers false.
    public func forEachTrashed(after node: UInt64, _ body: (NodeRecord) -> Bool) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            try database.forEach(
                """
                SELECT n.* FROM node n JOIN asset a ON a.id = n.asset
                WHERE n.id > ? AND a.trashed_at IS NOT NULL ORDER BY n.id
                """, [.integer(node)]
            ) { body(NodeRecord(row: $0)) }
        }
    }

    /// The deleted asset with that name in Recently Deleted.
    public func trashed(named name: FileName) throws(Errno) -> NodeRecord? {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                """
                SELECT n.* FROM node n JOIN asset a ON a.id = n.asset
                WHERE n.display_name = ? AND a.trashed_at IS NOT NULL
                """, [.text(name.bytes)]
            ) { NodeRecord(row: $0) }
        }
    }

    /// All deleted assets, last deleted first.
    public func trash() throws(Errno) -> [TrashedAsset] {
        try catalog.read { (database) throws(Errno) in
            try database.all(
                """
                SELECT a.identifier, a.trashed_at,
                    (SELECT directory || '/' || name FROM trashed_name t WHERE t.node = n.id LIMIT 1), n.*
                FROM asset a JOIN node n ON n.asset = a.id WHERE a.trashed_at IS NOT NULL ORDER BY a.trashed_at DESC
                """
            ) { row in
                let node = NodeRecord(row: row, from: 3)
                return TrashedAsset(
                    node: node, identifier: row.text(0), name: node.displayName ?? FileName(trusted: []),
                    origin: row.optionalText(2), deleted: row.int64(1))
            }
        }
    }

    /// Deletes an asset: all its names go, and it is in Recently Deleted.
    ///
    /// - Returns: the names that it had.
    public func moveToTrash(_ id: UInt64) throws(Errno) -> [(parent: UInt64, name: FileName)] {
        try writeRemoval { (database) throws(Errno) in
            guard let node = try database.node(id), node.kind == .asset else { throw .noEntry }
            let places = try database.places(of: id)
            for place in places {
                try database.rememberPlace(
                    of: id, directory: database.path(ofDirectory: place.parent), name: place.name)
                try database.removeName(cookie: place.cookie, of: id, in: place.parent)
            }
            try database.settle(asset: node, lost: nil)
            return places.map { (parent: $0.parent, name: $0.name) }
        }
    }

    /// Brings a deleted asset back under a name of the caller's choice.
    ///
    /// What has the name is treated as by a rename: an asset steps aside, another file goes, a directory is `EISDIR`.
    public func restore(
        _ id: UInt64, as name: FileName, in parent: UInt64, mayReplace: Bool
    ) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            guard let node = try database.node(id), node.kind == .asset else { throw .noEntry }
            guard let directory = try database.node(parent), directory.kind == .directory else { throw .noEntry }
            guard directory.room.isInRoll else { throw .notPermitted }
            if let target = try database.entry(name, in: parent) {
                guard mayReplace else { throw .exists }
                _ = try database.displace(target, from: parent, for: node)
            }
            try database.restore(node, as: name, in: parent)
        }
        sweeper.sweep()
    }

    /// Brings a deleted asset back where it was, under the same names where they are free.
    ///
    /// - Returns: its paths now.
    public func restore(_ id: UInt64) throws(Errno) -> [String] {
        try catalog.write { (database) throws(Errno) in
            guard let node = try database.node(id), node.kind == .asset else { throw .noEntry }
            var origins = try database.all(
                "SELECT directory, name FROM trashed_name WHERE node = ?", [.integer(id)]
            ) { (directory: $0.text(0), name: FileName(trusted: $0.bytes(1))) }
            if origins.isEmpty, let name = node.displayName { origins = [(directory: "DCIM", name: name)] }
            var paths: [String] = []
            for origin in origins {
                var directory = origin.directory
                let parent: UInt64
                do throws(Errno) {
                    parent = try database.makeDirectories(directory)
                } catch .notDirectory {
                    // A file has the directory's name now.
                    directory = "DCIM"
                    parent = FixedNode.cameraRoll
                }
                var name = origin.name
                if try database.entry(name, in: parent) != nil { name = try database.freeName(like: name, in: parent) }
                try database.restore(node, as: name, in: parent)
                paths.append("\(directory)/\(name)")
            }
            try database.attachSidecars(to: id, by: "")
            return paths
        }
    }

    /// Deletes a deleted asset for good.
    public func purge(_ id: UInt64) throws(Errno) {
        try writeRemoval { (database) throws(Errno) in
            guard let node = try database.node(id), node.kind == .asset else { throw .noEntry }
            // It may have come back since the caller looked.
            guard try database.isTrashed(node) else { throw .noEntry }
            try database.purge(node)
        }
        sweeper.sweep()
    }

    /// Deletes for good what was deleted before `deadline`.
    ///
    /// - Returns: how many assets went.
    public func purgeTrash(deletedBefore deadline: Int64) throws(Errno) -> Int {
        var count = 0
        while true {
            // Looked up in the transaction itself: what comes back meanwhile is not deleted.
            let purged = try writeRemoval { (database) throws(Errno) in
                let nodes = try database.all(
                    """
                    SELECT n.* FROM asset a JOIN node n ON n.asset = a.id
                    WHERE a.trashed_at IS NOT NULL AND a.trashed_at < ? LIMIT 128
                    """, [.integer(deadline)]
                ) { NodeRecord(row: $0) }
                for node in nodes { try database.purge(node) }
                return nodes.count
            }
            if purged == 0 { return count }
            count += purged
            sweeper.sweep()
        }
    }
}

extension Database {
    func restore(_ node: NodeRecord, as name: FileName, in parent: UInt64) throws(Errno) {
        // The desktop trash's name of it goes: it is not in the trash any more.
        for place in try places(of: node.id) where place.room == .trash {
            try removeName(cookie: place.cookie, of: node.id, in: place.parent)
        }
        try addName(name, of: node.id, in: parent)
        try settle(asset: node, lost: nil)
    }

    /// The directory at `path` below the root, its missing parts made anew.
    fileprivate func makeDirectories(_ path: String) throws(Errno) -> UInt64 {
        var current = FixedNode.root
        for part in PathName.components(of: path) {
            let name = try FileName(part)
            if let entry = try entry(name, in: current) {
                guard entry.node.kind == .directory else { throw .notDirectory }
                current = entry.node.id
            } else {
                guard let parent = try node(current), current != FixedNode.root else { throw .noEntry }
                current = try make(
                    NewNode(kind: .directory, mode: 0o040755, uid: parent.uid, gid: parent.gid), named: name,
                    in: current
                ).id
            }
        }
        return current
    }
}
