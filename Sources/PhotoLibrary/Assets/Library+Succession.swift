internal import Platform
internal import SQLite

/// Programs that write over a picture in steps. Some save beside a backup: they rename the picture to a backup's name,
/// write the new bytes under the old name, and perhaps remove the backup (mogrify, exiftool, vim). Some remove the picture
/// and make a new file in its place (mv from another file system, install). To a user the name is the picture, so the
/// rules of writing over it hold: the same picture is an edit, a different one lets the old one step aside.
extension Library {
    /// Notes that a client renamed an asset, which it may change, within a directory. Of interest are names that hold
    /// the old one whole: `a.jpg~`, `a.jpg_original`, `a.jpg.bak`.
    public func noteRename(of node: UInt64, from old: WrittenName, to new: WrittenName, client: String) {
        guard old.parent == new.parent, new.name.bytes.count > old.name.bytes.count,
            new.name.description.contains(old.name.description)
        else { return }
        setAside.note(node, from: old, to: new.name, client: client)
    }

    /// Notes that a thread removed an asset's name, which it may change.
    public func noteRemoval(of node: UInt64, from name: WrittenName, thread: Int32) {
        setAside.noteRemoval(of: node, from: name, by: thread)
    }

    /// Notes that a thread made a file under a name that was free.
    public func noteCreation(of node: UInt64, at name: WrittenName, thread: Int32) {
        setAside.noteCreation(of: node, at: name, by: thread)
    }

    /// An asset whose place new bytes take.
    enum Predecessor: Sendable {
        /// It has a backup's name now, and becomes an edit.
        case backup(Backup)
        /// It was removed.
        case removed(Removed)

        var isSamePicture: Bool {
            switch self {
            case .backup: true
            case .removed(let removed): removed.isSamePicture
            }
        }
    }

    struct Backup: Sendable {
        /// The backup's name, which leads to the asset.
        var entry: DirectoryEntry
        var asset: Int64
        /// Where the backup's bytes lie, once it is an asset of its own.
        var copy: String
    }

    struct Removed: Sendable {
        var node: NodeRecord
        var isSamePicture: Bool
    }

    /// The asset that was removed to make room for a file, where it is in Recently Deleted now.
    func predecessor(
        of prepared: PreparedFile, file: FileDescriptor, replacing id: UInt64
    ) throws(Errno) -> Predecessor? {
        let node = try catalog.read { (database) throws(Errno) in try database.removed(id) }
        guard let node, let asset = node.asset else { return nil }
        return .removed(
            Removed(node: node, isSamePicture: try showsSamePicture(prepared, file: file, as: asset)))
    }

    /// The asset that was set aside from a name, where bytes that come there now show the same picture.
    ///
    /// Gives its bytes a second name in the store; what comes to nothing is taken back with `abandon`.
    func predecessor(
        of prepared: PreparedFile, file: FileDescriptor, at name: WrittenName, client: String
    ) throws(Errno) -> Predecessor? {
        guard let noted = setAside.backup(of: name, by: client) else { return nil }
        let found = try catalog.read { (database) throws(Errno) in try database.entry(noted.name, in: name.parent) }
        guard let found, found.node.id == noted.node, let asset = found.node.asset, let current = found.node.file,
            try showsSamePicture(prepared, file: file, as: asset)
        else { return nil }
        let pathExtension = current.split(separator: ".").last.map(String.init) ?? "bin"
        let copy = store.path(
            in: Store.originals, node: noted.node, staged: Store.identifier(), pathExtension: pathExtension)
        try store.link(current, to: copy)
        return .backup(Backup(entry: found, asset: asset, copy: copy))
    }

    func abandon(_ predecessor: Predecessor?) {
        guard case .backup(let backup)? = predecessor else { return }
        do throws(Errno) { try store.remove(backup.copy) } catch {
            // Recovery finds it to be bytes that the library has.
        }
    }
}

extension Database {
    /// Makes bytes that lie at `file`, in a node of their own under the old name, an edit of the asset that was set aside;
    /// the backup becomes an asset of its own.
    ///
    /// - Returns: false where the backup is not what it was when it was looked at; nothing is changed then.
    func succeed(
        _ predecessor: Library.Backup, at node: NodeRecord, in parent: UInt64, _ prepared: PreparedFile,
        file: String
    ) throws(Errno) -> Bool {
        let old = predecessor.entry.node
        guard let entry = try entry(predecessor.entry.name, in: parent), entry.cookie == predecessor.entry.cookie,
            entry.node.id == old.id, entry.node.asset == predecessor.asset, entry.node.file == old.file
        else { return false }
        let asset = predecessor.asset
        try detach(entry, from: asset, copy: predecessor.copy)
        // What else leads to the asset leads to its new node.
        try run(
            "UPDATE dentry SET node = ? WHERE node = ? AND id <> ?",
            [.integer(node.id), .integer(old.id), .integer(entry.cookie)])
        let others = changedRows
        try run("UPDATE node SET links = links + ? WHERE id = ?", [.integer(others), .integer(node.id)])
        try run("UPDATE node SET links = links - ? WHERE id = ?", [.integer(others), .integer(old.id)])
        try run(
            """
            INSERT OR IGNORE INTO extended_attribute (node, name, value)
            SELECT ?, name, value FROM extended_attribute WHERE node = ?
            """, [.integer(node.id), .integer(old.id)])
        try settlePlacements(of: node.id, asset: asset, hasDate: true)
        try settleAttributes(of: node.id, asset: asset, isKnown: true)
        try addEdit(prepared, file: file, to: asset, at: node.id)
        try setDisplayName(of: node.id, like: prepared.name)
        return true
    }

    private func addEdit(_ prepared: PreparedFile, file: String, to asset: Int64, at node: UInt64) throws(Errno) {
        if let original = try original(of: asset), original.isEdited, original.digest == prepared.digest {
            try doom(file)
            try revert(asset: asset, at: node, describedBy: prepared)
        } else {
            try addVersion(prepared, file: file, to: asset, at: node)
        }
    }

    /// A node that is in Recently Deleted and nowhere else.
    func removed(_ id: UInt64) throws(Errno) -> NodeRecord? {
        guard let node = try node(id), node.kind == .asset, try isTrashed(node), try places(of: id).isEmpty else {
            return nil
        }
        return node
    }

    /// Brings a removed asset back for a file that took its place: as the asset of which the file is an edit, or beside it.
    ///
    /// - Returns: false where it is not what it was when it was looked at; nothing is changed then.
    func replace(
        _ predecessor: Library.Removed, by node: NodeRecord, in parent: UInt64, _ prepared: PreparedFile, file: String,
        client: String
    ) throws(Errno) -> Bool {
        let old = predecessor.node
        guard let now = try removed(old.id), let asset = now.asset, asset == old.asset, now.file == old.file else {
            return false
        }
        guard predecessor.isSamePicture else {
            try makeAsset(prepared, file: file, at: node, client: client)
            try restore(now, as: freeName(like: prepared.name, in: parent), in: parent)
            return true
        }
        try takeOver(old, by: node.id)
        try settlePlacements(of: node.id, asset: asset, hasDate: true)
        try settleAttributes(of: node.id, asset: asset, isKnown: true)
        try addEdit(prepared, file: file, to: asset, at: node.id)
        guard let edited = try self.node(node.id) else { throw .ioError }
        try settle(asset: edited, lost: nil)
        return true
    }

    /// Makes the current bytes of an asset, which lie at `copy` too, an asset of their own at the node of an entry.
    private func detach(_ entry: DirectoryEntry, from asset: Int64, copy: String) throws(Errno) {
        let now = Clock.now()
        try run(
            """
            INSERT INTO asset (identifier, media_type, subtypes, width, height, orientation, duration, captured,
                captured_offset, captured_source, captured_evidence, day, latitude, longitude, altitude, make, model,
                lens, hidden, added_at, modified_at, client)
            SELECT ?1, media_type, subtypes, width, height, orientation, duration, captured, captured_offset,
                captured_source, captured_evidence, day, latitude, longitude, altitude, make, model, lens, hidden,
                ?2, ?2, client FROM asset WHERE id = ?3
            """, [.text(Store.identifier()), .integer(now), .integer(asset)])
        let detached = lastInsertedRow
        try run(
            """
            INSERT INTO resource (asset, type, version, file, size, blocks, digest, uniform_type, kind, filename)
            SELECT ?1, CASE type WHEN ?2 THEN ?3 WHEN ?4 THEN ?5 ELSE type END, 0, ?6, size, blocks, digest,
                uniform_type, kind, ?7
            FROM resource WHERE asset = ?8 AND file = ?9
            """,
            [
                .integer(detached), .integer(ResourceType.fullSizePhoto.rawValue),
                .integer(ResourceType.photo.rawValue), .integer(ResourceType.fullSizeVideo.rawValue),
                .integer(ResourceType.video.rawValue), .text(copy), .text(entry.name.bytes), .integer(asset),
                .text(entry.node.file),
            ])
        guard changedRows == 1 else { throw .ioError }
        try run(
            "UPDATE node SET asset = ?, file = ?, changed = ? WHERE id = ?",
            [.integer(detached), .text(copy), .integer(now), .integer(entry.node.id)])
    }
}
