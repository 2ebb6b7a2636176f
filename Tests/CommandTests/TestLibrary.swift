import Glibc
import PhotoLibrary
import Platform
import Support

/// A library that is not mounted, filled by its own API.
struct TestLibrary {
    let place: TemporaryPlace
    let library: Library
    var path: String { library.path }

    /// Adds a file as the mount does when a program has written and closed it.
    ///
    /// - Returns: the node, which may be pending.
    @discardableResult
    func add(_ bytes: [UInt8], _ path: String) throws -> UInt64 {
        var parts = PathName.components(of: path)
        let name = try FileName(parts.removeLast())
        var parent = Library.cameraRollNode
        let owner = Library.Owner(uid: getuid(), gid: getgid(), client: "user:0")
        for part in parts {
            let directory = try FileName(part)
            if let entry = try library.entry(directory, in: parent) {
                parent = entry.node.id
            } else {
                parent = try library.makeNode(directory, in: parent, mode: 0o040755, owner: owner).id
            }
        }
        let (node, file) = try library.makeFile(name, in: parent, mode: 0o644, owner: owner)
        bytes.withUnsafeBytes { bytes in
            // An error shows in what becomes of the file.
            try? file.writeFully(bytes, at: 0)
        }
        do throws(CommitFailure) {
            _ = try library.commitPending(node.id, file: file, client: "user:0")
        } catch {
            // What is refused stays pending, which is what some tests want.
            if case .failed(let errno) = error { throw errno }
        }
        return node.id
    }

    /// Adds a photo with capture data, as exiftool writes it.
    @discardableResult
    func addPhoto(
        _ path: String, date: String? = nil, offset: String? = nil, make: String = "Example", model: String = "One",
        more: [String] = []
    ) throws -> UInt64 {
        let source = place("source.jpg")
        let bytes = try Generated.photo(
            at: source, date: date, offset: offset, make: make, model: model, more: more)
        try Posix.unlink(source)
        return try add(bytes, path)
    }

    /// Deletes a file by its path in the camera roll.
    func remove(_ path: String) throws {
        var parts = PathName.components(of: path)
        let name = try FileName(parts.removeLast())
        let directory = (["DCIM"] + parts).joined(separator: "/")
        guard let parent = try library.node(atPath: directory) else { throw HarnessError("no \(directory)") }
        _ = try library.unlink(name, in: parent.id)
    }
}

/// Runs `body` with an empty library.
func withTestLibrary<Value>(_ body: (TestLibrary) throws -> Value) throws -> Value {
    try withTemporaryPlace { place in
        try Library.create(at: place("library"))
        let library = try Library(path: place("library"))
        defer { library.close() }
        return try body(TestLibrary(place: place, library: library))
    }
}
