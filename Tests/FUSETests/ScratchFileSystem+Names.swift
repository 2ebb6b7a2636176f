import FUSE
import Platform

extension ScratchFileSystem {
    private func entry(_ inode: UInt64, _ tree: inout Tree) throws(Errno) -> Entry {
        let attributes = try tree.attributes(inode)
        tree.nodes[inode]?.references += 1
        return Entry(attributes, attributeTimeout: timeout, entryTimeout: timeout)
    }

    func lookup(_ name: FileName, in parent: UInt64, for caller: Caller) throws(Errno) -> Entry {
        count("lookup")
        let text = name.description
        if text.hasPrefix("error-"), let number = Int32(text.dropFirst(6)) { throw Errno(rawValue: number) }
        if text == "slow" {
            count("slow")
            _ = gate.wait { $0 ? true : nil }
            throw .noEntry
        }
        return try tree.withLock { tree throws(Errno) in
            try entry(tree.child(name, of: parent), &tree)
        }
    }

    func forget(_ inode: UInt64, count number: UInt64) {
        count("forget", by: Int(number))
        tree.withLock { $0.nodes[inode]?.references -= Int(number) }
    }

    func readLink(_ inode: UInt64, for caller: Caller) throws(Errno) -> [UInt8] {
        try tree.withLock { tree throws(Errno) in try tree.node(inode).target }
    }

    func makeNode(
        _ name: FileName, in parent: UInt64, mode: UInt32, device: UInt64, for caller: Caller
    ) throws(Errno) -> Entry {
        let data = FileKind(mode: mode) == .regular ? try Self.temporaryFile(in: dataDirectory) : nil
        return try tree.withLock { tree throws(Errno) in
            let inode = try tree.make(name, in: parent, mode: mode, for: caller)
            tree.nodes[inode]?.data = data
            tree.nodes[inode]?.attributes.device = device
            return try entry(inode, &tree)
        }
    }

    func makeDirectory(
        _ name: FileName, in parent: UInt64, mode: UInt32, for caller: Caller
    ) throws(Errno) -> Entry {
        try tree.withLock { tree throws(Errno) in
            let inode = try tree.make(name, in: parent, mode: 0o040000 | mode, for: caller)
            tree.nodes[inode]?.attributes.links = 2
            return try entry(inode, &tree)
        }
    }

    func makeSymbolicLink(
        _ name: FileName, in parent: UInt64, target: [UInt8], for caller: Caller
    ) throws(Errno) -> Entry {
        try tree.withLock { tree throws(Errno) in
            let inode = try tree.make(name, in: parent, mode: 0o120777, for: caller)
            tree.nodes[inode]?.target = target
            return try entry(inode, &tree)
        }
    }

    func unlink(_ name: FileName, in parent: UInt64, for caller: Caller) throws(Errno) {
        try tree.withLock { tree throws(Errno) in
            let inode = try tree.child(name, of: parent)
            if try tree.node(inode).attributes.mode & 0o170000 == 0o040000 { throw .isDirectory }
            tree.remove(name, from: parent)
            tree.nodes[inode]?.attributes.links -= 1
        }
    }

    func removeDirectory(_ name: FileName, in parent: UInt64, for caller: Caller) throws(Errno) {
        try tree.withLock { tree throws(Errno) in
            let inode = try tree.child(name, of: parent)
            let node = try tree.node(inode)
            guard node.attributes.mode & 0o170000 == 0o040000 else { throw .notDirectory }
            guard node.entries.isEmpty else { throw .notEmpty }
            tree.remove(name, from: parent)
            tree.nodes[inode]?.attributes.links = 0
        }
    }

    func rename(
        _ name: FileName, in parent: UInt64, to newName: FileName, in newParent: UInt64, mode: RenameMode,
        for caller: Caller
    ) throws(Errno) {
        try tree.withLock { tree throws(Errno) in
            let inode = try tree.child(name, of: parent)
            let other = tree.nodes[newParent]?.entries.first { $0.name == newName }?.inode
            if mode == .noReplace, other != nil { throw .exists }
            if mode == .exchange, other == nil { throw .noEntry }
            tree.remove(name, from: parent)
            tree.remove(newName, from: newParent)
            tree.add(newName, inode, to: newParent)
            guard let other else { return }
            if mode == .exchange {
                tree.add(name, other, to: parent)
            } else {
                tree.nodes[other]?.attributes.links -= 1
            }
        }
    }

    func link(
        _ inode: UInt64, to newName: FileName, in newParent: UInt64, for caller: Caller
    ) throws(Errno) -> Entry {
        try tree.withLock { tree throws(Errno) in
            guard (try? tree.child(newName, of: newParent)) == nil else { throw .exists }
            tree.add(newName, inode, to: newParent)
            tree.nodes[inode]?.attributes.links += 1
            return try entry(inode, &tree)
        }
    }

    func openDirectory(_ inode: UInt64, for caller: Caller) throws(Errno) -> UInt64 {
        count("openDirectory")
        return inode
    }

    func readDirectory(
        _ inode: UInt64, handle: UInt64, after cookie: UInt64, into page: inout DirectoryPage, for caller: Caller
    ) throws(Errno) {
        count(page.wantsAttributes ? "readDirectoryPlus" : "readDirectory")
        guard handle == inode else { throw .badDescriptor }
        let (entries, kinds) = try tree.withLock { tree throws(Errno) in
            let entries = try tree.node(inode).entries.filter { $0.cookie > cookie }.prefix(1000)
            return (entries, entries.map { tree.nodes[$0.inode]?.attributes.mode ?? 0 })
        }
        if cookie < 1, !page.add(.this, inode: inode, cookie: 1) { return }
        if cookie < 2, !page.add(.parent, inode: inode, cookie: 2) { return }
        for (item, mode) in zip(entries, kinds) {
            if page.wantsAttributes {
                let wasAdded = try tree.withLock { tree throws(Errno) in
                    let attributes = try tree.attributes(item.inode)
                    let entry = Entry(attributes, attributeTimeout: timeout, entryTimeout: timeout)
                    guard page.add(item.name, entry: entry, cookie: item.cookie) else { return false }
                    tree.nodes[item.inode]?.references += 1
                    return true
                }
                if !wasAdded { return }
            } else if !page.add(item.name, inode: item.inode, mode: mode, cookie: item.cookie) {
                return
            }
        }
    }

    func releaseDirectory(_ inode: UInt64, handle: UInt64) { count("releaseDirectory") }

    func syncDirectory(_ inode: UInt64, handle: UInt64, dataOnly: Bool) throws(Errno) { count("syncDirectory") }
}
