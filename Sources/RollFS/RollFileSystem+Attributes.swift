public import FUSE
internal import PhotoLibrary
public import Platform

extension RollFileSystem {
    public func setAttributes(
        of inode: UInt64, to change: AttributeChange, handle: UInt64?, for caller: Caller
    ) throws(Errno) -> TimedAttributes {
        guard ViewInode(inode) == nil else { throw .notPermitted }
        let access = gate.access(of: caller)
        let node = try reach(inode, access, "setattr")
        if let size = change.size {
            guard size >= 0 else { throw .invalid }
            try truncate(inode, to: size, handle: handle, access)
        }
        let update = Self.update(from: change)
        if let update {
            if let open = files.node(inode), open.state.withLock({ $0.orphan != nil }) {
                Self.apply(update, to: open)
            } else if let node {
                let target = files.node(inode)?.state.withLock { $0.merged?.target } ?? node.id
                _ = try library.update(target, update)
                if update.modified != nil { files.node(target)?.state.withLock { $0.hasClientTime = true } }
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

    private func truncate(_ inode: UInt64, to size: Int64, handle: UInt64?, _ access: Access) throws(Errno) {
        if let handle {
            guard try files.handle(handle).canWrite else { throw .invalid }
            return try files.writingHandle(handle).node.write(to: library, startsEmpty: size == 0) {
                (file) throws(Errno) in
                try file.truncate(to: size)
            }
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
        let node = try attributeNode(inode, caller)
        return try library.extendedAttribute(name, of: node)
    }

    public func extendedAttributeNames(of inode: UInt64, for caller: Caller) throws(Errno) -> [String] {
        guard ViewInode(inode) == nil else { return [] }
        return try library.extendedAttributeNames(of: attributeNode(inode, caller))
    }

    public func setExtendedAttribute(
        _ name: String, of inode: UInt64, to value: [UInt8], mode: AttributeSetMode, for caller: Caller
    ) throws(Errno) {
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

    /// The node whose attributes a client may read.
    private func attributeNode(_ inode: UInt64, _ caller: Caller) throws(Errno) -> UInt64 {
        guard ViewInode(inode) == nil else { throw .notSupported }
        if let merged = files.node(inode)?.state.withLock({ $0.merged?.target }) { return merged }
        guard let node = try library.node(inode) else { throw .noData }
        try gate.require(gate.access(of: caller), sees: node)
        return node.id
    }

    private func changeableNode(
        _ inode: UInt64, _ operation: StaticString, _ caller: Caller
    ) throws(Errno) -> UInt64 {
        guard ViewInode(inode) == nil else { throw .notPermitted }
        guard let node = try reach(inode, gate.access(of: caller), operation) else { throw .noEntry }
        return node.id
    }
}
