import FUSE
import Glibc
import PhotoLibrary
import Platform
import RollFS
import Support
import Testing

/// Remembers what the kernel would have been told.
final class RecordingNotifier: KernelNotifier {
    enum Notice: Hashable {
        case attributes(UInt64)
        case contents(UInt64)
        case entry(parent: UInt64, name: FileName)
    }

    private let recorded = Lock([Notice]())
    var notices: [Notice] { recorded.withLock { $0 } }

    func dropAttributes(of inode: UInt64) { recorded.withLock { $0.append(.attributes(inode)) } }
    func dropContents(of inode: UInt64, waiting: Int64) { recorded.withLock { $0.append(.contents(inode)) } }
    func dropEntry(_ name: FileName, in parent: UInt64, waiting: Int64) {
        recorded.withLock { $0.append(.entry(parent: parent, name: name)) }
    }
}

/// A mounted tree without a mount: requests are function calls.
final class Roll: Sendable {
    let path: String
    let library: Library
    let fileSystem: RollFileSystem
    let notifier = RecordingNotifier()
    /// One who may do everything.
    static let owner = Caller(pid: 1, uid: 0, gid: 0)
    static let dcim = Library.cameraRollNode

    init(at path: String) throws {
        self.path = path
        try Library.create(at: path)
        library = try Library(path: path)
        try library.authorization.set(.authorized, of: .user(0), level: .readWrite)
        fileSystem = RollFileSystem(library: library, options: RollOptions())
        fileSystem.sessionDidStart(notifier)
    }

    func close() {
        fileSystem.sessionDidEnd()
        library.close()
    }

    /// The inode of a path below the root.
    func inode(_ path: String, for caller: Caller = owner) throws -> UInt64 {
        var current = Library.rootNode
        for part in path.split(separator: "/") {
            current = try fileSystem.lookup(FileName(String(part)), in: current, for: caller).attributes.inode
        }
        return current
    }

    /// A path's directory, made where it is missing, and its name.
    func place(_ path: String, for caller: Caller = owner) throws -> (parent: UInt64, name: FileName) {
        let parts = path.split(separator: "/").map(String.init)
        var current = Library.rootNode
        for part in parts.dropLast() { current = try directory(FileName(part), in: current, for: caller) }
        return (current, try FileName(parts.last ?? ""))
    }

    private func directory(_ name: FileName, in parent: UInt64, for caller: Caller) throws(Errno) -> UInt64 {
        do throws(Errno) {
            return try fileSystem.lookup(name, in: parent, for: caller).attributes.inode
        } catch .noEntry {
            return try fileSystem.makeDirectory(name, in: parent, mode: 0o755, for: caller).attributes.inode
        }
    }

    func create(_ path: String, for caller: Caller = owner) throws -> OpenFile {
        let (parent, name) = try place(path, for: caller)
        let flags = OpenFlags(rawValue: O_RDWR | O_CREAT | O_EXCL)
        let made = try fileSystem.create(name, in: parent, mode: 0o644, flags: flags, for: caller)
        return OpenFile(self, made.entry.attributes.inode, made.open.handle, caller)
    }

    func open(_ path: String, _ flags: Int32 = O_RDWR, for caller: Caller = owner) throws -> OpenFile {
        try open(inode: inode(path, for: caller), flags, for: caller)
    }

    func open(inode: UInt64, _ flags: Int32 = O_RDWR, for caller: Caller = owner) throws -> OpenFile {
        let reply = try fileSystem.open(inode, flags: OpenFlags(rawValue: flags), for: caller)
        return OpenFile(self, inode, reply.handle, caller)
    }

    /// Makes a file with those bytes, as `cp` does.
    @discardableResult
    func add(_ path: String, _ bytes: [UInt8], for caller: Caller = owner) throws -> UInt64 {
        let file = try create(path, for: caller)
        defer { file.release() }
        try file.write(bytes, at: 0)
        try file.flush()
        return file.inode
    }

    func bytes(_ path: String) throws -> [UInt8] {
        let file = try open(path, O_RDONLY)
        defer { file.release() }
        return try file.read()
    }

    func attributes(_ path: String) throws -> Attributes {
        try fileSystem.attributes(of: inode(path), handle: nil, for: Self.owner).attributes
    }

    func exists(_ path: String) -> Bool { (try? inode(path)) != nil }

    func names(_ path: String, for caller: Caller = owner) throws -> [String] {
        try names(inode: inode(path, for: caller), for: caller)
    }

    /// The names in a directory without `.` and `..`, sorted.
    func names(inode: UInt64, for caller: Caller = owner) throws -> [String] {
        try list(inode, for: caller).map { String(decoding: $0.name, as: UTF8.self) }
            .filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// All entries of a directory, read in pages of `capacity` bytes.
    func list(
        _ inode: UInt64, after start: UInt64 = 0, capacity: Int = 4096, attributes: Bool = false,
        for caller: Caller = owner, between: () throws -> Void = {}
    ) throws -> [DirectoryPage.Item] {
        let handle = try fileSystem.openDirectory(inode, for: caller)
        defer { fileSystem.releaseDirectory(inode, handle: handle) }
        var items: [DirectoryPage.Item] = []
        var cookie = start
        while true {
            let page = try page(inode, handle, cookie, capacity, attributes, caller)
            guard let last = page.last else { return items }
            items += page
            cookie = last.cookie
            try between()
        }
    }

    private func page(
        _ inode: UInt64, _ handle: UInt64, _ cookie: UInt64, _ capacity: Int, _ attributes: Bool, _ caller: Caller
    ) throws -> [DirectoryPage.Item] {
        var page = DirectoryPage(capacity: capacity, wantsAttributes: attributes)
        try fileSystem.readDirectory(inode, handle: handle, after: cookie, into: &page, for: caller)
        return page.items
    }

    func unlink(_ path: String, for caller: Caller = owner) throws {
        let (parent, name) = try place(path, for: caller)
        try fileSystem.unlink(name, in: parent, for: caller)
    }

    func rename(_ old: String, _ new: String, _ mode: RenameMode = .replace, for caller: Caller = owner) throws {
        let (parent, name) = try place(old, for: caller)
        let (newParent, newName) = try place(new, for: caller)
        try fileSystem.rename(name, in: parent, to: newName, in: newParent, mode: mode, for: caller)
    }

    func state(_ inode: UInt64, for caller: Caller = owner) throws -> String {
        let value = try fileSystem.extendedAttribute("user.cameraroll.state", of: inode, for: caller)
        return String(decoding: value, as: UTF8.self)
    }
}

/// One open file description.
struct OpenFile: Sendable {
    let roll: Roll
    let inode: UInt64
    let handle: UInt64
    let caller: Caller

    init(_ roll: Roll, _ inode: UInt64, _ handle: UInt64, _ caller: Caller) {
        self.roll = roll
        self.inode = inode
        self.handle = handle
        self.caller = caller
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws {
        let count = try bytes.withUnsafeBytes { buffer throws -> Int in
            let source = WriteSource(buffer)
            return try roll.fileSystem.write(inode, handle: handle, at: offset, from: source)
        }
        #expect(count == bytes.count)
    }

    func read(_ count: Int = 1 << 20, at offset: Int64 = 0) throws -> [UInt8] {
        switch try roll.fileSystem.read(inode, handle: handle, at: offset, count: count) {
        case .file(let file, let offset, let count): try file.readBytes(count, at: offset)
        case .bytes(let bytes): bytes
        }
    }

    func truncate(to size: Int64) throws {
        var change = AttributeChange()
        change.size = size
        _ = try roll.fileSystem.setAttributes(of: inode, to: change, handle: handle, for: caller)
    }

    func flush() throws { try roll.fileSystem.flush(inode, handle: handle, for: caller) }
    func release() { roll.fileSystem.release(inode, handle: handle) }
    func attributes() throws -> Attributes {
        try roll.fileSystem.attributes(of: inode, handle: handle, for: caller).attributes
    }

    /// What a program's `close` does; what flush throws is what the program sees.
    func close() throws {
        defer { release() }
        try flush()
    }
}

/// Runs `body` with a tree of its own. Afterwards everything that must hold of a library has to hold.
func withRoll<Result>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (Roll) throws -> Result
) throws -> Result {
    try withTemporaryPlace { place in
        let roll = try Roll(at: place("library"))
        defer { roll.close() }
        let result = try body(roll)
        let problems = try LibraryInvariants.problems(in: roll.path)
        #expect(problems == [], sourceLocation: sourceLocation)
        return result
    }
}

/// The errno that a program would see; nil where the call succeeds.
func refusal(_ body: () throws -> Void) -> Errno? {
    do {
        try body()
        return nil
    } catch {
        if let errno = error as? Errno { return errno }
        Issue.record("another error: \(error)")
        return nil
    }
}

/// Expects that `body` throws that errno.
func expectRefused(
    _ expected: Errno, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    let errno = refusal(body)
    #expect(errno == expected, sourceLocation: sourceLocation)
}
