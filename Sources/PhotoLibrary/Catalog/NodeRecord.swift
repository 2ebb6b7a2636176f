public import Platform
internal import SQLite

/// What a node of the tree is.
public enum NodeKind: Int, Sendable {
    case directory = 1
    /// A file whose bytes are an asset's current version.
    case asset = 2
    /// A file that is no asset yet: being written, incomplete, refused, or under a temporary name.
    case pending = 3
    /// A file that tools drop beside photos; never an asset.
    case plain = 4
    case symbolicLink = 5
    /// FIFO, socket or device node.
    case special = 6
}

/// What a directory's tree is for.
public enum Room: Int, Sendable {
    case root = 0
    /// The camera roll.
    case cameraRoll = 1
    /// A desktop trash at the root, `.Trash-UID`.
    case trash = 2
    /// A directory in the camera roll that a tool keeps its own files in, such as `@eaDir`: none becomes an asset.
    case companion = 3

    /// A name here is a name in the camera roll.
    var isInRoll: Bool { self == .cameraRoll || self == .companion }

    /// What the tree of a directory of that name is for, in a directory of this room.
    func room(ofDirectory name: FileName) -> Room {
        switch self {
        // The root holds the camera roll and desktop trashes, nothing else.
        case .root, .trash: .trash
        case .companion: .companion
        case .cameraRoll: NameClass(of: name) == .plain ? .companion : .cameraRoll
        }
    }
}

/// A node of the tree as the catalogue holds it.
public struct NodeRecord: Sendable {
    public var id: UInt64
    public var kind: NodeKind
    public var room: Room
    /// Kind (`S_IFMT`) and permission bits.
    public var mode: UInt32
    public var uid: UInt32
    public var gid: UInt32
    public var links: UInt32
    /// Bytes; of assets only. Other files tell their own size.
    public var size: Int64
    public var blocks: Int64
    public var device: UInt64
    public var accessed: Int64?
    /// As a client set it.
    public var modified: Int64?
    public var changed: Int64
    public var captured: Int64?
    /// Relative to the library.
    public var file: String?
    public var asset: Int64?
    public var displayName: FileName?
    public var reason: String?
    public var client: String?

    /// Reads the columns of `node` in the table's own order (`n.*`).
    init(row: Row, from first: Int = 0) {
        id = row.uint64(first)
        kind = NodeKind(rawValue: row.int(first + 1)) ?? .special
        room = Room(rawValue: row.int(first + 2)) ?? .root
        mode = row.uint32(first + 3)
        uid = row.uint32(first + 4)
        gid = row.uint32(first + 5)
        links = row.uint32(first + 6)
        size = row.int64(first + 7)
        blocks = row.int64(first + 8)
        device = row.uint64(first + 9)
        accessed = row.optionalInt64(first + 10)
        modified = row.optionalInt64(first + 11)
        changed = row.int64(first + 12)
        captured = row.optionalInt64(first + 13)
        file = row.optionalText(first + 14)
        asset = row.optionalInt64(first + 16)
        displayName = row.optionalBytes(first + 17).map { FileName(trusted: $0) }
        reason = row.optionalText(first + 18)
        client = row.optionalText(first + 19)
    }
}

/// A name in a directory.
public struct DirectoryEntry: Sendable {
    /// Its key in listings: entries keep it while they are renamed within the directory.
    public var cookie: UInt64
    public var name: FileName
    public var node: NodeRecord
    /// Who made the name, where that is not who made the node.
    public var client: String?
    /// The name that its maker chose, where that was taken by one that the maker may not see.
    public var chosen: FileName?

    /// Reads a dentry's `id, name, client, chosen` and the node's columns (`n.*`) behind them.
    init(row: Row) {
        cookie = row.uint64(0)
        name = FileName(trusted: row.bytes(1))
        client = row.optionalText(2)
        chosen = row.optionalBytes(3).map { FileName(trusted: $0) }
        node = NodeRecord(row: row, from: 4)
    }
}
