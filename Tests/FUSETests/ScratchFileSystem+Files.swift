import FUSE
import Platform

extension ScratchFileSystem {
    func attributes(of inode: UInt64, handle: UInt64?, for caller: Caller) throws(Errno) -> TimedAttributes {
        count("attributes")
        let attributes = try tree.withLock { tree throws(Errno) in try tree.attributes(inode) }
        return TimedAttributes(attributes, timeout: timeout)
    }

    func setAttributes(
        of inode: UInt64, to change: AttributeChange, handle: UInt64?, for caller: Caller
    ) throws(Errno) -> TimedAttributes {
        if change.size != nil { count(handle == nil ? "truncate" : "truncateHandle") }
        let attributes = try tree.withLock { tree throws(Errno) in
            var node = try tree.node(inode)
            if let size = change.size { try node.data?.truncate(to: size) }
            if let mode = change.mode { node.attributes.mode = node.attributes.mode & 0o170000 | mode }
            if let uid = change.uid { node.attributes.uid = uid }
            if let gid = change.gid { node.attributes.gid = gid }
            if let time = change.accessTime { node.attributes.accessTime = time.value }
            if let time = change.modificationTime { node.attributes.modificationTime = time.value }
            tree.nodes[inode] = node
            return try tree.attributes(inode)
        }
        return TimedAttributes(attributes, timeout: timeout)
    }

    private func reply(_ inode: UInt64) -> OpenReply {
        var reply = OpenReply(handle: inode &+ 1000)
        reply.keepsCache = keepsCache
        return reply
    }

    private func data(_ inode: UInt64, _ handle: UInt64) throws(Errno) -> FileDescriptor {
        guard handle == inode &+ 1000 else { throw .badDescriptor }
        guard let data = try tree.withLock({ tree throws(Errno) in try tree.node(inode).data }) else {
            throw .invalid
        }
        return data
    }

    func open(_ inode: UInt64, flags: OpenFlags, for caller: Caller) throws(Errno) -> OpenReply {
        count("open")
        if flags.truncates {
            count("openTruncating")
            try data(inode, inode &+ 1000).truncate(to: 0)
        }
        return reply(inode)
    }

    func create(
        _ name: FileName, in parent: UInt64, mode: UInt32, flags: OpenFlags, for caller: Caller
    ) throws(Errno) -> (entry: Entry, open: OpenReply) {
        count("open")
        let entry = try makeNode(name, in: parent, mode: 0o100000 | mode, device: 0, for: caller)
        return (entry, reply(entry.attributes.inode))
    }

    func read(_ inode: UInt64, handle: UInt64, at offset: Int64, count number: Int) throws(Errno) -> ReadReply {
        count("read")
        return .file(try data(inode, handle), offset: offset, count: number)
    }

    func write(
        _ inode: UInt64, handle: UInt64, at offset: Int64, from source: borrowing WriteSource
    ) throws(Errno) -> Int {
        count("write")
        return try source.write(to: data(inode, handle), at: offset)
    }

    func flush(_ inode: UInt64, handle: UInt64, for caller: Caller) throws(Errno) { count("flush") }
    func release(_ inode: UInt64, handle: UInt64) { count("release") }

    func sync(_ inode: UInt64, handle: UInt64, dataOnly: Bool) throws(Errno) {
        count(dataOnly ? "syncData" : "sync")
        try data(inode, handle).syncData()
    }

    func allocate(
        _ inode: UInt64, handle: UInt64, mode: Int32, at offset: Int64, count number: Int64
    ) throws(Errno) {
        count("allocate")
        try data(inode, handle).allocate(mode: mode, at: offset, count: number)
    }

    func seek(_ inode: UInt64, handle: UInt64, from offset: Int64, to target: SeekTarget) throws(Errno) -> Int64 {
        count("seek")
        let file = try data(inode, handle)
        return target == .data ? try file.nextData(after: offset) : try file.nextHole(after: offset)
    }

    func copyRange(
        from source: (inode: UInt64, handle: UInt64, offset: Int64),
        to target: (inode: UInt64, handle: UInt64, offset: Int64), count number: Int, for caller: Caller
    ) throws(Errno) -> Int {
        count("copyRange")
        return try data(source.inode, source.handle).copyRange(
            at: source.offset, to: data(target.inode, target.handle), at: target.offset, count: number)
    }

    func statistics(for caller: Caller) throws(Errno) -> FileSystemStatus {
        FileSystemStatus(
            type: 0, blockSize: 4096, fragmentSize: 4096, blocks: 1000, blocksFree: 600, blocksAvailable: 500,
            files: 100, filesFree: 77)
    }

    func extendedAttribute(_ name: String, of inode: UInt64, for caller: Caller) throws(Errno) -> [UInt8] {
        try tree.withLock { tree throws(Errno) in
            guard let item = try tree.node(inode).extended.first(where: { $0.name == name }) else { throw .noData }
            return item.value
        }
    }

    func extendedAttributeNames(of inode: UInt64, for caller: Caller) throws(Errno) -> [String] {
        try tree.withLock { tree throws(Errno) in try tree.node(inode).extended.map(\.name) }
    }

    func setExtendedAttribute(
        _ name: String, of inode: UInt64, to value: [UInt8], mode: AttributeSetMode, for caller: Caller
    ) throws(Errno) {
        try tree.withLock { tree throws(Errno) in
            var node = try tree.node(inode)
            let index = node.extended.firstIndex { $0.name == name }
            if mode == .create, index != nil { throw .exists }
            if mode == .replace, index == nil { throw .noData }
            if let index { node.extended.remove(at: index) }
            node.extended.append((name, value))
            tree.nodes[inode] = node
        }
    }

    func removeExtendedAttribute(_ name: String, of inode: UInt64, for caller: Caller) throws(Errno) {
        try tree.withLock { tree throws(Errno) in
            guard let index = try tree.node(inode).extended.firstIndex(where: { $0.name == name }) else {
                throw .noData
            }
            tree.nodes[inode]?.extended.remove(at: index)
        }
    }
}

extension TimeChange {
    var value: Int64 {
        switch self {
        case .now: Clock.now()
        case .to(let time): time
        }
    }
}
