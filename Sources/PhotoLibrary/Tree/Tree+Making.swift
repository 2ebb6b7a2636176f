internal import Platform
internal import SQLite

/// What a new node starts with.
struct NewNode {
    var kind: NodeKind
    /// Kind (`S_IFMT`) and permission bits.
    var mode: UInt32
    var uid: UInt32
    var gid: UInt32
    var device: UInt64 = 0
    var file: String?
    var target: [UInt8]?
    var client: String?
}

/// Making and removing names. To be used inside a transaction.
extension Database {
    /// Makes a node and its first name.
    ///
    /// - Throws: `EEXIST` where the name is taken, `ENOENT` where the directory is gone.
    func make(_ new: NewNode, named name: FileName, in parent: UInt64) throws(Errno) -> NodeRecord {
        guard let directory = try node(parent) else { throw .noEntry }
        guard directory.kind == .directory else { throw .notDirectory }
        var mode = new.mode
        var gid = new.gid
        // A set-group-ID directory hands its group down, and to directories the bit as well (inode(7)).
        if directory.mode & 0o2000 != 0 {
            gid = directory.gid
            if new.kind == .directory { mode |= 0o2000 }
        }
        let room = new.kind == .directory ? directory.room.room(ofDirectory: name) : directory.room
        let now = Clock.now()
        try run(
            """
            INSERT INTO node (kind, room, mode, uid, gid, links, device, accessed, changed, file, target, client, modified)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(new.kind.rawValue), .integer(room.rawValue), .integer(mode), .integer(new.uid),
                .integer(gid), .integer(new.kind == .directory ? 2 : 0), .integer(new.device), .integer(now),
                .integer(now), .text(new.file), new.target.map { .blob($0) } ?? .null, .text(new.client),
                new.file == nil ? .integer(now) : .null,
            ])
        let id = UInt64(bitPattern: lastInsertedRow)
        try addName(name, of: id, in: parent, isDirectory: new.kind == .directory)
        guard let made = try node(id) else { throw .ioError }
        return made
    }

    /// Adds a name of a node that exists.
    ///
    /// - Throws: `EEXIST` where the name is taken.
    func addName(
        _ name: FileName, of node: UInt64, in parent: UInt64, isDirectory: Bool = false, client: String? = nil
    ) throws(Errno) {
        try run(
            "INSERT INTO dentry (parent, name, node, client) VALUES (?, ?, ?, ?)",
            [.integer(parent), .text(name.bytes), .integer(node), .text(client)])
        let now = Clock.now()
        if isDirectory {
            try run("UPDATE node SET links = links + 1 WHERE id = ?", [.integer(parent)])
        } else {
            try run("UPDATE node SET links = links + 1, changed = ? WHERE id = ?", [.integer(now), .integer(node)])
        }
        try touchDirectory(parent, now)
    }

    /// Takes a name away; the node stays.
    func removeName(cookie: UInt64, of node: UInt64, in parent: UInt64, isDirectory: Bool = false) throws(Errno) {
        try run("DELETE FROM dentry WHERE id = ?", [.integer(cookie)])
        let now = Clock.now()
        if isDirectory {
            try run("UPDATE node SET links = links - 1 WHERE id = ?", [.integer(parent)])
        } else {
            try run("UPDATE node SET links = links - 1, changed = ? WHERE id = ?", [.integer(now), .integer(node)])
        }
        try touchDirectory(parent, now)
    }

    /// A directory's modification time follows its entries.
    func touchDirectory(_ id: UInt64, _ now: Int64) throws(Errno) {
        try run("UPDATE node SET modified = ?1, changed = ?1 WHERE id = ?2", [.integer(now), .integer(id)])
    }

    /// Moves an entry to another name. Within one directory it keeps its cookie, so that a listing under way
    /// shows it once; in another it becomes the newest.
    func moveName(_ entry: DirectoryEntry, from parent: UInt64, to name: FileName, in newParent: UInt64) throws(Errno) {
        let now = Clock.now()
        if parent == newParent {
            try run(
                "UPDATE dentry SET name = ?, chosen = NULL WHERE id = ?", [.text(name.bytes), .integer(entry.cookie)])
            try run("UPDATE node SET changed = ? WHERE id = ?", [.integer(now), .integer(entry.node.id)])
            try touchDirectory(parent, now)
        } else {
            let isDirectory = entry.node.kind == .directory
            try removeName(cookie: entry.cookie, of: entry.node.id, in: parent, isDirectory: isDirectory)
            try addName(name, of: entry.node.id, in: newParent, isDirectory: isDirectory, client: entry.client)
            if isDirectory {
                try run("UPDATE node SET changed = ? WHERE id = ?", [.integer(now), .integer(entry.node.id)])
            }
        }
    }

    /// Removes a node that has no name left, and notes its file for removal.
    func removeNode(_ node: NodeRecord) throws(Errno) {
        if node.asset == nil, let file = node.file { try doom(file) }
        try run("DELETE FROM node WHERE id = ?", [.integer(node.id)])
    }

    /// Notes a file that nothing names any more; it is removed from the disk after the transaction.
    func doom(_ file: String) throws(Errno) {
        try run("INSERT OR IGNORE INTO doomed_file (file) VALUES (?)", [.text(file)])
    }
}
