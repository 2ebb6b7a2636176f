public import Platform
internal import SQLite

/// Reading and changing the tree of names, as the mounted file system asks for it.
extension Library {
    /// The number of the camera roll's directory node.
    public static let cameraRollNode = FixedNode.cameraRoll
    public static let rootNode = FixedNode.root

    public func node(_ id: UInt64) throws(Errno) -> NodeRecord? {
        try catalog.read { (database) throws(Errno) in try database.node(id) }
    }

    public func entry(_ name: FileName, in parent: UInt64) throws(Errno) -> DirectoryEntry? {
        try catalog.read { (database) throws(Errno) in try database.entry(name, in: parent) }
    }

    /// Reads a directory's entries that follow `cookie`, in the order in which they came, until `body` answers false.
    public func forEachEntry(
        of parent: UInt64, after cookie: UInt64, _ body: (DirectoryEntry) -> Bool
    ) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            try database.forEachEntry(of: parent, after: cookie, body)
        }
    }

    /// The directory that a directory lies in.
    public func parent(ofDirectory id: UInt64) throws(Errno) -> UInt64 {
        if id == FixedNode.root { return id }
        return try catalog.read { (database) throws(Errno) in try database.places(of: id).first?.parent }
            ?? FixedNode.root
    }

    /// The path of a name below the root, for messages and logs.
    public func path(of name: FileName, in parent: UInt64) -> String {
        do throws(Errno) {
            let directory = try catalog.read { (database) throws(Errno) in try database.path(ofDirectory: parent) }
            return directory.isEmpty ? name.description : "\(directory)/\(name)"
        } catch { return name.description }
    }

    /// The first path of a node below the root; nil for one that has no name.
    public func path(ofNode id: UInt64) throws(Errno) -> String? {
        try catalog.read { (database) throws(Errno) in
            if id == FixedNode.root { return "" }
            guard let place = try database.places(of: id).first else { return nil }
            let directory = try database.path(ofDirectory: place.parent)
            return directory.isEmpty ? place.name.description : "\(directory)/\(place.name)"
        }
    }

    /// Who owns what is made.
    public struct Owner: Sendable {
        public var uid: UInt32
        public var gid: UInt32
        /// The client whose record allowed it.
        public var client: String
        public init(uid: UInt32, gid: UInt32, client: String) {
            self.uid = uid
            self.gid = gid
            self.client = client
        }
    }

    /// Makes an empty file that is on its way to become an asset, or a plain one where its name or room says so.
    ///
    /// - Parameter mode: permission bits.
    public func makeFile(
        _ name: FileName, in parent: UInt64, mode: UInt32, owner: Owner
    ) throws(Errno) -> (node: NodeRecord, file: FileDescriptor) {
        let (path, file) = try store.makeStagingFile()
        do throws(Errno) {
            let node = try catalog.write { (database) throws(Errno) in
                guard let directory = try database.node(parent) else { throw .noEntry }
                let isPlain = directory.room != .cameraRoll || NameClass(of: name) == .plain
                return try database.make(
                    NewNode(
                        kind: isPlain ? .plain : .pending, mode: 0o100000 | mode & 0o7777, uid: owner.uid,
                        gid: owner.gid, file: path, client: owner.client), named: name, in: parent)
            }
            markPlace(self.path(of: name, in: parent), on: file)
            return (node, file)
        } catch {
            try store.remove(path)
            throw error
        }
    }

    /// Makes a directory, symbolic link, FIFO, socket or device node.
    ///
    /// - Parameters:
    ///   - mode: kind and permission bits.
    ///   - target: of a symbolic link.
    public func makeNode(
        _ name: FileName, in parent: UInt64, mode: UInt32, device: UInt64 = 0, target: [UInt8]? = nil, owner: Owner
    ) throws(Errno) -> NodeRecord {
        let kind: NodeKind =
            switch FileKind(mode: mode) {
            case .directory: .directory
            case .symbolicLink: .symbolicLink
            case .fifo, .socket, .characterDevice, .blockDevice: .special
            case .regular, nil: throw .invalid
            }
        return try catalog.write { (database) throws(Errno) in
            try database.make(
                NewNode(
                    kind: kind, mode: mode, uid: owner.uid, gid: owner.gid, device: device, target: target,
                    client: owner.client), named: name, in: parent)
        }
    }

    public func symbolicLinkTarget(_ id: UInt64) throws(Errno) -> [UInt8] {
        let target = try catalog.read { (database) throws(Errno) in
            try database.first("SELECT target FROM node WHERE id = ? AND kind = 5", [.integer(id)]) { $0.bytes(0) }
        }
        guard let target else { throw .invalid }
        return target
    }

    /// Adds a name to a node. A deleted asset is restored by it.
    public func link(_ id: UInt64, to name: FileName, in parent: UInt64) throws(Errno) -> NodeRecord {
        try catalog.write { (database) throws(Errno) in
            guard let node = try database.node(id) else { throw .stale }
            guard node.kind != .directory else { throw .notPermitted }
            guard let directory = try database.node(parent) else { throw .noEntry }
            guard directory.kind == .directory else { throw .notDirectory }
            try database.addName(name, of: id, in: parent)
            if directory.room.isInRoll { try database.settle(asset: node, lost: nil) }
            guard let linked = try database.node(id) else { throw .ioError }
            return linked
        }
    }

    /// What an unlink did.
    public struct Removal: Sendable {
        /// The node as it was before.
        public var node: NodeRecord
        /// Nothing in the library knows the node any more.
        public var isGone: Bool
    }

    /// Takes a file's name away. An asset that loses its last name goes to Recently Deleted; in a desktop trash it
    /// is deleted for good.
    public func unlink(_ name: FileName, in parent: UInt64) throws(Errno) -> Removal {
        let removal = try writeRemoval { (database) throws(Errno) -> Removal in
            guard let entry = try database.entry(name, in: parent) else { throw .noEntry }
            guard entry.node.kind != .directory else { throw .isDirectory }
            return try database.remove(entry, from: parent)
        }
        if removal.isGone { sweeper.sweep() }
        return removal
    }

    public func removeDirectory(_ name: FileName, in parent: UInt64) throws(Errno) -> Removal {
        try writeRemoval { (database) throws(Errno) in
            guard let entry = try database.entry(name, in: parent) else { throw .noEntry }
            guard entry.node.kind == .directory else { throw .notDirectory }
            guard entry.node.id != FixedNode.cameraRoll else { throw .notPermitted }
            guard try database.isEmptyDirectory(entry.node.id) else { throw .notEmpty }
            try database.removeName(cookie: entry.cookie, of: entry.node.id, in: parent, isDirectory: true)
            try database.removeNode(entry.node)
            return Removal(node: entry.node, isGone: true)
        }
    }

    /// Makes every change of the tree so far last.
    public func synchronize() throws(Errno) {
        if options.isReadOnly { return }
        try catalog.synchronize()
    }

    /// Space of the store's file system.
    public func fileSystem() throws(Errno) -> FileSystemStatus { try store.fileSystem() }

    /// Opens the file that holds a node's bytes.
    public func openFile(of node: NodeRecord, forWriting: Bool) throws(Errno) -> FileDescriptor {
        guard let path = node.file else { throw .invalid }
        do throws(Errno) {
            return try store.open(path, forWriting ? .readWrite : .readOnly)
        } catch .noEntry {
            // It moved since the row was read, or a crash came between the move and its row.
            throw .stale
        }
    }

    /// Whether an open file is the one at a path, not one that was replaced since it was opened.
    public func isVersion(_ file: FileDescriptor, at path: String) throws(Errno) -> Bool {
        guard let there = try store.status(of: path) else { return false }
        let open = try file.status()
        return open.inode == there.inode && open.device == there.device
    }

    /// What the kernel knows of the file that holds a node's bytes.
    public func fileStatus(of node: NodeRecord) throws(Errno) -> FileStatus? {
        guard let path = node.file else { return nil }
        return try store.status(of: path)
    }

    func markPlace(_ path: String, on file: FileDescriptor) {
        do throws(Errno) {
            try file.setAttribute(StagingMark.place, to: Array(path.utf8.prefix(1024)))
        } catch {
            // A store without extended attributes: a file that a power cut cuts off its row comes back without its name.
        }
    }
}

extension Database {
    /// Takes an entry that is no directory away, with all that follows from it.
    func remove(_ entry: DirectoryEntry, from parent: UInt64) throws(Errno) -> Library.Removal {
        let node = entry.node
        try removeName(cookie: entry.cookie, of: node.id, in: parent)
        if node.kind == .asset {
            let room = try self.node(parent)?.room ?? .root
            if room == .trash, node.links <= 1, try isTrashed(node) {
                try purge(node)
                return Library.Removal(node: node, isGone: true)
            }
            try settle(asset: node, lost: (parent, entry.name))
            return Library.Removal(node: node, isGone: false)
        }
        guard node.links <= 1 else { return Library.Removal(node: node, isGone: false) }
        try removeNode(node)
        return Library.Removal(node: node, isGone: true)
    }

    func isTrashed(_ node: NodeRecord) throws(Errno) -> Bool {
        guard let asset = node.asset else { return false }
        return try first("SELECT trashed_at IS NOT NULL FROM asset WHERE id = ?", [.integer(asset)]) { $0.bool(0) }
            ?? false
    }
}
