import FUSE
import Glibc
import Platform

/// A file system for tests: names and attributes in memory, data in unlinked temporary files.
///
/// Names with a meaning: looking up `error-N` fails with errno N; looking up `slow` waits until `gate` is opened.
final class ScratchFileSystem: FileSystem {
    struct Node {
        var attributes: Attributes
        var entries: [DirectoryEntry] = []
        var data: FileDescriptor?
        var target: [UInt8] = []
        var extended: [(name: String, value: [UInt8])] = []
        var references: Int = 0
    }

    struct DirectoryEntry {
        var cookie: UInt64
        var name: FileName
        var inode: UInt64
    }

    struct Tree {
        var nodes: [UInt64: Node] = [:]
        var nextInode: UInt64 = 2
        var nextCookie: UInt64 = 10
    }

    let tree: Lock<Tree>
    let counts = Lock<[String: Int]>([:])
    let notifier = Lock<(any KernelNotifier)?>(nil)
    let gate = Monitor(false)
    /// How long the kernel keeps names and attributes, in seconds.
    let timeout: Double
    /// Opens keep the page cache.
    let keepsCache: Bool
    /// Where the data lies.
    let dataDirectory: String

    init(timeout: Double = 1, keepsCache: Bool = false, dataDirectory: String = "/tmp") {
        self.dataDirectory = dataDirectory
        self.timeout = timeout
        self.keepsCache = keepsCache
        var root = Attributes(inode: 1, mode: 0o040755)
        root.links = 2
        root.uid = geteuid()
        root.gid = getegid()
        tree = Lock(Tree(nodes: [1: Node(attributes: root)]))
    }

    func count(_ what: String, by number: Int = 1) {
        counts.withLock { $0[what, default: 0] += number }
    }

    func counted(_ what: String) -> Int { counts.withLock { $0[what] ?? 0 } }

    func openGate() { gate.update { $0 = true } }

    /// References that the kernel holds, over all nodes.
    var references: Int { tree.withLock { $0.nodes.values.reduce(0) { $0 + $1.references } } }

    func sessionDidStart(_ notifier: any KernelNotifier) {
        count("start")
        self.notifier.withLock { $0 = notifier }
    }

    /// Called when the session is about to end, which waits for it.
    let ending = Lock<(@Sendable () -> Void)?>(nil)

    func sessionWillEnd() { ending.withLock { $0 }?() }

    func sessionDidEnd() { count("end") }

    static func temporaryFile(in directory: String = "/tmp") throws(Errno) -> FileDescriptor {
        var template = Array("\(directory)/fuse-test-XXXXXX".utf8CString)
        let number = mkstemp(&template)
        guard number >= 0 else { throw .current }
        Glibc.unlink(template)
        return FileDescriptor(owning: number)
    }
}

extension ScratchFileSystem.Tree {
    func node(_ inode: UInt64) throws(Errno) -> ScratchFileSystem.Node {
        guard let node = nodes[inode] else { throw .stale }
        return node
    }

    func child(_ name: FileName, of parent: UInt64) throws(Errno) -> UInt64 {
        let node = try node(parent)
        guard let entry = node.entries.first(where: { $0.name == name }) else { throw .noEntry }
        return entry.inode
    }

    mutating func add(_ name: FileName, _ inode: UInt64, to parent: UInt64) {
        nodes[parent]?.entries.append(.init(cookie: nextCookie, name: name, inode: inode))
        nextCookie += 1
    }

    mutating func remove(_ name: FileName, from parent: UInt64) {
        nodes[parent]?.entries.removeAll { $0.name == name }
    }

    mutating func make(
        _ name: FileName, in parent: UInt64, mode: UInt32, for caller: Caller
    ) throws(Errno) -> UInt64 {
        guard !(try node(parent)).entries.contains(where: { $0.name == name }) else { throw .exists }
        let inode = nextInode
        nextInode += 1
        var attributes = Attributes(inode: inode, mode: mode)
        attributes.uid = caller.uid
        attributes.gid = caller.gid
        let now = Clock.now()
        (attributes.accessTime, attributes.modificationTime, attributes.changeTime) = (now, now, now)
        nodes[inode] = .init(attributes: attributes)
        add(name, inode, to: parent)
        return inode
    }

    /// The attributes, with the size that the data has.
    func attributes(_ inode: UInt64) throws(Errno) -> Attributes {
        let node = try node(inode)
        var attributes = node.attributes
        if let data = node.data {
            let status = try data.status()
            attributes.size = status.size
            attributes.blocks = status.blocks
        } else {
            attributes.size = Int64(node.target.count)
        }
        return attributes
    }
}
