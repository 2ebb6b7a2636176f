public import FUSE
internal import PhotoLibrary
public import Platform

extension RollFileSystem {
    /// Cookies: 1 and 2 are `.` and `..`; then come the keys of the entries, moved up by 16; at the root the views
    /// follow behind all names.
    private enum Cookie {
        static let this: UInt64 = 1
        static let parent: UInt64 = 2
        static let shift: UInt64 = 16
        static let views: UInt64 = 1 << 62

        /// The key after which entries are read on.
        static func key(of cookie: UInt64) -> UInt64 { cookie > shift ? cookie - shift : 0 }
    }

    public func openDirectory(_ inode: UInt64, for caller: Caller) throws(Errno) -> UInt64 {
        if let view = ViewInode(inode) {
            _ = try gate.askedAccess(of: caller, "opendir", "a view")
            try views.view(of: view).check(view.directory)
            letCompanionsFollow(nil)
            return 0
        }
        guard let node = try library.node(inode) ?? files.orphanedDirectory(inode) else { throw .stale }
        guard node.kind == .directory else { throw .notDirectory }
        let access =
            inode == Library.rootNode
            ? gate.access(of: caller) : try gate.askedAccess(of: caller, "opendir", pathForLog(inode))
        try gate.require(access, sees: node)
        files.openDirectory(inode)
        return 0
    }

    public func releaseDirectory(_ inode: UInt64, handle: UInt64) {
        if ViewInode(inode) == nil { files.releaseDirectory(inode) }
    }

    public func syncDirectory(_ inode: UInt64, handle: UInt64, dataOnly: Bool) throws(Errno) {
        try library.synchronize()
    }

    public func readDirectory(
        _ inode: UInt64, handle: UInt64, after cookie: UInt64, into page: inout DirectoryPage, for caller: Caller
    ) throws(Errno) {
        let access = gate.access(of: caller)
        if let view = ViewInode(inode) { return try readView(view, cookie, &page, access) }
        guard try library.node(inode) != nil else { throw .noEntry }
        if cookie < Cookie.this, !page.add(.this, inode: inode, cookie: Cookie.this) { return }
        if cookie < Cookie.parent,
            !page.add(.parent, inode: try library.parent(ofDirectory: inode), cookie: Cookie.parent)
        {
            return
        }
        if cookie < Cookie.views {
            guard try readNames(inode, cookie, &page, access) else { return }
        }
        guard inode == Library.rootNode else { return }
        for (index, top) in views.tops.enumerated() {
            let next = Cookie.views + UInt64(index) + 1
            if next > cookie, !add(directoryEntry(of: top.inode, access), top.name, next, &page) { return }
        }
    }

    /// - Returns: false where the page is full.
    private func readNames(
        _ inode: UInt64, _ cookie: UInt64, _ page: inout DirectoryPage, _ access: Access
    ) throws(Errno) -> Bool {
        // A page of names is taken first: what each needs besides is not read in the middle of the query.
        var key = Cookie.key(of: cookie)
        while true {
            var batch: [DirectoryEntry] = []
            try library.forEachEntry(of: inode, after: key) {
                batch.append($0)
                return batch.count < 128
            }
            guard let last = batch.last else { return true }
            for found in batch where try gate.admits(access, to: found) {
                let name = gate.name(of: found, access)
                guard try add(found.node, name, found.cookie + Cookie.shift, &page, access) else { return false }
            }
            key = last.cookie
        }
    }

    private func readView(
        _ inode: ViewInode, _ cookie: UInt64, _ page: inout DirectoryPage, _ access: Access
    ) throws(Errno) {
        let view = try views.view(of: inode)
        if cookie < Cookie.this, !page.add(.this, inode: inode.number, cookie: Cookie.this) { return }
        if cookie < Cookie.parent {
            let parent = try view.parent(of: inode.directory).map { ViewInode(view: inode.view, directory: $0).number }
            if !page.add(.parent, inode: parent ?? Library.rootNode, cookie: Cookie.parent) { return }
        }
        if access.visibility == .nothing { return }
        var key = Cookie.key(of: cookie)
        while true {
            var batch: [(cookie: UInt64, name: FileName, item: ViewItem)] = []
            try view.list(inode.directory, after: key) { cookie, name, item in
                batch.append((cookie, name, item))
                return batch.count < 128
            }
            guard let last = batch.last else { return }
            for found in batch {
                let next = found.cookie + Cookie.shift
                switch found.item {
                case .directory(let directory):
                    guard try gate.admits(access, to: directory, of: view) else { continue }
                    let entry = directoryEntry(of: ViewInode(view: inode.view, directory: directory), access)
                    guard add(entry, found.name, next, &page) else { return }
                case .node(let node):
                    guard try gate.mayChange(access, node) else { continue }
                    guard let name = try gate.viewName(found.name, of: node, access) else { continue }
                    guard try add(node, name, next, &page, access, isView: true) else { return }
                case .file(let file):
                    if let node = file.node, try !gate.mayChange(access, node) { continue }
                    guard add(fileEntry(of: file, in: inode), found.name, next, &page) else { return }
                }
            }
            key = last.cookie
        }
    }

    private func add(
        _ node: NodeRecord, _ name: FileName, _ cookie: UInt64, _ page: inout DirectoryPage, _ access: Access,
        isView: Bool = false
    ) throws(Errno) -> Bool {
        guard page.wantsAttributes else { return page.add(name, inode: node.id, mode: node.mode, cookie: cookie) }
        let entry: Entry
        do throws(Errno) {
            entry = try nodes.entry(of: node, for: access, isView: isView)
        } catch {
            // It went while the page was made; its name alone is still right, and a look-up says the rest.
            return page.add(name, inode: node.id, mode: node.mode, cookie: cookie)
        }
        return add(entry, name, cookie, &page)
    }

    private func add(_ entry: Entry, _ name: FileName, _ cookie: UInt64, _ page: inout DirectoryPage) -> Bool {
        guard page.wantsAttributes else {
            return page.add(name, inode: entry.attributes.inode, mode: entry.attributes.mode, cookie: cookie)
        }
        return page.add(name, entry: entry, cookie: cookie)
    }
}
