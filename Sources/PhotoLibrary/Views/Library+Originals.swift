public import Platform
internal import SQLite

/// The bytes that edited assets had before any edit.
extension Library {
    /// The original of an edited asset.
    public struct Original: Sendable {
        /// The asset's node, which shows the edit.
        public var node: NodeRecord
        /// Of the original, in bytes.
        public var size: Int64
        /// Of 512 bytes.
        public var blocks: Int64
        fileprivate var file: String

        fileprivate init(row: Row, from first: Int) {
            size = row.int64(first)
            blocks = row.int64(first + 1)
            file = row.text(first + 2)
            node = NodeRecord(row: row, from: first + 3)
        }
    }

    /// What a directory of originals holds.
    public enum OriginalsEntry: Sendable {
        /// A directory of the camera roll that leads to an edited asset.
        case directory(UInt64)
        case original(Original)
    }

    /// The original of the asset at a node; nil where it is not edited.
    public func original(ofNode id: UInt64) throws(Errno) -> Original? {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                """
                SELECT o.size, o.blocks, o.file, n.* FROM node n JOIN resource o ON o.asset = n.asset AND o.version = 0
                WHERE n.id = ? AND EXISTS (SELECT 1 FROM resource e WHERE e.asset = n.asset AND e.version > 0)
                """, [.integer(id)]
            ) { Original(row: $0, from: 0) }
        }
    }

    public func open(_ original: Original) throws(Errno) -> FileDescriptor {
        do throws(Errno) { return try store.open(original.file) } catch .noEntry { throw .stale }
    }

    /// Whether a directory of the camera roll leads to an edited asset.
    public func leadsToOriginals(_ directory: UInt64) throws(Errno) -> Bool {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                """
                WITH RECURSIVE up (id) AS (
                    SELECT d.parent FROM resource e JOIN node n ON n.asset = e.asset JOIN dentry d ON d.node = n.id
                        WHERE e.version > 0
                    UNION SELECT d.parent FROM up JOIN dentry d ON d.node = up.id
                )
                SELECT 1 FROM up WHERE id = ?
                """, [.integer(directory)]
            ) { _ in true } ?? false
        }
    }

    /// Reads what a directory of the camera roll holds of originals, behind the entry `cookie`, until `body` answers
    /// false.
    public func forEachOriginal(
        in directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, OriginalsEntry) -> Bool
    ) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            try database.forEach(
                """
                WITH RECURSIVE up (id) AS (
                    SELECT d.parent FROM resource e JOIN node n ON n.asset = e.asset JOIN dentry d ON d.node = n.id
                        WHERE e.version > 0
                    UNION SELECT d.parent FROM up JOIN dentry d ON d.node = up.id
                )
                SELECT d.id, d.name, o.size, o.blocks, o.file, n.*
                FROM dentry d JOIN node n ON n.id = d.node
                    LEFT JOIN resource o ON o.asset = n.asset AND o.version = 0
                WHERE d.parent = ? AND d.id > ? AND (n.id IN up
                    OR EXISTS (SELECT 1 FROM resource e WHERE e.asset = n.asset AND e.version > 0))
                ORDER BY d.id
                """, [.integer(directory), .integer(cookie)]
            ) { row in
                let original = Original(row: row, from: 2)
                let entry: OriginalsEntry =
                    original.node.kind == .directory ? .directory(original.node.id) : .original(original)
                return body(row.uint64(0), FileName(trusted: row.bytes(1)), entry)
            }
        }
    }
}
