public import Media
public import Platform
internal import SQLite

/// What a thumbnail is made of: the current version of an asset, as a node shows it.
public struct ThumbnailSource: Sendable {
    public var node: NodeRecord
    public var kind: MediaKind
    /// EXIF orientation, 1...8.
    public var orientation: Int
    /// Size of the stored picture in pixels; 0 where the file does not say.
    public var width: Int
    public var height: Int
    /// SHA-256 of the version: equal bytes have one thumbnail, an edit has another.
    public var digest: [UInt8]

    /// Reads `r.digest, r.kind, a.orientation, a.width, a.height` and the node's columns (`n.*`) behind them.
    init(row: Row, from first: Int = 0) {
        digest = row.bytes(first)
        kind = MediaKind(rawValue: row.text(first + 1)) ?? .jpeg
        orientation = row.int(first + 2)
        width = row.int(first + 3)
        height = row.int(first + 4)
        node = NodeRecord(row: row, from: first + 5)
    }
}

/// What a directory of thumbnails holds.
public enum ThumbnailsEntry: Sendable {
    /// A directory of the camera roll.
    case directory(UInt64)
    case thumbnail(ThumbnailSource)
}

extension Library {
    /// What the thumbnail of a node is made of; nil where the node is no asset.
    public func thumbnailSource(ofNode id: UInt64) throws(Errno) -> ThumbnailSource? {
        try catalog.read { (database) throws(Errno) in try database.thumbnailSource(ofNode: id) }
    }

    /// What a name in the thumbnails of a directory of the camera roll leads to.
    public func thumbnailsEntry(_ name: FileName, in directory: UInt64) throws(Errno) -> ThumbnailsEntry? {
        try catalog.read { (database) throws(Errno) -> ThumbnailsEntry? in
            if let found = try database.entry(name, in: directory) {
                if found.node.kind == .directory {
                    return found.node.room == .cameraRoll ? .directory(found.node.id) : nil
                }
                guard ThumbnailName.isJPEG(name.bytes) else { return nil }
                return try database.thumbnailSource(ofNode: found.node.id).map { .thumbnail($0) }
            }
            if let base = ThumbnailName.base(of: name), let found = try database.entry(base, in: directory) {
                return try database.thumbnailSource(ofNode: found.node.id).map { .thumbnail($0) }
            }
            guard let node = ThumbnailName.node(of: name) else { return nil }
            for place in try database.places(of: node) where place.parent == directory {
                if ThumbnailName.isJPEG(place.name.bytes) { continue }
                var isFree = false
                if let regular = ThumbnailName.regular(place.name) {
                    isFree = try database.entry(regular, in: directory) == nil
                }
                if !isFree { return try database.thumbnailSource(ofNode: node).map { .thumbnail($0) } }
            }
            return nil
        }
    }

    /// Reads what a directory of the camera roll holds of thumbnails, behind the entry `cookie`, until `body` answers
    /// false.
    public func forEachThumbnail(
        in directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ThumbnailsEntry) -> Bool
    ) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            try database.forEach(
                """
                SELECT d.id, d.name, EXISTS (SELECT 1 FROM dentry o WHERE o.parent = d.parent AND o.name = d.name || '.jpg'),
                    r.digest, r.kind, a.orientation, a.width, a.height, n.*
                FROM dentry d JOIN node n ON n.id = d.node LEFT JOIN resource r ON r.asset = n.asset AND r.file = n.file
                    LEFT JOIN asset a ON a.id = n.asset
                WHERE d.parent = ?1 AND d.id > ?2 AND (n.kind = 1 AND n.room = 1 OR r.id IS NOT NULL)
                ORDER BY d.id
                """, [.integer(directory), .integer(cookie)]
            ) { row in
                let name = FileName(trusted: row.bytes(1))
                let node = NodeRecord(row: row, from: 8)
                if node.kind == .directory { return body(row.uint64(0), name, .directory(node.id)) }
                let shown = ThumbnailName.name(of: name, node: node.id, isTaken: row.bool(2))
                return body(row.uint64(0), shown, .thumbnail(ThumbnailSource(row: row, from: 3)))
            }
        }
    }
}

extension Database {
    fileprivate func thumbnailSource(ofNode id: UInt64) throws(Errno) -> ThumbnailSource? {
        try first(
            """
            SELECT r.digest, r.kind, a.orientation, a.width, a.height, n.* FROM node n
                JOIN resource r ON r.asset = n.asset AND r.file = n.file JOIN asset a ON a.id = n.asset
            WHERE n.id = ?
            """, [.integer(id)]
        ) { ThumbnailSource(row: $0) }
    }
}
