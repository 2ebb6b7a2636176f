import Foundation
import PhotoLibrary
import Platform
import Support
import Testing

/// A library of its own for one test.
final class TestLibrary {
    let path: String
    private(set) var library: Library
    let options: Library.Options
    static let client = "user:1000"
    static let owner = Library.Owner(uid: 1000, gid: 1000, client: client)

    init(at path: String, _ options: Library.Options = Library.Options()) throws {
        self.path = path
        self.options = options
        try Library.create(at: path)
        library = try Library(path: path, options: options)
    }

    /// Opens it anew, as a mount after a crash does.
    @discardableResult
    func reopen() throws -> Library.RecoveryReport {
        library.close()
        library = try Library(path: path, options: options)
        return try library.recover()
    }

    /// Makes the directories of a path below the root and answers the last one's node.
    func directory(_ path: String) throws -> UInt64 {
        var current = Library.rootNode
        for part in path.split(separator: "/") {
            let name = try FileName(String(part))
            if let entry = try library.entry(name, in: current) {
                current = entry.node.id
            } else {
                current = try library.makeNode(name, in: current, mode: 0o040755, owner: Self.owner).id
            }
        }
        return current
    }

    /// A path's directory and name.
    func place(_ path: String) throws -> (parent: UInt64, name: FileName) {
        let parts = path.split(separator: "/")
        let name = try FileName(String(try #require(parts.last)))
        return (try directory(parts.dropLast().joined(separator: "/")), name)
    }

    /// Makes a file with those bytes and closes it, without looking at them.
    func write(_ path: String, _ bytes: [UInt8]) throws -> (node: NodeRecord, file: FileDescriptor) {
        let (parent, name) = try place(path)
        let made = try library.makeFile(name, in: parent, mode: 0o644, owner: Self.owner)
        try bytes.withUnsafeBytes { try made.file.writeFully($0, at: 0) }
        return made
    }

    /// Makes a file with those bytes and closes it.
    @discardableResult
    func add(_ path: String, _ bytes: [UInt8]) throws -> CommitOutcome {
        let made = try write(path, bytes)
        return try library.commitPending(made.node.id, file: made.file, client: Self.client)
    }

    /// Makes an asset and answers its node.
    @discardableResult
    func asset(_ path: String, _ bytes: [UInt8]) throws -> NodeRecord {
        guard case .asset = try add(path, bytes) else { throw HarnessError("\(path) became no asset of its own") }
        return try node(path)
    }

    func node(_ path: String) throws -> NodeRecord {
        guard let node = try library.node(atPath: path) else { throw HarnessError("there is no \(path)") }
        return node
    }

    func exists(_ path: String) throws -> Bool { try library.node(atPath: path) != nil }

    func bytes(_ path: String) throws -> [UInt8] {
        let file = try library.openFile(of: node(path), forWriting: false)
        return try file.readBytes(Int(file.status().size), at: 0)
    }

    /// Writes other bytes over what a path names and closes it.
    func overwrite(_ path: String, _ bytes: [UInt8], amends: Bool = false) throws -> CommitOutcome {
        let draft = try draft(path, bytes)
        return try library.commitDraft(
            draft, of: node(path).id, amends: amends, written: nil, client: Self.client)
    }

    func draft(_ path: String, _ bytes: [UInt8]) throws -> Draft {
        let draft = try library.makeDraft(of: node(path).id, copying: nil)
        try bytes.withUnsafeBytes { try draft.file.writeFully($0, at: 0) }
        return draft
    }

    @discardableResult
    func rename(
        _ old: String, _ new: String, mayReplace: Bool = true, openFile: FileDescriptor? = nil
    ) throws -> Library.RenameOutcome {
        let (parent, name) = try place(old)
        let (newParent, newName) = try place(new)
        return try library.rename(
            name, in: parent, to: newName, in: newParent, mayReplace: mayReplace, openFile: openFile,
            client: Self.client)
    }

    @discardableResult
    func unlink(_ path: String) throws -> Library.Removal {
        let (parent, name) = try place(path)
        return try library.unlink(name, in: parent)
    }

    /// The names in a directory, sorted.
    func names(_ path: String) throws -> [String] {
        let parent = try node(path).id
        var names: [String] = []
        try library.forEachEntry(of: parent, after: 0) { entry in
            names.append(entry.name.description)
            return true
        }
        return names.sorted()
    }

    func record(_ path: String) throws -> PhotoLibrary.AssetRecord {
        let asset = try #require(try node(path).asset)
        return try #require(try library.assetRecord(asset))
    }

    /// Runs SQL on the catalogue with the `sqlite3` program.
    @discardableResult
    func sql(_ statements: String) throws -> [String] {
        try require("sqlite3", "-batch", path + "/catalog.sqlite", ".timeout 5000", statements).lines
    }

    /// The files in `originals`, `renders` and `staging`.
    func stored(_ area: String) throws -> [String] { try Files.tree("\(path)/\(area)") }

    func close() { library.close() }
}

/// Runs `body` with a library of its own. Afterwards everything that must hold of a library has to hold of it, and of
/// the same library opened anew.
func withLibrary<Result>(
    _ options: Library.Options = Library.Options(), sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (TestLibrary) throws -> Result
) throws -> Result {
    try withTemporaryPlace { place in
        let library = try TestLibrary(at: place("library"), options)
        defer { library.close() }
        let result = try body(library)
        let before = try LibraryInvariants.problems(in: library.path)
        #expect(before == [], sourceLocation: sourceLocation)
        if !options.isReadOnly {
            try library.reopen()
            let after = try LibraryInvariants.problems(in: library.path)
            #expect(after == [], "after it was opened anew", sourceLocation: sourceLocation)
        }
        return result
    }
}

/// The errno with which a library refuses something; nil where it does not.
func refusal(_ body: () throws -> Void) -> Errno? {
    do {
        try body()
        return nil
    } catch {
        if let errno = error as? Errno { return errno }
        if let failure = error as? CommitFailure { return failure.errno }
        Issue.record("another error: \(error)")
        return nil
    }
}

extension CommitOutcome {
    var isAsset: Bool { if case .asset = self { true } else { false } }
    var isUnchanged: Bool { if case .unchanged = self { true } else { false } }
    var isKept: Bool { if case .kept = self { true } else { false } }
    var mergedNode: UInt64? { if case .merged(let node) = self { node } else { nil } }
}
