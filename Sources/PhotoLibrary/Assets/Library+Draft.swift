internal import Media
public import Platform
internal import SQLite

/// The name under which a client opened a file that has several.
public struct WrittenName: Sendable, Hashable {
    public var parent: UInt64
    public var name: FileName
    public init(parent: UInt64, name: FileName) {
        self.parent = parent
        self.name = name
    }
}

extension [Database.Place] {
    /// The place in the camera roll that was written to; the first one where nobody knows.
    func written(as written: WrittenName?) -> Database.Place? {
        let inRoll = filter { $0.room.isInRoll }
        return inRoll.first { $0.parent == written?.parent && $0.name == written?.name } ?? inRoll.first
    }
}

/// Bytes that a client writes over an asset. The asset keeps its version until they are committed.
public struct Draft: Sendable {
    /// Relative to the library.
    let path: String
    public let file: FileDescriptor
}

extension Library {
    /// Makes a draft of a node's current bytes, or an empty one.
    public func makeDraft(of id: UInt64, copying source: FileDescriptor?) throws(Errno) -> Draft {
        let (path, file) = try store.makeStagingFile()
        do throws(Errno) {
            try noteDraft(of: id, on: file)
            if let source { try file.copyContents(of: source) }
        } catch {
            try store.remove(path)
            throw error
        }
        return Draft(path: path, file: file)
    }

    /// Drops a draft; the asset stays as it was.
    public func discard(_ draft: Draft) throws(Errno) { try store.remove(draft.path) }

    /// Commits what was written over an asset: nothing where the bytes are the same, an edit where they show the same
    /// picture, else a new asset at this node, the one that was there stepping aside with all that belonged to it.
    ///
    /// - Parameters:
    ///   - amends: the program that made the current version has not closed it yet; its version is replaced.
    ///   - written: the name under which the file was opened, where that is known: the others keep the asset that
    ///     steps aside.
    /// - Throws: what refused the bytes. The draft and the asset are as they were.
    public func commitDraft(
        _ draft: Draft, of id: UInt64, amends: Bool, written: WrittenName?, client: String
    ) throws(CommitFailure) -> CommitOutcome {
        // Another process may give the asset other bytes between the decision and the transaction: it is made anew then.
        for _ in 0..<16 {
            let target: (node: NodeRecord, name: FileName)?
            let isEmpty: Bool
            do throws(Errno) {
                target = try draftTarget(id, written)
                isEmpty = try draft.file.status().size == 0
                if target == nil { try discard(draft) }
            } catch { throw .failed(error) }
            guard let (node, name) = target else { return .unchanged }
            if isEmpty {
                throw .refused(
                    reason: "The file was emptied. A photo or video cannot be empty, so it kept its picture.")
            }
            let prepared = try prepare(path: draft.path, file: draft.file, name: name)
            let outcome: CommitOutcome?
            do throws(Errno) {
                outcome = try commit(
                    prepared, file: draft.file, over: node, amends: amends, written: written, client: client)
            } catch { throw .failed(error) }
            if let outcome { return outcome }
        }
        throw .failed(.stale)
    }

    /// The asset's node with its name in the camera roll; nil where it was deleted while it was open.
    private func draftTarget(
        _ id: UInt64, _ written: WrittenName?
    ) throws(Errno) -> (node: NodeRecord, name: FileName)? {
        let (node, places) = try catalog.read { (database) throws(Errno) in
            (try database.node(id), try database.places(of: id))
        }
        guard let node, node.asset != nil, let place = places.written(as: written) else { return nil }
        return (node, place.name)
    }

    /// - Returns: nil where the asset has other bytes by now, and nothing was done.
    private func commit(
        _ prepared: PreparedFile, file: FileDescriptor, over node: NodeRecord, amends: Bool,
        written: WrittenName?, client: String
    ) throws(Errno) -> CommitOutcome? {
        guard let asset = node.asset else { throw .stale }
        let latest = try catalog.read { (database) throws(Errno) in try database.latestVersion(of: asset) }
        if latest?.digest == prepared.digest {
            try store.remove(prepared.path)
            return .unchanged
        }
        let original = try catalog.read { (database) throws(Errno) in try database.original(of: asset) }
        let isRevert = original?.isEdited == true && original?.digest == prepared.digest
        var isSame = amends || isRevert
        if !isSame { isSame = try showsSamePicture(prepared, file: file, as: asset) }
        // A new asset's own bytes are an original, also where they come in several steps.
        let isEdit = isSame && !(amends && latest?.version == 0)
        let placed = try place(prepared, in: isEdit ? Store.renders : Store.originals, node: node.id)
        let outcome: CommitOutcome?
        do throws(Errno) {
            outcome = try catalog.write { (database) throws(Errno) -> CommitOutcome? in
                guard let current = try database.node(node.id), current.asset == asset, current.file == node.file
                else { return nil }
                if !isRevert,
                    let twin = try database.assetHolding(digest: prepared.digest, size: prepared.size),
                    twin.asset != asset
                {
                    try database.doom(placed.file)
                    try database.giveNames(
                        of: current, to: twin.node, keepingAsset: !amends, written: written, client: client)
                    return .merged(into: twin.node)
                }
                if isRevert {
                    try database.doom(placed.file)
                    try database.revert(asset: asset, at: current.id, describedBy: prepared)
                } else if amends {
                    try database.amendVersion(prepared, file: placed.file, of: asset, at: current.id)
                } else if isSame {
                    try database.addVersion(prepared, file: placed.file, to: asset, at: current.id)
                } else {
                    try database.stepAside(current, written: written)
                    try database.makeAsset(prepared, file: placed.file, at: current, client: client)
                }
                return .asset
            }
        } catch {
            placed.takeBack()
            throw error
        }
        if outcome == nil { placed.takeBack() } else { try finish() }
        return outcome
    }

    /// Keeps refused bytes as a pending file beside their asset; no bytes are no file.
    ///
    /// - Returns: the directory in which the file appeared.
    @discardableResult
    public func keep(
        _ draft: Draft, of id: UInt64, written: WrittenName?, reason: String
    ) throws(Errno) -> UInt64? {
        if try draft.file.status().size == 0 {
            try discard(draft)
            return nil
        }
        try turnIntoPendingFile(draft, of: id, written)
        let directory = try catalog.write { (database) throws(Errno) -> UInt64? in
            guard let node = try database.node(id),
                let place = try database.places(of: id).written(as: written)
            else {
                try database.doom(draft.path)
                return nil
            }
            let name = try database.freeName(like: place.name, in: place.parent)
            let made = try database.make(
                NewNode(
                    kind: .pending, mode: node.mode, uid: node.uid, gid: node.gid, file: draft.path,
                    client: node.client), named: name, in: place.parent)
            try database.run("UPDATE node SET reason = ? WHERE id = ?", [.text(reason), .integer(made.id)])
            return place.parent
        }
        try finish()
        return directory
    }

    /// Whether a draft's file still lies in staging.
    public func isStaged(_ draft: Draft) throws(Errno) -> Bool { try store.status(of: draft.path) != nil }

    /// Marks a draft as a file of its own: where the transaction that follows fails, recovery brings it back.
    private func turnIntoPendingFile(_ draft: Draft, of id: UInt64, _ written: WrittenName?) throws(Errno) {
        let place = try catalog.read { (database) throws(Errno) in try database.places(of: id).written(as: written) }
        do throws(Errno) {
            try draft.file.removeAttribute(StagingMark.draft)
        } catch .notSupported { return }
        if let place { markPlace(path(of: place.name, in: place.parent), on: draft.file) }
    }

    /// Marks a staging file as a draft, so that recovery knows what it was.
    private func noteDraft(of id: UInt64, on file: FileDescriptor) throws(Errno) {
        do throws(Errno) {
            try file.setAttribute(StagingMark.draft, to: Array(String(id).utf8))
        } catch .notSupported {
            // A store without extended attributes: recovery takes the file for a pending one, and nothing is lost.
        }
    }
}

/// The extended attributes that staging files carry for recovery.
enum StagingMark {
    /// Of a draft: the node that it is written over, in decimal.
    static let draft = "user.cameraroll.draft"
    /// Of a pending file: its path below the root when it was made.
    static let place = "user.cameraroll.place"
    /// Of a pending file that its last writer has closed: size and modification time at that moment, so that a file
    /// written to since does not count as closed.
    static let closed = "user.cameraroll.closed"

    /// The value of `closed` for a file as it is now.
    static func closedValue(_ status: FileStatus) -> [UInt8] {
        Array("\(status.size) \(status.modificationTime)".utf8)
    }
}

extension Database {
    /// Makes a node's names those of another node that has the bytes just written.
    ///
    /// - Parameter keepingAsset: the asset that was there steps aside; else it was only half written, and goes.
    func giveNames(
        of node: NodeRecord, to target: UInt64, keepingAsset: Bool, written: WrittenName?, client: String
    ) throws(Errno) {
        let asset = node.asset
        var emptied = node
        var keepsAsset = keepingAsset
        if let asset, let original = try original(of: asset), original.isEdited { keepsAsset = true }
        if keepsAsset {
            try stepAside(node, written: written)
        } else {
            if let file = node.file { try doom(file) }
            if let asset, let other = try self.node(target)?.asset { try handOver(from: asset, to: other) }
            try run("UPDATE node SET display_name = NULL, asset = NULL WHERE id = ?", [.integer(node.id)])
            try run("DELETE FROM asset WHERE id = ?", [.integer(asset)])
        }
        // Whoever wrote here sees the name on, also where the asset at which it leads now is somebody else's.
        try run("UPDATE dentry SET client = ? WHERE node = ?", [.text(client), .integer(node.id)])
        emptied.asset = nil
        emptied.file = nil
        try mergeNames(of: emptied, into: target)
    }

    /// Gives what a node holds to a new node, `IMG_0001~1.JPG` in the same directory, with all that belonged to it.
    /// The node itself is left with the name that was written to, for what replaces it; with all its names where
    /// nobody knows which that was.
    func stepAside(_ node: NodeRecord, written: WrittenName?) throws(Errno) {
        let all = try places(of: node.id)
        guard let asset = node.asset, let place = all.written(as: written) else { throw .stale }
        let name = try freeName(like: place.name, in: place.parent)
        let made = try make(
            NewNode(kind: .asset, mode: node.mode, uid: node.uid, gid: node.gid, client: node.client),
            named: name, in: place.parent)
        // The name in views goes along; it is unique, so it leaves the old node first.
        try run("UPDATE node SET display_name = NULL, asset = NULL WHERE id = ?", [.integer(node.id)])
        try run(
            """
            UPDATE node SET asset = ?, file = ?, size = ?, blocks = ?, captured = ?, modified = ?, accessed = ?,
                display_name = ? WHERE id = ?
            """,
            [
                .integer(asset), .text(node.file), .integer(node.size), .integer(node.blocks),
                .integer(node.captured), .integer(node.modified), .integer(node.accessed),
                node.displayName.map { .text($0.bytes) } ?? .null, .integer(made.id),
            ])
        try run(
            "UPDATE extended_attribute SET node = ? WHERE node = ?", [.integer(made.id), .integer(node.id)])
        try run("UPDATE node SET modified = NULL WHERE id = ?", [.integer(node.id)])
        guard written != nil else { return }
        try run(
            "UPDATE dentry SET node = ? WHERE node = ? AND id <> ?",
            [.integer(made.id), .integer(node.id), .integer(place.cookie)])
        try run("UPDATE node SET links = links + ? WHERE id = ?", [.integer(all.count - 1), .integer(made.id)])
        try run("UPDATE node SET links = 1 WHERE id = ?", [.integer(node.id)])
    }
}
