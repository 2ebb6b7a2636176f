public import FUSE
internal import PhotoLibrary
public import Platform

extension RollFileSystem {
    public func setAttributes(
        of inode: UInt64, to change: AttributeChange, handle: UInt64?, for caller: Caller
    ) throws(Errno) -> TimedAttributes {
        let access = gate.access(of: caller)
        if let view = ViewInode(inode) {
            guard change.size == nil else { throw .notPermitted }
            return try setAttributes(of: view, to: Self.update(from: change) ?? Library.AttributeUpdate(), for: access)
        }
        // ftruncate(2): what was opened for writing stays so, whatever the records say since.
        var isOpen = false
        if change.size != nil, let handle { isOpen = try files.handle(handle).canWrite }
        let node = try isOpen ? library.node(inode) : reach(inode, access, "setattr")
        if let size = change.size {
            guard size >= 0 else { throw .invalid }
            // The bytes that are left may be an asset already, to which the name went: there is nothing more to set here.
            if let target = try truncate(inode, to: size, handle: handle, access) {
                guard let record = try library.node(target) else { throw .stale }
                return TimedAttributes(try nodes.attributes(of: record, for: access, inode: inode), timeout: 0)
            }
        }
        let update = Self.update(from: change)
        if let update {
            if let open = files.node(inode), open.state.withLock({ $0.orphan != nil }) {
                Self.apply(update, to: open)
            } else if let node, try !isMergedElsewhere(inode, node, access) {
                _ = try library.update(node.id, update)
                if update.modified != nil { files.node(node.id)?.state.withLock { $0.hasClientTime = true } }
            }
        }
        return try nodes.attributes(ofInode: inode, for: access)
    }

    /// The node that an inode stands for, for a client that may change it; nil for a file that has no row any more.
    private func reach(_ inode: UInt64, _ access: Access, _ operation: StaticString) throws(Errno) -> NodeRecord? {
        if let merged = files.node(inode)?.state.withLock({ $0.merged?.target }) {
            return try library.node(merged)
        }
        guard let node = try library.node(inode) else {
            if files.node(inode) == nil, files.orphanedDirectory(inode) == nil { throw .stale }
            return nil
        }
        try gate.require(access, reaches: node, operation, operation.description)
        return node
    }

    /// Whether a file's bytes went to somebody else's asset when it was closed: what its writer sets on it then, as the
    /// last step of a copy, is not set there.
    private func isMergedElsewhere(_ inode: UInt64, _ target: NodeRecord, _ access: Access) throws(Errno) -> Bool {
        guard files.node(inode)?.state.withLock({ $0.merged != nil }) == true else { return false }
        return try !gate.mayChange(access, target)
    }

    /// - Returns: the node to which the file's names went, where the bytes that are left are another asset's.
    private func truncate(
        _ inode: UInt64, to size: Int64, handle: UInt64?, _ access: Access
    ) throws(Errno) -> UInt64? {
        if let handle {
            guard try files.handle(handle).canWrite else { throw .invalid }
            try files.writingHandle(handle).node.write(to: library, startsEmpty: size == 0) {
                (file) throws(Errno) in
                try file.truncate(to: size)
            }
            return nil
        }
        // By path: as opening, truncating and closing.
        let open = try files.acquire(inode, forWriting: true)
        do throws(Errno) {
            if try open.file.status().size != size {
                try open.write(to: library, startsEmpty: size == 0) { (file) throws(Errno) in
                    try file.truncate(to: size)
                }
            }
        } catch {
            files.release(open, forWriting: true)
            throw error
        }
        if let failure = finishWriting(
            open, files.makeNumber(), client: access.client, operation: "truncate")
        {
            throw failure.errno
        }
        return open.state.withLock { $0.merged?.target }
    }

    private static func update(from change: AttributeChange) -> Library.AttributeUpdate? {
        var update = Library.AttributeUpdate()
        let now = Clock.now()
        update.mode = change.mode
        update.uid = change.uid
        update.gid = change.gid
        update.accessed = change.accessTime.map { Self.time($0, now) }
        update.modified = change.modificationTime.map { Self.time($0, now) }
        let isEmpty =
            update.mode == nil && update.uid == nil && update.gid == nil && update.accessed == nil
            && update.modified == nil
        return isEmpty ? nil : update
    }

    private static func time(_ change: TimeChange, _ now: Int64) -> Int64 {
        switch change {
        case .now: now
        case .to(let time): time
        }
    }

    /// Changes what is left of a file that was removed while it is open.
    private static func apply(_ update: Library.AttributeUpdate, to open: OpenNode) {
        open.state.withLock { state in
            guard var record = state.orphan else { return }
            if let mode = update.mode { record.mode = record.mode & 0o170000 | mode & 0o7777 }
            record.uid = update.uid ?? record.uid
            record.gid = update.gid ?? record.gid
            record.accessed = update.accessed ?? record.accessed
            record.modified = update.modified ?? record.modified
            record.changed = Clock.now()
            state.orphan = record
        }
    }

    public func extendedAttribute(
        _ name: String, of inode: UInt64, for caller: Caller
    ) throws(Errno) -> [UInt8] {
        let (node, isOwn) = try attributeNode(inode, caller)
        if !isOwn, !Self.attributesOfBytes.contains(name) {
            guard try isComputedOfOwn(name, node, caller) else { throw .noData }
        }
        return try library.extendedAttribute(name, of: node)
    }

    /// Whether an attribute is what the library says of an asset that a client made, also where others rely on it since.
    private func isComputedOfOwn(_ name: String, _ node: UInt64, _ caller: Caller) throws(Errno) -> Bool {
        guard name.hasPrefix(Library.computedPrefix), let record = try library.node(node) else { return false }
        return try library.tie(of: record, to: gate.access(of: caller).client).isOwn
    }

    /// What follows from a file's bytes alone, and so tells nothing to who has them.
    private static let attributesOfBytes: Set<String> = Set(
        ["state", "type", "sha256", "error"].map { Library.computedPrefix + $0 })

    public func extendedAttributeNames(of inode: UInt64, for caller: Caller) throws(Errno) -> [String] {
        guard ViewInode(inode) == nil else { return [] }
        let (node, isOwn) = try attributeNode(inode, caller)
        return isOwn ? try library.extendedAttributeNames(of: node) : []
    }

    public func setExtendedAttribute(
        _ name: String, of inode: UInt64, to value: [UInt8], mode: AttributeSetMode, for caller: Caller
    ) throws(Errno) {
        // As of any file here: programs go on without those of the kernel's own that they tried to copy.
        guard name.hasPrefix("user.") else { throw .notSupported }
        let node = try changeableNode(inode, "setxattr", caller)
        let rule: Library.AttributeRule =
            switch mode {
            case .createOrReplace: .createOrReplace
            case .create: .create
            case .replace: .replace
            }
        try library.setExtendedAttribute(name, of: node, to: value, rule: rule)
    }

    public func removeExtendedAttribute(
        _ name: String, of inode: UInt64, for caller: Caller
    ) throws(Errno) {
        try library.removeExtendedAttribute(name, of: changeableNode(inode, "removexattr", caller))
    }

    /// The node whose attributes a client may read, and whether it reads what was set on it: of the directories that
    /// only lead to what it sees, and of bytes that somebody else's asset holds, it does not.
    private func attributeNode(_ inode: UInt64, _ caller: Caller) throws(Errno) -> (id: UInt64, isOwn: Bool) {
        guard ViewInode(inode) == nil else { throw .notSupported }
        let access = gate.access(of: caller)
        if let merged = files.node(inode)?.state.withLock({ $0.merged?.target }) {
            guard let target = try library.node(merged) else { throw .noData }
            return (merged, try gate.mayChange(access, target))
        }
        guard let node = try library.node(inode) else { throw .noData }
        try gate.require(access, sees: node)
        return (node.id, try gate.mayChange(access, node))
    }

    private func changeableNode(
        _ inode: UInt64, _ operation: StaticString, _ caller: Caller
    ) throws(Errno) -> UInt64 {
        // Of a view's directory as of a file system that has none: cp -a passes over that, and takes EPERM for a failure.
        if let view = ViewInode(inode) { throw view.isFile ? .notPermitted : .notSupported }
        let access = gate.access(of: caller)
        guard let node = try reach(inode, access, operation) else { throw .noEntry }
        guard try !isMergedElsewhere(inode, node, access) else { throw .accessDenied }
        return node.id
    }
}
