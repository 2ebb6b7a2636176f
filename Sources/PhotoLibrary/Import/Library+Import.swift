internal import Media
public import Platform
internal import SQLite

/// Bringing files in without a mount.
///
/// A file is looked at as at the close of a copy into the mount, and becomes an asset in one transaction. Until then no
/// row knows it: a process that ends in the middle leaves a staging file that the next mount drops, or one among the
/// originals that the next mount brings back. The file outside goes only when the asset is on the disk.
extension Library {
    /// Kept for as long as files are imported; a mount that begins meanwhile leaves their staging files alone.
    public struct ImportHold: Sendable {
        fileprivate let file: FileDescriptor
    }

    private static let holdName = "import.lock"

    /// Waits for a mount that is about to put the library right, and keeps the next one from taking files that are
    /// imported for what a crash left.
    public func holdForImport() throws(Errno) -> ImportHold {
        let file = try store.root.open(Self.holdName, [.readWrite, .create, .noFollow])
        for _ in 0..<600 {
            if try file.tryLock(shared: true) { return ImportHold(file: file) }
            Clock.sleep(50_000_000)
        }
        throw .busy
    }

    /// Held while staging files without a row are put right; nil while another process imports.
    func holdAgainstImports() throws(Errno) -> ImportHold? {
        let file = try store.root.open(Self.holdName, [.readWrite, .create, .noFollow])
        return try file.tryLock() ? ImportHold(file: file) : nil
    }

    /// Makes an asset of a file.
    ///
    /// Bytes that the library has, as an asset's current version or its original, are not added again. A name that is
    /// taken stays with what has it: the new asset is `IMG_0001~1.JPG`. When it returns, the asset is on the disk.
    /// - Parameters:
    ///   - hold: keeps other processes from cleaning up after this one.
    ///   - isMoved: the caller removes the file afterwards. Where the store is on the same file system the asset's file
    ///     is the very same one.
    ///   - progress: called with the number of bytes read so far; may end the import by throwing `EINTR`.
    public func importFile(
        _ source: ImportSource, to target: ImportTarget, hold: ImportHold, isMoved: Bool,
        progress: (Int64) throws(Errno) -> Void
    ) throws(ImportFailure) -> ImportOutcome {
        guard isMoved else { return try copy(source, target, progress) }
        var outcome = try canTake(source) ? take(source, target) : nil
        if outcome == nil { outcome = try copy(source, target, progress) }
        switch outcome {
        case .same(let path), .restored(let path): try requireSame(source, at: path)
        case .added, nil: break
        }
        guard let outcome else { throw .failed(.ioError) }
        return outcome
    }

    // MARK: The same file

    /// Whether a file can become an original as it is: nobody else has a name of it or writes to it.
    private func canTake(_ source: ImportSource) throws(ImportFailure) -> Bool {
        do throws(Errno) {
            let room = try store.root.descriptor.status()
            return source.status.device == room.device && source.status.links == 1
                && source.status.uid == room.uid && !source.file.mayBeWrittenElsewhere
        } catch { throw .failed(error) }
    }

    /// - Returns: nil where the file system gives it no second name.
    private func take(_ source: ImportSource, _ target: ImportTarget) throws(ImportFailure) -> ImportOutcome? {
        let identifier = "\(Store.staging)/\(Store.identifier())"
        let prepared = try prepared(source.file, path: identifier, target.name)
        var isRefused = false
        do throws(ImportFailure) {
            let outcome = try commit(prepared, source, target) { (node) throws(Errno) in
                do throws(Errno) {
                    return try placeAsItIs(source, prepared, node)
                } catch {
                    isRefused = [.crossDevice, .notPermitted, .notSupported, .tooManyLinks].contains(error)
                    throw error
                }
            }
            // As all files of the store are, which only the library's owner reads.
            if case .added = outcome { try? source.file.setPermissions(0o600) }
            return outcome
        } catch {
            if isRefused { return nil }
            throw error
        }
    }

    private func placeAsItIs(
        _ source: ImportSource, _ prepared: PreparedFile, _ node: UInt64
    ) throws(Errno) -> PlacedFile {
        let path = store.path(
            in: Store.originals, node: node, staged: prepared.path,
            pathExtension: prepared.inspection.kind.preferredExtension)
        // A second name; the first goes when everything is on the disk, so that at every moment there is one.
        try store.link(source.entry, of: source.directory, to: path)
        let store = self.store
        let placed = PlacedFile(file: path) {
            do throws(Errno) { try store.remove(path) } catch {
                // The next mount brings it back as a file of its own.
            }
        }
        guard let status = try store.status(of: path), status.inode == source.status.inode,
            try source.isUnchanged()
        else {
            placed.takeBack()
            throw .stale
        }
        return placed
    }

    // MARK: A copy

    private func copy(
        _ source: ImportSource, _ target: ImportTarget, _ progress: (Int64) throws(Errno) -> Void
    ) throws(ImportFailure) -> ImportOutcome {
        let staged = try stage(source, progress)
        do throws(ImportFailure) {
            let prepared = try prepared(staged.file, path: staged.path, target.name)
            let outcome = try commit(prepared, source, target) { (node) throws(Errno) in
                try markAsOwn(staged.file, target)
                return try place(prepared, in: Store.originals, node: node)
            }
            if case .added = outcome { return outcome }
            drop(staged.path)
            return outcome
        } catch {
            drop(staged.path)
            throw error
        }
    }

    private func stage(
        _ source: ImportSource, _ progress: (Int64) throws(Errno) -> Void
    ) throws(ImportFailure) -> (path: String, file: FileDescriptor) {
        var path: String?
        do throws(Errno) {
            let staged = try store.makeStagingFile()
            path = staged.path
            do throws(Errno) {
                // What a crash leaves of it is dropped: the file outside is still there.
                try staged.file.setAttribute(StagingMark.draft, to: [0x30])
            } catch .notSupported {
                // A store without extended attributes: the next mount keeps what is left as a pending file.
            }
            source.file.adviseSequential()
            try staged.file.copyContents(of: source.file, step: 8 << 20, progress: progress)
            guard try source.isUnchanged() else { throw .stale }
            return staged
        } catch {
            if let path { drop(path) }
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: Errno) -> ImportFailure {
        switch error {
        case .interrupted: .cancelled
        case .stale: .changed
        default: .failed(error)
        }
    }

    /// From here on a crash leaves a file that is more than a copy in the making: it comes back with its name.
    private func markAsOwn(_ file: FileDescriptor, _ target: ImportTarget) throws(Errno) {
        do throws(Errno) {
            try file.removeAttribute(StagingMark.draft)
        } catch .notSupported { return }
        let names = ["DCIM"] + target.directories.map(\.description) + [target.name.description]
        markPlace(names.joined(separator: "/"), on: file)
    }

    private func drop(_ path: String) {
        do throws(Errno) { try store.remove(path) } catch {
            // The next mount drops it.
        }
    }

    // MARK: Both

    private func prepared(
        _ file: FileDescriptor, path: String, _ name: FileName
    ) throws(ImportFailure) -> PreparedFile {
        do throws(CommitFailure) { return try prepare(path: path, file: file, name: name) } catch {
            switch error {
            case .refused(let reason): throw .refused(reason: reason)
            case .failed(let errno): throw .failed(errno)
            }
        }
    }

    private func commit(
        _ prepared: PreparedFile, _ source: ImportSource, _ target: ImportTarget,
        _ place: (UInt64) throws(Errno) -> PlacedFile
    ) throws(ImportFailure) -> ImportOutcome {
        var prepared = prepared
        prepared.modified = source.status.modificationTime
        let attributes = Self.attributes(of: source.file)
        var placed: PlacedFile?
        do throws(Errno) {
            let outcome = try catalog.write { (database) throws(Errno) -> ImportOutcome in
                if let known = try database.known(prepared, target) { return known }
                let node = try database.makeImported(target, prepared, attributes)
                let file = try place(node.id)
                placed = file
                try database.makeAsset(prepared, file: file.file, at: node, client: target.owner.client)
                return try database.finishImport(of: node.id, target)
            }
            placed = nil
            try finish()
            return outcome
        } catch {
            placed?.takeBack()
            throw Self.failure(error)
        }
    }

    /// What programs say of a file in its extended attributes, and the library understands.
    private static func attributes(of file: FileDescriptor) -> [(name: String, value: [UInt8])] {
        var found: [(name: String, value: [UInt8])] = []
        for attribute in AssetAttribute.allCases where attribute.isListed {
            do throws(Errno) {
                guard let value = try file.attribute(attribute.rawValue) else { continue }
                _ = try attribute.meaning(of: value)
                found.append((attribute.rawValue, value))
            } catch {
                // A file system without them, or a value that means nothing here.
            }
        }
        return found
    }

    /// The file outside is about to go because the library has the same: it must really have it.
    private func requireSame(_ source: ImportSource, at path: String) throws(ImportFailure) {
        var isOwn = false
        do throws(Errno) {
            let candidates = try catalog.read { (database) throws(Errno) -> [String] in
                guard let asset = try database.node(atPath: path)?.asset else { return [] }
                return try database.all(
                    "SELECT file FROM resource WHERE asset = ? AND size = ?",
                    [.integer(asset), .integer(source.status.size)]
                ) { $0.text(0) }
            }
            for candidate in candidates {
                do throws(Errno) {
                    if try isName(candidate, of: source) {
                        isOwn = true
                    } else if try store.open(candidate).holdsSame(as: source.file) {
                        return
                    }
                } catch .noEntry { continue }
            }
        } catch { throw .failed(error) }
        if isOwn { throw .ownFile(path: path) }
        throw .damagedTwin(path: path)
    }
}

extension Library {
    /// Whether a path in the store is the very name by which a file from outside was found, as through another mount of
    /// the file system. Another name of the same file is what an interrupted move leaves, and may go.
    private func isName(_ path: String, of source: ImportSource) throws(Errno) -> Bool {
        let parts = path.split(separator: "/")
        guard parts.last.map(String.init) == source.entry else { return false }
        let parent = try Directory(parts.dropLast().joined(separator: "/"), in: store.root).descriptor.status()
        let other = try source.directory.descriptor.status()
        return parent.inode == other.inode && parent.device == other.device
    }
}

/// Rows of what is imported. To be used inside a transaction.
extension Database {
    /// What the library has of the same bytes already; brought back where it was deleted.
    fileprivate func known(_ prepared: PreparedFile, _ target: ImportTarget) throws(Errno) -> ImportOutcome? {
        let twin = try first(
            """
            SELECT n.id, n.asset FROM resource r JOIN node n ON n.asset = r.asset
            WHERE r.digest = ? AND r.size = ? ORDER BY n.file = r.file DESC, n.id LIMIT 1
            """, [.blob(prepared.digest), .integer(prepared.size)]
        ) { (node: $0.uint64(0), asset: $0.int64(1)) }
        guard let twin, let node = try node(twin.node) else { return nil }
        guard try isTrashed(node) else {
            try addToAlbum(twin.asset, target)
            return .same(path: try paths(of: node.id).first ?? "")
        }
        let parent = try makeDirectories(target)
        let name = try freeName(for: target.name, in: parent)
        for place in try places(of: node.id) where place.room == .trash {
            try removeName(cookie: place.cookie, of: node.id, in: place.parent)
        }
        try addName(name, of: node.id, in: parent)
        try run("UPDATE asset SET added_at = ? WHERE id = ?", [.integer(Clock.now()), .integer(twin.asset)])
        try settle(asset: node, lost: nil)
        try addToAlbum(twin.asset, target)
        return .restored(path: try paths(of: node.id).first ?? "")
    }

    /// The node for a file that is an asset before the transaction ends.
    fileprivate func makeImported(
        _ target: ImportTarget, _ prepared: PreparedFile, _ attributes: [(name: String, value: [UInt8])]
    ) throws(Errno) -> NodeRecord {
        let node = try makeImported(.pending, target, file: prepared.path, modified: prepared.modified)
        for (name, value) in attributes {
            try run(
                "INSERT INTO extended_attribute (node, name, value) VALUES (?, ?, ?)",
                [.integer(node.id), .text(name), .blob(value)])
        }
        return node
    }

    /// A node with the file's own time, as `cp -p` would leave it.
    func makeImported(
        _ kind: NodeKind, _ target: ImportTarget, file: String, modified: Int64
    ) throws(Errno) -> NodeRecord {
        let parent = try makeDirectories(target)
        let made = try make(
            NewNode(
                kind: kind, mode: 0o100644, uid: target.owner.uid, gid: target.owner.gid, file: file,
                client: target.owner.client), named: try freeName(for: target.name, in: parent), in: parent)
        try run("UPDATE node SET modified = ? WHERE id = ?", [.integer(modified), .integer(made.id)])
        guard let node = try node(made.id) else { throw .ioError }
        return node
    }

    fileprivate func finishImport(of id: UInt64, _ target: ImportTarget) throws(Errno) -> ImportOutcome {
        guard let asset = try node(id)?.asset else { throw .ioError }
        try addToAlbum(asset, target)
        return .added(path: try paths(of: id).first ?? "")
    }

    private func addToAlbum(_ asset: Int64, _ target: ImportTarget) throws(Errno) {
        guard let album = target.album else { return }
        try requireAlbum(album)
        try addOnce(asset: asset, toAlbum: album, like: target.name)
    }

    private func freeName(for name: FileName, in parent: UInt64) throws(Errno) -> FileName {
        try entry(name, in: parent) == nil ? name : freeName(like: name, in: parent)
    }

    /// The directory that a file goes to, its missing parts made.
    ///
    /// - Throws: `ENOTDIR` where something else has such a name.
    private func makeDirectories(_ target: ImportTarget) throws(Errno) -> UInt64 {
        var current = FixedNode.cameraRoll
        for name in target.directories {
            if let entry = try entry(name, in: current) {
                guard entry.node.kind == .directory else { throw .notDirectory }
                current = entry.node.id
            } else {
                current = try make(
                    NewNode(
                        kind: .directory, mode: 0o040755, uid: target.owner.uid, gid: target.owner.gid,
                        client: target.owner.client), named: name, in: current
                ).id
            }
        }
        return current
    }
}
