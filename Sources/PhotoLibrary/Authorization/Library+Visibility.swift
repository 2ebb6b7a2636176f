public import Platform
internal import SQLite

/// What belongs to a client: what it added, and what was chosen for it.
extension Library {
    /// What a node is to a client, whatever its names.
    public struct Tie: Sendable, Hashable {
        /// The client made it. Who saves an edit over an asset makes a node, but the asset stays whose it was.
        public var isOwn = false
        /// It was chosen for the client.
        public var isChosen = false
        /// Somebody else copied the same bytes, and relies on them.
        public var isShared = false
    }

    /// Counts this process's changes of the catalogue.
    public var changeCount: UInt64 { catalog.changeCount }

    public func tie(of node: NodeRecord, to client: String) throws(Errno) -> Tie {
        guard let asset = node.asset else { return Tie(isOwn: node.client == client) }
        return try catalog.read { (database) throws(Errno) in
            try database.first(
                """
                SELECT client = ?2,
                    EXISTS (SELECT 1 FROM authorization_selection WHERE asset = ?1 AND client = ?2),
                    EXISTS (SELECT 1 FROM dentry WHERE node = ?3 AND client <> ?2)
                FROM asset WHERE id = ?1
                """, [.integer(asset), .text(client), .integer(node.id)]
            ) { Tie(isOwn: $0.bool(0), isChosen: $0.bool(1), isShared: $0.bool(2)) } ?? Tie()
        }
    }

    /// Whether a client made one of the names of a node that it did not make.
    public func hasName(of node: UInt64, by client: String) throws(Errno) -> Bool {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                "SELECT 1 FROM dentry WHERE node = ? AND client = ? LIMIT 1", [.integer(node), .text(client)]
            ) { _ in true } ?? false
        }
    }

    /// The directories that lead to a client's part of the library.
    public func directories(leadingTo client: String) throws(Errno) -> Set<UInt64> {
        let found = try catalog.read { (database) throws(Errno) in
            try database.all(
                """
                WITH RECURSIVE up (id) AS (
                    SELECT d.parent FROM authorization_selection s JOIN node n ON n.asset = s.asset
                        JOIN dentry d ON d.node = n.id WHERE s.client = ?1
                    UNION SELECT d.parent FROM asset a JOIN node n ON n.asset = a.id JOIN dentry d ON d.node = n.id
                        WHERE a.client = ?1 AND d.client IS NULL
                    UNION SELECT d.parent FROM node n JOIN dentry d ON d.node = n.id
                        WHERE n.client = ?1 AND n.asset IS NULL
                    UNION SELECT d.parent FROM dentry d WHERE d.client = ?1
                    UNION SELECT d.parent FROM up JOIN dentry d ON d.node = up.id
                )
                SELECT id FROM up
                """, [.text(client)]
            ) { $0.uint64(0) }
        }
        return Set(found)
    }

    /// The directories above a node, by the names that a client made.
    ///
    /// - Parameter orUnnamed: and by those of which nothing says that somebody else made them than the node's maker.
    public func directories(
        above node: UInt64, namedBy client: String, orUnnamed: Bool
    ) throws(Errno) -> [UInt64] {
        try catalog.read { (database) throws(Errno) in
            try database.all(
                """
                WITH RECURSIVE up (id) AS (
                    SELECT parent FROM dentry WHERE node = ?1 AND (client = ?2 OR client IS NULL AND ?3)
                    UNION SELECT d.parent FROM up JOIN dentry d ON d.node = up.id
                )
                SELECT id FROM up
                """, [.integer(node), .text(client), .integer(orUnnamed ? 1 : 0)]
            ) { $0.uint64(0) }
        }
    }

    /// The capture days (yyyymmdd) of a client's part of the library.
    public func days(of client: String) throws(Errno) -> Set<Int> {
        let found = try catalog.read { (database) throws(Errno) in
            try database.all(
                """
                SELECT a.day FROM authorization_selection s JOIN asset a ON a.id = s.asset
                    WHERE s.client = ?1 AND a.trashed_at IS NULL
                UNION SELECT day FROM asset WHERE client = ?1 AND trashed_at IS NULL
                """, [.text(client)]
            ) { $0.int(0) }
        }
        return Set(found)
    }

    /// The albums that hold something of a client's part of the library or that it made, and those around them.
    public func albums(leadingTo client: String) throws(Errno) -> [UInt64] {
        try catalog.read { (database) throws(Errno) in
            try database.all(
                """
                WITH RECURSIVE part (asset) AS (
                    SELECT asset FROM authorization_selection WHERE client = ?1
                    UNION SELECT id FROM asset WHERE client = ?1
                    UNION SELECT n.asset FROM dentry d JOIN node n ON n.id = d.node
                        WHERE d.client = ?1 AND n.asset IS NOT NULL
                ), up (id) AS (
                    SELECT e.album FROM part p JOIN album_entry e ON e.asset = p.asset
                    UNION SELECT id FROM album WHERE client = ?1
                    UNION SELECT a.parent FROM up JOIN album a ON a.id = up.id
                )
                SELECT id FROM up
                """, [.text(client)]
            ) { $0.uint64(0) }
        }
    }

    /// The albums that an asset is in, and those around them.
    public func albums(around asset: Int64) throws(Errno) -> [UInt64] {
        try catalog.read { (database) throws(Errno) in
            try database.all(
                """
                WITH RECURSIVE up (id) AS (
                    SELECT album FROM album_entry WHERE asset = ?
                    UNION SELECT a.parent FROM up JOIN album a ON a.id = up.id
                )
                SELECT id FROM up
                """, [.integer(asset)]
            ) { $0.uint64(0) }
        }
    }

    /// The keywords of a client's part of the library.
    public func keywords(of client: String) throws(Errno) -> [UInt64] {
        try catalog.read { (database) throws(Errno) in
            try database.all(
                """
                SELECT k.keyword FROM authorization_selection s JOIN asset_keyword k ON k.asset = s.asset
                    WHERE s.client = ?1
                UNION SELECT k.keyword FROM asset a JOIN asset_keyword k ON k.asset = a.id WHERE a.client = ?1
                """, [.text(client)]
            ) { $0.uint64(0) }
        }
    }

    public func keywordNumbers(of asset: Int64) throws(Errno) -> [UInt64] {
        try catalog.read { (database) throws(Errno) in
            try database.all("SELECT keyword FROM asset_keyword WHERE asset = ?", [.integer(asset)]) { $0.uint64(0) }
        }
    }

    /// The assets of a client's part of the library, each with a name that it has for the client: in the camera roll, or
    /// where it was deleted from. In the order in which they came.
    public func names(
        in client: String, withChosen: Bool
    ) throws(Errno) -> [(node: UInt64, name: FileName)] {
        let rows = try catalog.read { (database) throws(Errno) in
            try database.all(
                """
                SELECT n.id, coalesce(CASE WHEN d.client = ?1 THEN d.chosen END, d.name,
                    (SELECT t.name FROM trashed_name t WHERE t.node = n.id LIMIT 1), n.display_name)
                FROM (SELECT id FROM asset WHERE client = ?1 UNION
                    SELECT asset FROM authorization_selection WHERE client = ?1 AND ?2) part
                JOIN node n ON n.asset = part.id LEFT JOIN dentry d ON d.node = n.id
                ORDER BY n.id, d.client IS NOT ?1 AND d.client IS NOT NULL, d.id
                """, [.text(client), .integer(withChosen ? 1 : 0)]
            ) { (node: $0.uint64(0), name: FileName(trusted: $0.bytes(1))) }
        }
        var last: UInt64?
        return rows.filter { row in
            defer { last = row.node }
            return row.node != last
        }
    }

    /// The capture day of an asset that is not deleted.
    public func day(of asset: Int64) throws(Errno) -> Int? {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                "SELECT day FROM asset WHERE id = ? AND trashed_at IS NULL", [.integer(asset)]
            ) { $0.int(0) }
        }
    }

    /// A name like `name` that a directory does not have.
    public func freeName(like name: FileName, in parent: UInt64) throws(Errno) -> FileName {
        try catalog.read { (database) throws(Errno) in try database.freeName(like: name, in: parent) }
    }

    /// The entry for which a client chose a name that was taken by one that it may not see.
    public func entry(
        chosenAs name: FileName, by client: String, in parent: UInt64
    ) throws(Errno) -> DirectoryEntry? {
        try catalog.read { (database) throws(Errno) in
            try database.entry(chosenAs: name, by: client, in: parent)
        }
    }

    /// Notes which name a client chose for what got another, since that one was taken by something it may not see.
    public func noteChoice(
        of chosen: FileName, by client: String, for name: FileName, in parent: UInt64
    ) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            try database.run(
                "UPDATE dentry SET chosen = ?, client = ? WHERE parent = ? AND name = ?",
                [.text(chosen.bytes), .text(client), .integer(parent), .text(name.bytes)])
        }
    }
}
