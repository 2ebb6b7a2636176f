internal import FUSE
internal import PhotoLibrary
internal import Platform

/// The attributes of nodes as `stat(2)` shows them, and how long the kernel may keep them.
struct NodeAttributes: Sendable {
    let library: Library
    let files: OpenFileTable
    let options: RollOptions

    /// How long the kernel may keep names and attributes, in seconds: not at all while some client that can reach the
    /// mount may see less than everything, since the kernel keeps them for all alike.
    var timeout: Double {
        !options.allowsOthers && library.authorization.seesEverything(uid: options.owner)
            ? Double(Authorization.cacheLifetime) / 1e9 : 0
    }

    /// When the mount began: what directories of others show for their times to those who see a part of the library.
    let began = Clock.now()

    /// The attributes of a node, as a client may see them.
    ///
    /// - Parameter inode: shown instead of the node's own, for a file whose names went to another node.
    func attributes(
        of record: NodeRecord, for access: Access, inode: UInt64? = nil
    ) throws(Errno) -> Attributes {
        var result = try attributes(of: record, inode: inode)
        if access.visibility != .everything { try conceal(record, access, &result) }
        return result
    }

    /// Takes out what tells of names and changes that a client does not see.
    private func conceal(_ record: NodeRecord, _ access: Access, _ result: inout Attributes) throws(Errno) {
        // Of a directory 1 stands for a number that nobody knows.
        result.links = min(result.links, 1)
        if record.kind == .asset, access.visibility != .nothing { return try concealOthers(record, access, &result) }
        guard record.kind == .directory, record.client != access.client || access.visibility == .nothing else { return }
        result.changeTime = began
        result.accessTime = began
        result.modificationTime = began
    }

    /// Takes out what was set on an asset that a client knows only by a copy of the same bytes: to the client it is the
    /// file that it wrote. Its group is not kept; the kernel's number for one that it cannot name stands for it.
    private func concealOthers(_ record: NodeRecord, _ access: Access, _ result: inout Attributes) throws(Errno) {
        let tie = try library.tie(of: record, to: access.client)
        guard !tie.isOwn, !tie.isChosen || access.visibility != .limited, let client = Client(access.client) else {
            return
        }
        result.mode = 0o100644
        result.uid = client.uid
        result.gid = 65534
        result.changeTime = began
        result.accessTime = began
        result.modificationTime = began
    }

    private func attributes(of record: NodeRecord, inode: UInt64?) throws(Errno) -> Attributes {
        var result = Attributes(inode: inode ?? record.id, mode: record.mode)
        result.links = max(record.links, record.kind == .asset ? 1 : 0)
        result.uid = record.uid
        result.gid = record.gid
        result.device = record.device
        result.changeTime = record.changed
        result.accessTime = record.accessed ?? record.changed
        result.modificationTime = record.modified ?? record.captured ?? record.changed
        switch record.kind {
        case .directory:
            result.size = 4096
            result.blocks = 8
        case .symbolicLink:
            result.size = Int64(try library.symbolicLinkTarget(record.id).count)
        case .special:
            break
        case .asset, .pending, .plain:
            try addContents(of: record, to: &result)
        }
        return result
    }

    private func addContents(of record: NodeRecord, to result: inout Attributes) throws(Errno) {
        let staged = files.node(result.inode)?.staged
        if record.kind == .asset, staged == nil {
            result.size = record.size
            result.blocks = record.blocks
            return
        }
        let status: FileStatus?
        if let staged { status = try staged.status() } else { status = try library.fileStatus(of: record) }
        guard let status else { throw .stale }
        result.size = status.size
        result.blocks = status.blocks
        if record.modified == nil { result.modificationTime = status.modificationTime }
        result.changeTime = max(record.changed, status.changeTime)
    }

    /// A name's answer to a look-up.
    func entry(of record: NodeRecord, for access: Access, isView: Bool = false) throws(Errno) -> Entry {
        let isStill: Bool =
            switch record.kind {
            case .pending, .plain: false
            case .asset: files.node(record.id) == nil
            case .directory, .symbolicLink, .special: true
            }
        let timeout = isStill ? self.timeout : 0
        // Of an asset with several names every path walk asks anew: the name that is opened must be known.
        let isShared = record.kind == .asset && record.links > 1
        return Entry(
            try attributes(of: record, for: access), attributeTimeout: timeout,
            entryTimeout: isView || isShared ? 0 : timeout)
    }

    /// The attributes of an inode that is not of a view.
    func attributes(ofInode inode: UInt64, for access: Access) throws(Errno) -> TimedAttributes {
        if let open = files.node(inode) {
            let (orphan, merged) = open.state.withLock { ($0.orphan, $0.merged) }
            if let orphan {
                var attributes = try attributes(of: orphan, for: access)
                attributes.links = 0
                return TimedAttributes(attributes, timeout: 0)
            }
            if let merged, let record = try library.node(merged.target) {
                return TimedAttributes(try attributes(of: record, for: access, inode: inode), timeout: 0)
            }
        }
        if let orphan = files.orphanedDirectory(inode) {
            return TimedAttributes(try attributes(of: orphan, for: access), timeout: 0)
        }
        guard let record = try library.node(inode) else { throw .stale }
        let entry = try entry(of: record, for: access)
        return TimedAttributes(entry.attributes, timeout: entry.attributeTimeout)
    }
}
