internal import PhotoLibrary
internal import Platform

/// What a name in a view leads to.
enum ViewItem: Sendable {
    /// A directory of the same view.
    case directory(UInt64)
    case node(NodeRecord)
}

/// A tree of names beside the camera roll, made of queries.
///
/// Its directories are numbered by the view itself, 0 being its top; the number says all that the view needs to know,
/// so that nothing is kept in memory for a directory.
protocol View: Sendable {
    /// The name at the root of the mount.
    var name: String { get }

    /// The directory that a directory lies in; nil for the top.
    func parent(of directory: UInt64) -> UInt64?

    /// Throws `ENOENT` where the view has no such directory now.
    func check(_ directory: UInt64) throws(Errno)

    /// Whether a directory holds something of the part of the library that a client sees.
    func leads(_ directory: UInt64, to part: VisiblePart) -> Bool

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem?

    /// Reads the entries that follow `cookie` (0: from the start) until `body` answers false. Cookies are keys.
    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno)

    /// What removing a name does.
    func remove(_ node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval

    /// What renaming an asset from elsewhere into the view does.
    func receive(_ node: NodeRecord, into directory: UInt64) throws(Errno) -> ViewRemoval
}

/// What a change through a view did to the camera roll.
struct ViewRemoval: Sendable {
    /// Names that are gone from the camera roll.
    var names: [(parent: UInt64, name: FileName)] = []
    /// The node is gone for good.
    var isGone = false
}

extension View {
    func leads(_ directory: UInt64, to part: VisiblePart) -> Bool { directory == 0 }

    func receive(_ node: NodeRecord, into directory: UInt64) throws(Errno) -> ViewRemoval { throw .notPermitted }
}

/// Inode numbers of views' directories: the view in the top eight bits (1 to 127), its own number below.
///
/// Numbers of nodes stay below 2^56, so the two never meet.
struct ViewInode: Sendable, Hashable {
    var view: UInt8
    var directory: UInt64

    var number: UInt64 { UInt64(view) << 56 | directory }

    init(view: UInt8, directory: UInt64) {
        self.view = view
        self.directory = directory
    }

    /// Nil for the number of a node.
    init?(_ number: UInt64) {
        let view = UInt8(number >> 56)
        guard view != 0 else { return nil }
        self.init(view: view, directory: number & (1 << 56 - 1))
    }
}
