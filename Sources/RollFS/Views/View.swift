internal import PhotoLibrary
internal import Platform

/// What a name in a view leads to.
enum ViewItem: Sendable {
    /// A directory of the same view.
    case directory(UInt64)
    case node(NodeRecord)
    /// Bytes of the view's own about an asset, to be read only.
    case file(ViewFile)
}

/// A file that is in a view alone.
struct ViewFile: Sendable {
    /// Its number in the view: that of the asset's node, for what belongs to an asset.
    var number: UInt64
    /// The asset's; nil for what belongs to none, and is for everyone.
    var node: NodeRecord?
    /// Bytes.
    var size: Int64
    /// Of 512 bytes.
    var blocks: Int64
    /// The size is a guess: its bytes are made when it is opened, and only then is it known.
    var isSizeEstimated = false
}

/// A tree of names beside the camera roll, made of queries.
///
/// Its directories are numbered by the view itself, 0 being its top; the number says all that the view needs to know,
/// so that nothing is kept in memory for a directory. What a view does not define it refuses with `EPERM`.
protocol View: Sendable {
    /// The name at the root of the mount.
    var name: String { get }

    /// Its names stand for something that an asset is in, so that moving a name away takes the asset out.
    var isMembership: Bool { get }

    /// The directory that a directory lies in; nil for the top.
    func parent(of directory: UInt64) throws(Errno) -> UInt64?

    /// Throws `ENOENT` where the view has no such directory now.
    func check(_ directory: UInt64) throws(Errno)

    /// Whether a directory holds something of the part of the library that a client sees.
    func leads(_ directory: UInt64, to part: VisiblePart) -> Bool

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem?

    /// The names that an asset's file has in a directory.
    func names(of node: NodeRecord, in directory: UInt64) throws(Errno) -> [FileName]

    /// Reads the entries that follow `cookie` (0: from the start) until `body` answers false. Cookies are keys.
    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno)

    /// The file of that number, nil where there is none now.
    func file(_ number: UInt64) throws(Errno) -> ViewFile?

    /// Opens a file of the view for reading.
    ///
    /// - Parameter isInterrupted: whether a signal wants the waiting program back; for what takes long.
    /// - Throws: `EINTR` where it was interrupted.
    func open(_ file: ViewFile, isInterrupted: () -> Bool) throws(Errno) -> FileDescriptor

    /// What removing a name does.
    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval

    /// What giving an asset from elsewhere a name in the view does.
    func receive(
        _ node: NodeRecord, as name: FileName, into directory: UInt64, mayReplace: Bool
    ) throws(Errno) -> ViewRemoval

    /// What renaming an asset within the view does.
    func move(
        _ name: FileName, of node: NodeRecord, from directory: UInt64, to newName: FileName, in newDirectory: UInt64,
        mayReplace: Bool
    ) throws(Errno) -> ViewRemoval

    /// Where a file goes that is made in a directory.
    func placement(in directory: UInt64) throws(Errno) -> Placement

    /// Makes a directory and answers its number.
    func makeDirectory(_ name: FileName, in directory: UInt64, client: String) throws(Errno) -> UInt64

    /// Removes an empty directory.
    func removeDirectory(_ name: FileName, from directory: UInt64) throws(Errno)

    func moveDirectory(
        _ name: FileName, from directory: UInt64, to newName: FileName, in newDirectory: UInt64, mayReplace: Bool
    ) throws(Errno)

    /// What a directory keeps of its own; nil where it has all from the camera roll.
    func ownAttributes(of directory: UInt64) throws(Errno) -> ViewDirectoryAttributes?

    /// Sets what a directory keeps of its own.
    func update(_ directory: UInt64, _ update: Library.AttributeUpdate) throws(Errno)
}

/// What a view's directory has of its own, nil where the camera roll's holds.
struct ViewDirectoryAttributes: Sendable {
    /// Permission bits.
    var mode: UInt32?
    var uid: UInt32?
    var gid: UInt32?
    /// When what it lists was last changed, or what a client set; nanoseconds since 1970 UTC.
    var modified: Int64
}

/// What a change through a view did to the camera roll.
struct ViewRemoval: Sendable {
    /// Names that are gone from the camera roll.
    var names: [(parent: UInt64, name: FileName)] = []
    /// The node is gone for good.
    var isGone = false
}

extension View {
    var isMembership: Bool { false }

    func parent(of directory: UInt64) throws(Errno) -> UInt64? { nil }

    func check(_ directory: UInt64) throws(Errno) { if directory != 0 { throw .noEntry } }

    func leads(_ directory: UInt64, to part: VisiblePart) -> Bool { directory == 0 }

    /// The name that it has in the library's views.
    func names(of node: NodeRecord, in directory: UInt64) throws(Errno) -> [FileName] {
        guard let name = node.displayName, case .node(let found)? = try lookup(name, in: directory), found.id == node.id
        else { return [] }
        return [name]
    }

    func file(_ number: UInt64) throws(Errno) -> ViewFile? { nil }

    func open(_ file: ViewFile, isInterrupted: () -> Bool) throws(Errno) -> FileDescriptor { throw .stale }

    func receive(
        _ node: NodeRecord, as name: FileName, into directory: UInt64, mayReplace: Bool
    ) throws(Errno) -> ViewRemoval { throw .notPermitted }

    /// Into another directory: what it means to come there, and to leave this one.
    func move(
        _ name: FileName, of node: NodeRecord, from directory: UInt64, to newName: FileName, in newDirectory: UInt64,
        mayReplace: Bool
    ) throws(Errno) -> ViewRemoval {
        guard directory != newDirectory else { throw .notPermitted }
        let removal = try receive(node, as: newName, into: newDirectory, mayReplace: mayReplace)
        if isMembership { _ = try remove(name, of: node, from: directory) }
        return removal
    }

    func placement(in directory: UInt64) throws(Errno) -> Placement { throw .notPermitted }

    func makeDirectory(_ name: FileName, in directory: UInt64, client: String) throws(Errno) -> UInt64 {
        throw .notPermitted
    }

    func removeDirectory(_ name: FileName, from directory: UInt64) throws(Errno) { throw .notPermitted }

    func moveDirectory(
        _ name: FileName, from directory: UInt64, to newName: FileName, in newDirectory: UInt64, mayReplace: Bool
    ) throws(Errno) { throw .notPermitted }

    func ownAttributes(of directory: UInt64) throws(Errno) -> ViewDirectoryAttributes? { nil }

    func update(_ directory: UInt64, _ update: Library.AttributeUpdate) throws(Errno) { throw .notPermitted }
}

/// Inode numbers of views: the view in the top eight bits (1 to 127), then a bit for files, and below the number of
/// the directory or file in the view.
///
/// Numbers of nodes stay below 2^55, so the two never meet.
struct ViewInode: Sendable, Hashable {
    var view: UInt8
    /// Its number in the view: a directory's, or a file's.
    var directory: UInt64
    var isFile = false

    private static let fileBit: UInt64 = 1 << 55

    var number: UInt64 { UInt64(view) << 56 | directory | (isFile ? Self.fileBit : 0) }

    init(view: UInt8, directory: UInt64) {
        self.view = view
        self.directory = directory
    }

    init(view: UInt8, file: UInt64) {
        self.view = view
        directory = file
        isFile = true
    }

    /// Nil for the number of a node.
    init?(_ number: UInt64) {
        let view = UInt8(number >> 56)
        guard view != 0 else { return nil }
        self.init(view: view, directory: number & (Self.fileBit - 1))
        isFile = number & Self.fileBit != 0
    }
}
