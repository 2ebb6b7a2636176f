public import FUSE
internal import PhotoLibrary
public import Platform

extension RollFileSystem {
    public func makeNode(
        _ name: FileName, in parent: UInt64, mode: UInt32, device: UInt64, for caller: Caller
    ) throws(Errno) -> Entry {
        let owner = try requireAdding(name, in: parent, "mknod", caller)
        if FileKind(mode: mode) == .regular {
            let (node, _) = try makeFile(name, in: parent, mode: mode, owner.owner, owner.access)
            gate.noteAddition(node.id, by: owner.access)
            return try nodes.entry(of: node, for: owner.access)
        }
        return try add(name, in: parent, owner.access) { (name) throws(Errno) in
            try library.makeNode(name, in: parent, mode: mode, device: device, owner: owner.owner)
        }
    }

    public func makeDirectory(
        _ name: FileName, in parent: UInt64, mode: UInt32, for caller: Caller
    ) throws(Errno) -> Entry {
        if let view = ViewInode(parent) { return try makeDirectory(name, in: view, caller) }
        if parent == Library.rootNode { try requireTrashName(name, caller) }
        let owner = try requireAdding(name, in: parent, "mkdir", caller, atRoot: true)
        return try add(name, in: parent, owner.access) { (name) throws(Errno) in
            try library.makeNode(name, in: parent, mode: 0o040000 | mode & 0o7777, owner: owner.owner)
        }
    }

    public func makeSymbolicLink(
        _ name: FileName, in parent: UInt64, target: [UInt8], for caller: Caller
    ) throws(Errno) -> Entry {
        let owner = try requireAdding(name, in: parent, "symlink", caller)
        return try add(name, in: parent, owner.access) { (name) throws(Errno) in
            try library.makeNode(name, in: parent, mode: 0o120777, target: target, owner: owner.owner)
        }
    }

    /// Makes something under the name that a client chose, or under one like it where it may not see what has that name.
    private func add(
        _ name: FileName, in parent: UInt64, _ access: Access, _ make: (FileName) throws(Errno) -> NodeRecord
    ) throws(Errno) -> Entry {
        let kept = try gate.newName(name, in: parent, access)
        let node = try make(kept)
        try gate.noteChoice(of: name, for: kept, in: parent, access)
        gate.noteAddition(node.id, by: access)
        return try nodes.entry(of: node, for: access)
    }

    /// The root takes desktop trashes and nothing else (the freedesktop trash specification, "$topdir/.Trash-$uid").
    private func requireTrashName(_ name: FileName, _ caller: Caller) throws(Errno) {
        let prefix = Array(".Trash-".utf8)
        guard name.bytes.starts(with: prefix), name.bytes.count > prefix.count,
            name.bytes.dropFirst(prefix.count).allSatisfy({ (0x30...0x39).contains($0) })
        else { throw .notPermitted }
        try gate.requireEverything(gate.access(of: caller), "mkdir", name.description)
    }

    /// Lets a client make something in a directory of the camera roll or a desktop trash.
    func requireAdding(
        _ name: FileName, in parent: UInt64, _ operation: StaticString, _ caller: Caller, atRoot: Bool = false
    ) throws(Errno) -> (owner: Library.Owner, access: Access) {
        let access = gate.access(of: caller)
        try gate.requireAdding(access, caller, operation, library.path(of: name, in: parent))
        guard ViewInode(parent) == nil, atRoot || parent != Library.rootNode else { throw .notPermitted }
        return (owner(caller, access), access)
    }

    func owner(_ caller: Caller, _ access: Access) -> Library.Owner {
        Library.Owner(uid: caller.uid, gid: caller.gid, client: access.client)
    }

    public func unlink(_ name: FileName, in parent: UInt64, for caller: Caller) throws(Errno) {
        let access = gate.access(of: caller)
        if let view = ViewInode(parent) {
            try gate.requireSight(access, "unlink", name.description)
            switch try viewItem(name, in: view, access) {
            case .directory: throw .isDirectory
            case .file: throw .notPermitted
            case .node(let node): return try unlink(name, of: node, from: view, access)
            }
        }
        let entry = try reachedEntry(name, in: parent, access, "unlink")
        let mayChange = try gate.mayChange(access, entry.node)
        let removal = try library.unlink(entry.name, in: parent)
        if removal.isGone { files.orphan(removal.node) }
        if entry.node.kind == .asset, mayChange {
            library.noteRemoval(
                of: entry.node.id, from: WrittenName(parent: parent, name: name), thread: caller.pid)
        }
    }

    /// Drops what the kernel keeps of names that a change through a view took away.
    func note(_ removal: ViewRemoval, of node: NodeRecord) {
        if removal.isGone { files.orphan(node) }
        guard let notifier else { return }
        notifier.dropAttributes(of: node.id)
        // Long enough for the kernel to do it, short enough that a stuck directory does not hold up the program.
        for name in removal.names { notifier.dropEntry(name.name, in: name.parent, waiting: 200_000_000) }
    }

    public func removeDirectory(_ name: FileName, in parent: UInt64, for caller: Caller) throws(Errno) {
        let access = gate.access(of: caller)
        if let view = ViewInode(parent) {
            try gate.requireEverything(access, "rmdir", name.description)
            return try views.view(of: view).removeDirectory(name, from: view.directory)
        }
        if parent == Library.rootNode, views.inode(named: name) != nil { throw .notPermitted }
        let entry = try reachedEntry(name, in: parent, access, "rmdir")
        let removal = try library.removeDirectory(entry.name, in: parent)
        files.orphan(removal.node)
    }

    /// What a name is to a client that may change it.
    func reachedEntry(
        _ name: FileName, in parent: UInt64, _ access: Access, _ operation: StaticString
    ) throws(Errno) -> DirectoryEntry {
        try gate.requireSight(access, operation, library.path(of: name, in: parent))
        guard let entry = try gate.entry(name, in: parent, access) else { throw .noEntry }
        try gate.require(access, reaches: entry, operation, library.path(of: name, in: parent))
        return entry
    }

    public func link(
        _ inode: UInt64, to newName: FileName, in newParent: UInt64, for caller: Caller
    ) throws(Errno) -> Entry {
        guard ViewInode(inode) == nil else { throw .notPermitted }
        if let view = ViewInode(newParent) { return try link(inode, to: newName, in: view, caller) }
        let (_, access) = try requireAdding(newName, in: newParent, "link", caller)
        guard let node = try library.node(inode) else {
            // A file that was removed while it is open has no name to add to (linkat(2)).
            throw files.node(inode) == nil ? .stale : .noEntry
        }
        try gate.require(access, reaches: node, "link", library.path(of: newName, in: newParent))
        let kept = try gate.newName(newName, in: newParent, access)
        let linked = try library.link(inode, to: kept, in: newParent)
        try gate.noteChoice(of: newName, for: kept, in: newParent, access)
        if linked.kind == .pending, NameClass(of: kept) == .ordinary {
            try commitNamed(linked, kept, newParent, access)
        }
        takeUpSidecars(of: linked.id, named: kept, access)
        gate.namesChanged()
        return try nodes.entry(of: try library.entry(kept, in: newParent)?.node ?? linked, for: access)
    }

    /// A temporary file that gets a second name that is not temporary becomes an asset, as with a rename.
    private func commitNamed(
        _ node: NodeRecord, _ name: FileName, _ parent: UInt64, _ access: Access
    ) throws(Errno) {
        let open = try files.acquire(node.id, forWriting: false)
        defer { files.release(open, forWriting: false) }
        if open.state.withLock({ $0.writers > 0 }) { return }
        if let failure = commitUnopened(open, client: access.client, operation: "link") {
            _ = try library.unlink(name, in: parent)
            throw failure.errno
        }
    }
}
