public import Media
public import Platform
internal import SQLite

/// What became of bytes at the close of their last writer.
public enum CommitOutcome: Sendable {
    /// The node is an asset now, and these bytes are its current version.
    case asset
    /// The same, and these bytes are an edit of an asset whose node is gone.
    case edit(of: NodeRecord)
    /// The library had these bytes: the names belong to that asset's node now, and the node is gone.
    case merged(into: UInt64)
    /// The bytes are what the asset had already; the draft is gone.
    case unchanged
    /// No asset, and no error: a temporary name, a file of another kind, no bytes, or no name any more.
    case kept
}

extension Library {
    /// Makes an asset of a pending file, or another name of the asset that has the same bytes.
    ///
    /// When it returns, what it did is on the disk (unless the library is relaxed).
    /// - Parameters:
    ///   - file: the node's staging file, open. No other thread writes to it meanwhile.
    ///   - stream: what was hashed while the file was written.
    /// - Throws: what refused the bytes; the node stays pending and says why.
    public func commitPending(
        _ id: UInt64, file: FileDescriptor, stream: StreamingDigest? = nil, client: String
    ) throws(CommitFailure) -> CommitOutcome {
        let node: NodeRecord
        let place: WrittenName
        let replaced = setAside.takeReplaced(by: id)
        do throws(Errno) {
            guard let (found, ordinary) = try pendingNode(id) else { return .kept }
            node = found
            place = ordinary
            let status = try file.status()
            if status.size == 0 {
                try setReason(of: node, to: nil)
                return .kept
            }
            markClosed(file, status)
        } catch { throw .failed(error) }
        guard let staged = node.file else { throw .failed(.ioError) }
        let prepared: PreparedFile
        do throws(CommitFailure) {
            prepared = try prepare(path: staged, file: file, name: place.name, stream: stream)
        } catch .refused(let reason) {
            do throws(Errno) {
                try setReason(of: node, to: reason)
                try finish()
            } catch { throw .failed(error) }
            throw .refused(reason: reason)
        }
        do throws(Errno) {
            var predecessor = try predecessor(of: prepared, file: file, at: place, client: client)
            if predecessor == nil, let replaced {
                predecessor = try self.predecessor(of: prepared, file: file, replacing: replaced)
            }
            do throws(Errno) {
                return try commit(prepared, at: node, in: place.parent, predecessor, client: client)
            } catch .stale where predecessor != nil {
                // What was set aside is something else since it was looked at.
                return try commit(prepared, at: node, in: place.parent, nil, client: client)
            }
        } catch { throw .failed(error) }
    }

    /// The node, with the name that makes it an asset; nil where there is nothing to commit.
    private func pendingNode(_ id: UInt64) throws(Errno) -> (NodeRecord, WrittenName)? {
        let (node, places) = try catalog.read { (database) throws(Errno) in
            (try database.node(id), try database.places(of: id))
        }
        guard let node, node.kind == .pending else { return nil }
        let ordinary = places.first { $0.room == .cameraRoll && NameClass(of: $0.name) == .ordinary }
        return ordinary.map { (node, WrittenName(parent: $0.parent, name: $0.name)) }
    }

    private func markClosed(_ file: FileDescriptor, _ status: FileStatus) {
        do throws(Errno) {
            try file.setAttribute(StagingMark.closed, to: StagingMark.closedValue(status))
        } catch {
            // A store without extended attributes: after a crash the file stays pending until somebody writes it again.
        }
    }

    /// Notes that a pending file is not whole, whatever its bytes look like: a write of it failed.
    public func noteIncomplete(_ id: UInt64, reason: String) throws(Errno) {
        guard let node = try node(id), node.kind == .pending else { return }
        try writeRemoval { (database) throws(Errno) in
            try database.run(
                "UPDATE node SET reason = ? WHERE id = ?", [.text(reason), .integer(node.id)])
        }
    }

    func setReason(of node: NodeRecord, to reason: String?) throws(Errno) {
        guard node.reason != reason else { return }
        try catalog.write { (database) throws(Errno) in
            try database.run(
                "UPDATE node SET reason = ? WHERE id = ?", [.text(reason), .integer(node.id)])
        }
    }

    private func commit(
        _ prepared: PreparedFile, at node: NodeRecord, in parent: UInt64, _ predecessor: Predecessor?, client: String
    ) throws(Errno) -> CommitOutcome {
        var isSuccession = false
        defer { if !isSuccession { abandon(predecessor) } }
        let placed = try place(
            prepared, in: predecessor?.isSamePicture == true ? Store.renders : Store.originals, node: node.id)
        let outcome: Made?
        do throws(Errno) {
            outcome = try catalog.write { (database) throws(Errno) -> Made? in
                guard let current = try database.node(node.id), current.file == prepared.path else {
                    // Its last name went while it was looked at.
                    try database.doom(placed.file)
                    return .other(.kept)
                }
                // It was moved to where files are kept as they are.
                guard current.kind == .pending else { return nil }
                if let twin = try database.assetHolding(digest: prepared.digest, size: prepared.size) {
                    try database.doom(placed.file)
                    try database.mergeNames(of: current, into: twin.node)
                    return .other(.merged(into: twin.node))
                }
                switch predecessor {
                case .backup(let backup)?:
                    guard try database.succeed(backup, at: current, in: parent, prepared, file: placed.file) else {
                        throw .stale
                    }
                    return .succession
                case .removed(let removed)?:
                    guard
                        try database.replace(
                            removed, by: current, in: parent, prepared, file: placed.file, client: client)
                    else { throw .stale }
                    return .other(removed.isSamePicture ? .edit(of: removed.node) : .asset)
                case nil: break
                }
                try database.makeAsset(prepared, file: placed.file, at: current, client: client)
                return .other(.asset)
            }
        } catch {
            takeBack(placed, pending: node)
            throw error
        }
        guard let outcome else {
            takeBack(placed, pending: node)
            return .kept
        }
        if case .succession = outcome { isSuccession = true }
        try finish()
        switch outcome {
        case .other(let outcome): return outcome
        case .succession:
            setAside.forget(WrittenName(parent: parent, name: prepared.name))
            return .asset
        }
    }

    private enum Made {
        /// An edit of an asset that was set aside.
        case succession
        case other(CommitOutcome)
    }

    /// Makes the names of an empty pending file names of an asset: a copy of all its bytes, without copying one.
    ///
    /// When it returns, what it did is on the disk (unless the library is relaxed).
    /// - Parameter file: the version whose bytes are copied, relative to the library.
    /// - Returns: the pending node as it was, and the asset's node; nil, and nothing was done, where the file is not that
    ///   asset's version now, or where what has that name becomes no asset by its name.
    public func copyAsset(
        _ source: UInt64, file: String, to id: UInt64
    ) throws(Errno) -> (node: NodeRecord, target: UInt64)? {
        guard let (_, _) = try pendingNode(id) else { return nil }
        let merged = try catalog.write { (database) throws(Errno) -> NodeRecord? in
            guard let asset = try database.node(source), asset.kind == .asset, asset.file == file,
                let pending = try database.node(id), pending.kind == .pending
            else { return nil }
            try database.mergeNames(of: pending, into: source)
            return pending
        }
        guard let merged else { return nil }
        try finish()
        return (merged, source)
    }

    /// Makes what was committed last, and removes the files that it made superfluous.
    func finish() throws(Errno) {
        if !options.isRelaxed { try catalog.synchronize() }
        sweeper.sweep()
    }

    /// A version's file at its place in the store.
    struct PlacedFile {
        var file: String
        /// Undoes the placing, for a transaction that failed.
        var takeBack: () -> Void
    }

    /// Undoes the placing of a pending file; where somebody removed it meanwhile, its bytes go too.
    func takeBack(_ placed: PlacedFile, pending node: NodeRecord) {
        placed.takeBack()
        do throws(Errno) {
            guard let path = node.file, try self.node(node.id) == nil else { return }
            try store.remove(path)
        } catch {
            // Recovery finds a file without a row.
        }
    }

    /// Moves staged bytes to where versions lie; where the store has equal bytes already, those get a second name
    /// and the staged ones go.
    ///
    /// The move comes before the transaction. A crash between the two leaves the file under its identifier, and the
    /// next opening moves it back (see recovery).
    func place(_ prepared: PreparedFile, in area: String, node: UInt64) throws(Errno) -> PlacedFile {
        let target = store.path(
            in: area, node: node, staged: prepared.path, pathExtension: prepared.inspection.kind.preferredExtension)
        let store = self.store
        try store.move(prepared.path, to: target)
        let path = prepared.path
        return PlacedFile(file: target) {
            do throws(Errno) { try store.move(target, to: path) } catch {
                // Recovery finds it by its identifier.
            }
        }
    }
}

extension Library {
    /// Undoes a merge for a file that its writer goes on writing to: the names lead to a node of its own again.
    ///
    /// - Parameters:
    ///   - node: the node as it was before the merge; its number is taken up again.
    ///   - draft: what the writer goes on with.
    /// - Returns: false where none of the names leads there any more; the node stays gone.
    public func separate(
        _ node: NodeRecord, from target: UInt64, names: [(parent: UInt64, name: FileName)], draft: Draft
    ) throws(Errno) -> Bool {
        try catalog.write { (database) throws(Errno) in
            var entries: [(entry: DirectoryEntry, parent: UInt64)] = []
            for (parent, name) in names {
                guard let entry = try database.entry(name, in: parent), entry.node.id == target else { continue }
                entries.append((entry, parent))
            }
            if entries.isEmpty { return false }
            try database.run(
                """
                INSERT INTO node (id, kind, room, mode, uid, gid, links, accessed, changed, file, client)
                VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)
                """,
                [
                    .integer(node.id), .integer(NodeKind.pending.rawValue), .integer(node.room.rawValue),
                    .integer(node.mode), .integer(node.uid), .integer(node.gid), .integer(Clock.now()),
                    .integer(Clock.now()), .text(draft.path), .text(node.client),
                ])
            for (entry, parent) in entries {
                try database.removeName(cookie: entry.cookie, of: target, in: parent)
                try database.addName(entry.name, of: node.id, in: parent)
                try database.settle(asset: entry.node, lost: (parent, entry.name))
            }
            return true
        }
    }

    /// The names of a node: directory and name of each.
    public func names(of id: UInt64) throws(Errno) -> [(parent: UInt64, name: FileName)] {
        try catalog.read { (database) throws(Errno) in
            try database.places(of: id).map { (parent: $0.parent, name: $0.name) }
        }
    }
}

extension Database {
    /// Hands all names of a node, and what clients set on it, to a node with the same bytes.
    func mergeNames(of node: NodeRecord, into target: UInt64) throws(Errno) {
        let now = Clock.now()
        guard let asset = try self.node(target)?.asset else { throw .ioError }
        if try places(of: target).contains(where: { $0.room.isInRoll }) { try dropProvisionalNames(of: node.id) }
        try gatherSidecars(madeWith: node.id, beside: target)
        try settlePlacements(of: node.id, asset: asset, hasDate: true)
        try settleAttributes(of: node.id, asset: asset, isKnown: true)
        // Whoever made the node still has its names, though the bytes belong to somebody else's asset now.
        try run(
            "UPDATE dentry SET node = ?, client = coalesce(client, ?) WHERE node = ?",
            [.integer(target), .text(node.client), .integer(node.id)])
        try run(
            "UPDATE node SET links = links + ?, changed = ?, modified = coalesce(?, modified) WHERE id = ?",
            [.integer(changedRows), .integer(now), .integer(node.modified), .integer(target)])
        try run(
            """
            INSERT OR IGNORE INTO extended_attribute (node, name, value)
            SELECT ?, name, value FROM extended_attribute WHERE node = ?
            """, [.integer(target), .integer(node.id)])
        try removeNode(node)
        guard let kept = try self.node(target) else { throw .ioError }
        // A picture that was deleted and comes again is back, as if added now.
        if let asset = kept.asset {
            try run(
                "UPDATE asset SET added_at = ? WHERE id = ? AND trashed_at IS NOT NULL",
                [.integer(now), .integer(asset)])
        }
        try settle(asset: kept, lost: nil)
        try attachSidecars(to: target, by: node.client ?? "")
    }
}

extension Library {
    /// Hashes a file while it is written.
    public func makeStreamingDigest() -> StreamingDigest { StreamingDigest(pool: hashers) }

    /// Puts a file that is no asset, and its name, on the disk.
    public func makeLast(_ file: FileDescriptor) throws(Errno) {
        if options.isRelaxed { return }
        try file.syncData()
        try catalog.synchronize()
    }
}
