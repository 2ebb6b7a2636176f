internal import Platform

/// The library's files on the native file system.
///
/// `staging/` holds what is no asset (pending and plain files, drafts), named by an identifier. `originals/` and `renders/`
/// hold assets' versions, in directories of at most 256 nodes named by the upper digits of the node's number. Paths are
/// relative to the library.
final class Store: Sendable {
    let root: Directory
    /// Directories known to exist, so that they are not made again for every file.
    private let known = Lock<Set<String>>([])

    static let staging = "staging"
    static let originals = "originals"
    static let renders = "renders"

    init(root: Directory) { self.root = root }

    /// Makes the directories of an empty library.
    func makeDirectories() throws(Errno) {
        for name in [Self.staging, Self.originals, Self.renders, "logs"] { try root.makeDirectory(name) }
    }

    /// Makes an empty file for bytes that are no asset yet.
    func makeStagingFile() throws(Errno) -> (path: String, file: FileDescriptor) {
        let path = "\(Self.staging)/\(Self.identifier())"
        return (path, try root.open(path, [.readWrite, .create, .exclusive]))
    }

    func open(_ path: String, _ mode: FileDescriptor.Mode = .readOnly) throws(Errno) -> FileDescriptor {
        try root.open(path, mode.union(.noFollow))
    }

    func status(of path: String) throws(Errno) -> FileStatus? { try root.status(of: path) }

    /// Where a version of the asset at `node` lies.
    ///
    /// The file keeps the identifier that it had in staging, so that a crash between the move and the transaction
    /// leaves a file that can be found again.
    /// - Parameter pathExtension: of the kind, such as "JPG".
    func path(in area: String, node: UInt64, staged: String, pathExtension: String) -> String {
        let identifier = staged.split(separator: "/").last.map { $0.split(separator: ".").first ?? $0 } ?? ""
        return "\(directory(in: area, node: node))/\(identifier).\(pathExtension)"
    }

    /// The directory of the versions of assets at nodes near `node`.
    func directory(in area: String, node: UInt64) -> String {
        "\(area)/\(Self.hex(node >> 16, digits: 4))/\(Self.hex(node >> 8 & 0xFF, digits: 2))"
    }

    /// Moves a file, making the target's directories. Atomic: the file is at one path or the other.
    func move(_ path: String, to target: String) throws(Errno) {
        try makeParents(of: target)
        try root.renameExclusively(path, to: target)
    }

    /// Makes an empty file, and the directories above it.
    func create(_ path: String) throws(Errno) -> FileDescriptor {
        try makeParents(of: path)
        return try root.open(path, [.readWrite, .create, .exclusive, .noFollow])
    }

    /// Moves a file over another, or to where nothing is, making the target's directories.
    func replace(_ path: String, at target: String) throws(Errno) {
        try makeParents(of: target)
        try root.rename(path, to: target)
    }

    /// Gives a file a second name in the store, so that equal bytes are kept once.
    func link(_ path: String, to target: String) throws(Errno) {
        try makeParents(of: target)
        try root.link(path, to: target)
    }

    /// Gives a file outside of the store a name in it.
    func link(_ entry: String, of directory: Directory, to target: String) throws(Errno) {
        try makeParents(of: target)
        try root.link(entry, of: directory, as: target)
    }

    /// Removes a file; one that is gone already is no error.
    func remove(_ path: String) throws(Errno) {
        do throws(Errno) { try root.unlink(path) } catch .noEntry {}
    }

    /// Calls `body` with the path of every staging file.
    func forEachStagingFile(_ body: (String) throws(Errno) -> Void) throws(Errno) {
        let directory = try Directory(Self.staging, in: root)
        try directory.forEachName { (name) throws(Errno) in try body("\(Self.staging)/\(name)") }
    }

    /// Calls `body` with each directory that holds versions, and the names in it.
    func forEachVersionDirectory(
        in area: String, _ body: (String, [String]) throws(Errno) -> Void
    ) throws(Errno) {
        for upper in try names(in: area) {
            for lower in try names(in: "\(area)/\(upper)") {
                let directory = "\(area)/\(upper)/\(lower)"
                try body(directory, try names(in: directory))
            }
        }
    }

    /// The names in a directory; none where it is a file, which nothing here made.
    private func names(in path: String) throws(Errno) -> [String] {
        var names: [String] = []
        do throws(Errno) {
            try Directory(path, in: root).forEachName { (name) throws(Errno) in names.append(name) }
        } catch .notDirectory {}
        return names
    }

    /// The staging path that a version's file had.
    func stagingPath(ofVersion path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return "\(Self.staging)/\(name.split(separator: ".").first ?? name)"
    }

    /// Space of the file system below.
    func fileSystem() throws(Errno) -> FileSystemStatus { try root.descriptor.fileSystem() }

    private func makeParents(of path: String) throws(Errno) {
        let parts = path.split(separator: "/").dropLast()
        let parent = parts.joined(separator: "/")
        if known.withLock({ $0.contains(parent) }) { return }
        var made = ""
        for part in parts {
            made += made.isEmpty ? String(part) : "/\(part)"
            try root.makeDirectory(made)
        }
        known.withLock { known in
            if known.count > 4096 { known.removeAll() }
            known.insert(parent)
        }
    }

    private static func hex(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// A random identifier (RFC 9562, version 4), as PhotoKit's local identifiers begin.
    static func identifier() -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes = withUnsafeBytes(of: (generator.next(), generator.next())) { Array($0) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = ""
        let digits = Array("0123456789ABCDEF".utf8)
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text += "-" }
            text.unicodeScalars.append(Unicode.Scalar(digits[Int(byte >> 4)]))
            text.unicodeScalars.append(Unicode.Scalar(digits[Int(byte & 15)]))
        }
        return text
    }
}
