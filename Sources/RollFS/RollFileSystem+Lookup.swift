public import FUSE
internal import PhotoLibrary
public import Platform

extension RollFileSystem {
    public func lookup(_ name: FileName, in parent: UInt64, for caller: Caller) throws(Errno) -> Entry {
        if parent == Library.rootNode { return try lookupTop(name, caller) }
        let access = gate.access(of: caller)
        if let inode = ViewInode(parent) {
            try gate.requireSight(access, "lookup", name.description)
            letCompanionsFollow(caller.pid)
            let item = try viewItem(name, in: inode, access)
            if case .node(let node) = item, try views.view(of: inode).isMembership {
                lastLookups.note(LastLookups.ViewName(directory: inode, name: name), of: node.id, for: caller)
            }
            return try entry(of: item, in: inode, access)
        }
        // The kernel looks a name up before it makes a file of it; of whoever may be asked about that no name is there.
        if gate.mayAskToAdd(access, caller) { throw .noEntry }
        try gate.requireSight(access, "lookup", library.path(of: name, in: parent))
        guard let found = try gate.entry(name, in: parent, access) else { throw .noEntry }
        noteLookup(of: found, in: parent, caller)
        return try nodes.entry(of: found.node, for: access)
    }

    /// What lies at the root. Every path leads through here before the kernel locks a directory, so here the user is
    /// asked about a client without a record.
    private func lookupTop(_ name: FileName, _ caller: Caller) throws(Errno) -> Entry {
        if let top = views.inode(named: name) {
            return directoryEntry(of: top, try gate.askedAccess(atRootFor: caller, name))
        }
        guard let found = try library.entry(name, in: Library.rootNode) else { throw .noEntry }
        let access = try gate.askedAccess(atRootFor: caller, name)
        guard try gate.admits(access, to: found) else { throw .noEntry }
        return try nodes.entry(of: found.node, for: access)
    }

    private func noteLookup(of found: DirectoryEntry, in parent: UInt64, _ caller: Caller) {
        guard found.node.kind == .asset, found.node.links > 1 else {
            return lastLookups.clear(found.node.id, for: caller)
        }
        lastLookups.note(WrittenName(parent: parent, name: found.name), of: found.node.id, for: caller)
    }

    /// What a name in a view leads to, for a client that may see it.
    func viewItem(_ name: FileName, in inode: ViewInode, _ access: Access) throws(Errno) -> ViewItem {
        let own = try gate.viewsOwnName(for: name, access)
        var found = try views.view(of: inode).lookup(own, in: inode.directory)
        if found == nil { found = try sidecar(own, in: inode) }
        guard let item = found else { throw .noEntry }
        if case .node(let node) = item, access.visibility == .limited || access.visibility == .ownRecent {
            guard try gate.viewName(own, of: node, access) == name else { throw .noEntry }
        }
        switch item {
        case .directory(let directory):
            guard try gate.admits(access, to: directory, of: views.view(of: inode)) else { throw .noEntry }
        case .node(let node): try gate.require(access, findsInView: node)
        case .file(let file): if let node = file.node { try gate.require(access, findsInView: node) }
        }
        return item
    }

    private func entry(of item: ViewItem, in inode: ViewInode, _ access: Access) throws(Errno) -> Entry {
        switch item {
        case .directory(let directory): directoryEntry(of: ViewInode(view: inode.view, directory: directory), access)
        case .node(let node): try nodes.entry(of: node, for: access, isView: true)
        case .file(let file): fileEntry(of: file, in: inode)
        }
    }

    func fileEntry(of file: ViewFile, in inode: ViewInode) -> Entry {
        Entry(
            attributes(of: file, ViewInode(view: inode.view, file: file.number)), attributeTimeout: 0, entryTimeout: 0)
    }

    /// A view's files can be read by those who may read the asset, and by nobody be written.
    private func attributes(of file: ViewFile, _ inode: ViewInode) -> Attributes {
        var attributes = Attributes(inode: inode.number, mode: 0o100000 | (file.node?.mode ?? 0o444) & 0o444)
        attributes.links = 1
        attributes.uid = file.node?.uid ?? options.owner
        attributes.gid = file.node?.gid ?? 0
        attributes.size = file.size
        attributes.blocks = file.blocks
        let time = file.node?.changed ?? nodes.began
        attributes.modificationTime = file.node?.captured ?? time
        attributes.changeTime = time
        attributes.accessTime = time
        return attributes
    }

    public func attributes(
        of inode: UInt64, handle: UInt64?, for caller: Caller
    ) throws(Errno) -> TimedAttributes {
        let access = gate.access(of: caller)
        if let view = ViewInode(inode) {
            let shown = try views.view(of: view)
            if view.isFile {
                guard let file = try shown.file(view.directory) else { throw .stale }
                if handle == nil, let node = file.node { try gate.require(access, sees: node) }
                return TimedAttributes(attributes(of: file, view), timeout: 0)
            }
            try shown.check(view.directory)
            if view.directory != 0 {
                guard try gate.admits(access, to: view.directory, of: shown) else {
                    throw access.visibility == .nothing ? access.refusal : .noEntry
                }
            }
            return TimedAttributes(viewAttributes(of: view, access), timeout: 0)
        }
        settle(inode)
        // A descriptor that is open shows its file whatever the records say since; fstat(2) comes without a handle. Of a
        // path the names were looked up first.
        if handle == nil, access.visibility != .everything, files.node(inode) == nil,
            let node = try library.node(inode)
        {
            try gate.require(access, sees: node)
        }
        return try nodes.attributes(ofInode: inode, for: access)
    }

    public func readLink(_ inode: UInt64, for caller: Caller) throws(Errno) -> [UInt8] {
        guard ViewInode(inode) == nil else { throw .invalid }
        let access = gate.access(of: caller)
        if access.visibility != .everything {
            guard let node = try library.node(inode) else { throw .stale }
            try gate.require(access, sees: node)
        }
        return try library.symbolicLinkTarget(inode)
    }

    /// Waits a moment for the release that follows a close which refused an asset's new bytes: until then the name
    /// shows what was refused.
    func settle(_ inode: UInt64) {
        for _ in 0..<50 {
            guard let open = files.node(inode) else { return }
            let isSettling = open.state.withLock { state in
                state.draft != nil && state.failure != nil && !state.isDirty && state.writers == 1 && state.handles == 1
            }
            guard isSettling else { return }
            Clock.sleep(1_000_000)
        }
    }

    /// Tells the kernel that attributes are other than it believes.
    func dropAttributes(of inodes: [UInt64]) {
        guard let notifier, !inodes.isEmpty else { return }
        for inode in inodes { notifier.dropAttributes(of: inode) }
    }
}
