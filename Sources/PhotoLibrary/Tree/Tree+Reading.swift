internal import Platform
internal import SQLite

/// The nodes that every library has.
enum FixedNode {
    static let root: UInt64 = 1
    static let cameraRoll: UInt64 = 2
}

/// Reading the tree of names; each function is a keyed look-up.
extension Database {
    func node(_ id: UInt64) throws(Errno) -> NodeRecord? {
        try first("SELECT n.* FROM node n WHERE n.id = ?", [.integer(id)]) { NodeRecord(row: $0) }
    }

    /// The node of a name, nil where the directory has none of that name.
    func entry(_ name: FileName, in parent: UInt64) throws(Errno) -> DirectoryEntry? {
        try first(
            """
            SELECT d.id, d.name, d.client, d.chosen, n.* FROM dentry d JOIN node n ON n.id = d.node
            WHERE d.parent = ? AND d.name = ?
            """, [.integer(parent), .text(name.bytes)]
        ) { DirectoryEntry(row: $0) }
    }

    /// The entry for which a client chose a name that was taken by one that it may not see.
    func entry(chosenAs name: FileName, by client: String, in parent: UInt64) throws(Errno) -> DirectoryEntry? {
        try first(
            """
            SELECT d.id, d.name, d.client, d.chosen, n.* FROM dentry d JOIN node n ON n.id = d.node
            WHERE d.parent = ? AND d.chosen = ? AND d.client = ?
            """, [.integer(parent), .text(name.bytes), .text(client)]
        ) { DirectoryEntry(row: $0) }
    }

    /// Reads a directory's entries that follow `cookie`, in the order in which they came, until `body` answers false.
    func forEachEntry(of parent: UInt64, after cookie: UInt64, _ body: (DirectoryEntry) -> Bool) throws(Errno) {
        try forEach(
            """
            SELECT d.id, d.name, d.client, d.chosen, n.* FROM dentry d JOIN node n ON n.id = d.node
            WHERE d.parent = ? AND d.id > ? ORDER BY d.id
            """, [.integer(parent), .integer(cookie)]
        ) { body(DirectoryEntry(row: $0)) }
    }

    func isEmptyDirectory(_ id: UInt64) throws(Errno) -> Bool {
        try first("SELECT 1 FROM dentry WHERE parent = ? LIMIT 1", [.integer(id)]) { _ in true } == nil
    }

    /// One place of a node: a directory and the name in it.
    struct Place {
        var cookie: UInt64
        var parent: UInt64
        var name: FileName
        var room: Room
    }

    /// The places of a node, oldest first.
    func places(of node: UInt64) throws(Errno) -> [Place] {
        try all(
            """
            SELECT d.id, d.parent, d.name, p.room FROM dentry d JOIN node p ON p.id = d.parent
            WHERE d.node = ? ORDER BY d.id
            """, [.integer(node)]
        ) {
            Place(
                cookie: $0.uint64(0), parent: $0.uint64(1), name: FileName(trusted: $0.bytes(2)),
                room: Room(rawValue: $0.int(3)) ?? .root)
        }
    }

    /// The path of a directory below the root, such as "DCIM/100APPLE"; empty for the root itself.
    func path(ofDirectory id: UInt64) throws(Errno) -> String {
        var parts: [String] = []
        var current = id
        // Deeper than PATH_MAX allows anyone to name, so a loop in a damaged catalogue ends too.
        for _ in 0..<4096 where current != FixedNode.root {
            guard let place = try places(of: current).first else { break }
            parts.append(place.name.description)
            current = place.parent
        }
        return parts.reversed().joined(separator: "/")
    }

    /// The node that `path` (relative to the root, as `path(ofDirectory:)` gives it) names now.
    func node(atPath path: some StringProtocol) throws(Errno) -> NodeRecord? {
        var current = FixedNode.root
        for part in PathName.components(of: path) {
            guard let entry = try entry(FileName(part), in: current) else { return nil }
            current = entry.node.id
        }
        return try node(current)
    }

    /// The first name built from `name` that the directory does not have: `IMG_0001~1.JPG`, `IMG_0001~2.JPG`, …
    func freeName(like name: FileName, in parent: UInt64) throws(Errno) -> FileName {
        for number in 1...10_000 {
            let candidate = name.inserting("~\(number)")
            if try entry(candidate, in: parent) == nil { return candidate }
        }
        return name.inserting("~\(Store.identifier())")
    }
}
