public import Platform
internal import SQLite

/// Files that go along with an asset: sidecars.
extension Library {
    /// Whether a name is a sidecar's: of a file that belongs to the photo or video of the same base name beside it.
    public static func isSidecar(_ name: FileName) -> Bool {
        guard !name.bytes.starts(with: [0x2E, 0x5F]) else { return false }
        return ["xmp", "aae", "thm", "lrv", "wav", "json"].contains(name.lowercasedExtension)
    }

    /// Puts a file beside an asset as it is.
    ///
    /// - Returns: `same` where a file with these bytes has the name.
    /// - Throws: `refused` where another file has it.
    public func importCompanion(
        _ source: ImportSource, to target: ImportTarget, hold: ImportHold
    ) throws(ImportFailure) -> ImportOutcome {
        let path = (["DCIM"] + target.directories.map(\.description) + [target.name.description])
            .joined(separator: "/")
        var staged: (path: String, file: FileDescriptor)?
        do throws(Errno) {
            if let node = try node(atPath: path) {
                guard node.kind == .plain, try openFile(of: node, forWriting: false).holdsSame(as: source.file) else {
                    throw .exists
                }
                return .same(path: path)
            }
            let copy = try store.makeStagingFile()
            staged = copy
            markPlace(path, on: copy.file)
            try copy.file.copyContents(of: source.file)
            guard try source.isUnchanged() else { throw .stale }
            if !options.isRelaxed { try copy.file.syncData() }
            let made = try catalog.write { (database) throws(Errno) in
                guard try database.node(atPath: path) == nil else { throw .exists }
                let node = try database.makeImported(
                    .plain, target, file: copy.path, modified: source.status.modificationTime)
                return (node: node.id, path: try database.paths(of: node.id).first ?? path)
            }
            staged = nil
            // What it says of the picture is the picture's from now on.
            _ = takeUpSidecar(made.node, file: copy.file, client: target.owner.client)
            try finish()
            return .added(path: made.path)
        } catch {
            if let staged {
                do throws(Errno) { try store.remove(staged.path) } catch {
                    // The next mount brings it back as a file of its own.
                }
            }
            switch error {
            case .exists:
                throw .refused(reason: "Another file has its place in the library, \(path), and was left as it is.")
            case .stale: throw .changed
            default: throw .failed(error)
            }
        }
    }
}
