public import Platform
internal import SQLite

/// An album: assets under names of its own, and further albums.
public struct AlbumRecord: Sendable, Hashable {
    public var id: UInt64
    /// PhotoKit's local identifier without its suffix: a UUID.
    public var identifier: String
    /// 0 at the top.
    public var parent: UInt64
    public var name: FileName
    /// Nanoseconds since 1970 UTC.
    public var modified: Int64
    public var client: String?
    /// What somebody set on its directory; nil for what the camera roll has.
    public var mode: UInt32?
    public var uid: UInt32?
    public var gid: UInt32?

    init(row: Row) {
        id = row.uint64(0)
        identifier = row.text(1)
        parent = row.uint64(2)
        name = FileName(trusted: row.bytes(3))
        modified = row.int64(4)
        client = row.optionalText(5)
        mode = row.optionalInt64(6).map { UInt32(truncatingIfNeeded: $0) }
        uid = row.optionalInt64(7).map { UInt32(truncatingIfNeeded: $0) }
        gid = row.optionalInt64(8).map { UInt32(truncatingIfNeeded: $0) }
    }
}

/// An asset in an album.
public struct AlbumEntry: Sendable {
    /// Its key in listings.
    public var cookie: UInt64
    public var name: FileName
    public var node: NodeRecord
}

/// Albums. Deleted assets keep their places in them and do not show.
extension Library {
    public func album(_ id: UInt64) throws(Errno) -> AlbumRecord? {
        try catalog.read { (database) throws(Errno) in try database.album(id) }
    }

    public func album(named name: FileName, in parent: UInt64) throws(Errno) -> AlbumRecord? {
        try catalog.read { (database) throws(Errno) in try database.album(named: name, in: parent) }
    }

    /// Reads the albums in an album (0: the top) that follow `id`, until `body` answers false.
    public func forEachAlbum(
        in parent: UInt64, after id: UInt64, _ body: (AlbumRecord) -> Bool
    ) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            try database.forEach(
                """
                SELECT id, identifier, parent, name, modified_at, client, mode, uid, gid FROM album
                WHERE parent = ? AND id > ? ORDER BY id
                """, [.integer(parent), .integer(id)]
            ) { body(AlbumRecord(row: $0)) }
        }
    }

    public func entry(_ name: FileName, inAlbum album: UInt64) throws(Errno) -> AlbumEntry? {
        try catalog.read { (database) throws(Errno) in
            guard let found = try database.entry(name, inAlbum: album), !found.isDeleted else { return nil }
            return found.entry
        }
    }

    /// Reads an album's assets whose entry follows `cookie`, until `body` answers false.
    public func forEachEntry(
        ofAlbum album: UInt64, after cookie: UInt64, _ body: (AlbumEntry) -> Bool
    ) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            try database.forEach(
                """
                SELECT e.id, e.name, n.* FROM album_entry e JOIN asset a ON a.id = e.asset
                JOIN node n ON n.asset = a.id
                WHERE e.album = ? AND e.id > ? AND a.trashed_at IS NULL ORDER BY e.id
                """, [.integer(album), .integer(cookie)]
            ) {
                body(
                    AlbumEntry(
                        cookie: $0.uint64(0), name: FileName(trusted: $0.bytes(1)),
                        node: NodeRecord(row: $0, from: 2)))
            }
        }
    }

    /// Makes an empty album.
    ///
    /// - Throws: `EEXIST` where the name is taken, `ENOENT` where the album around it is gone.
    public func makeAlbum(_ name: FileName, in parent: UInt64, client: String) throws(Errno) -> AlbumRecord {
        try catalog.write { (database) throws(Errno) in
            try database.requireAlbum(parent)
            guard try database.album(named: name, in: parent) == nil,
                try database.freeEntry(name, inAlbum: parent)
            else { throw .exists }
            try database.run(
                "INSERT INTO album (identifier, parent, name, modified_at, client) VALUES (?, ?, ?, ?, ?)",
                [
                    .text(Store.identifier()), .integer(parent), .text(name.bytes), .integer(Clock.now()),
                    .text(client),
                ])
            guard let made = try database.album(UInt64(bitPattern: database.lastInsertedRow)) else { throw .ioError }
            try database.touchAlbum(parent)
            return made
        }
    }

    /// Removes an empty album.
    ///
    /// - Throws: `ENOTEMPTY` where it holds albums, or assets that are not deleted.
    public func removeAlbum(_ name: FileName, in parent: UInt64) throws(Errno) {
        try writeRemoval { (database) throws(Errno) in
            guard let album = try database.album(named: name, in: parent) else {
                throw try database.entry(name, inAlbum: parent) == nil ? .noEntry : .notDirectory
            }
            try database.removeEmptyAlbum(album.id)
            try database.touchAlbum(parent)
        }
    }

    /// Renames an album, or moves it into another.
    ///
    /// - Throws: `EINVAL` into itself; `EEXIST` where the name is taken and may not be replaced; `ENOTEMPTY` and
    ///   `ENOTDIR` for what has the name (rename(2)).
    public func moveAlbum(
        _ name: FileName, in parent: UInt64, to newName: FileName, in newParent: UInt64, mayReplace: Bool
    ) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            guard let album = try database.album(named: name, in: parent) else { throw .noEntry }
            try database.requireAlbum(newParent)
            var around = newParent
            while around != 0 {
                if around == album.id { throw .invalid }
                around = try database.album(around)?.parent ?? 0
            }
            if let target = try database.album(named: newName, in: newParent), target.id != album.id {
                guard mayReplace else { throw .exists }
                try database.removeEmptyAlbum(target.id)
            } else if try !database.freeEntry(newName, inAlbum: newParent) {
                throw mayReplace ? .notDirectory : .exists
            }
            try database.run(
                "UPDATE album SET parent = ?, name = ? WHERE id = ?",
                [.integer(newParent), .text(newName.bytes), .integer(album.id)])
            // As of every directory: what it lists is as it was, what lies around it is not.
            for around in [parent, newParent] { try database.touchAlbum(around) }
        }
    }

    /// Adds an asset, or for the moment one file of it, to an album. Another asset of that name there steps aside to `IMG_0001~1.JPG`.
    ///
    /// - Throws: `EPERM` at the top, which holds albums only, and for what is no asset; `EEXIST` where the name is taken
    ///   and nothing may be replaced; `EISDIR` where an album has it.
    public func add(
        _ id: UInt64, toAlbum album: UInt64, as name: FileName, mayReplace: Bool, othersFollow: Bool = false
    ) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            guard album != 0 else { throw .notPermitted }
            try database.requireAlbum(album)
            guard let asset = try database.node(id)?.asset else { throw .notPermitted }
            try database.add(asset: asset, toAlbum: album, as: name, mayReplace: mayReplace)
            if othersFollow {
                try database.awaitOthers(of: asset, at: .album(album))
            } else {
                try database.addOtherMembers(of: asset, toAlbum: album, besides: name)
            }
        }
    }

    /// Takes an asset out of an album; it stays in the library.
    public func removeEntry(_ name: FileName, fromAlbum album: UInt64) throws(Errno) {
        try writeRemoval { (database) throws(Errno) in
            guard let found = try database.entry(name, inAlbum: album) else {
                throw try database.album(named: name, in: album) == nil ? .noEntry : .isDirectory
            }
            try database.run("DELETE FROM album_entry WHERE id = ?", [.integer(found.entry.cookie)])
            try database.touchAlbum(album)
        }
    }

    /// Renames an asset's entry, or moves it to another album. The asset's other names stay.
    public func moveEntry(
        _ name: FileName, inAlbum album: UInt64, to newName: FileName, inAlbum newAlbum: UInt64, mayReplace: Bool
    ) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            guard newAlbum != 0 else { throw .notPermitted }
            try database.requireAlbum(newAlbum)
            guard let found = try database.entry(name, inAlbum: album), let asset = found.entry.node.asset else {
                throw .noEntry
            }
            if album == newAlbum, name == newName { return }
            try database.run("DELETE FROM album_entry WHERE id = ?", [.integer(found.entry.cookie)])
            try database.add(asset: asset, toAlbum: newAlbum, as: newName, mayReplace: mayReplace)
            if album != newAlbum { try database.awaitOthers(of: asset, at: .album(newAlbum)) }
            try database.touchAlbum(album)
        }
    }

    /// The names that one file of an asset has in an album.
    public func names(ofAsset asset: Int64, inAlbum album: UInt64) throws(Errno) -> [FileName] {
        try catalog.read { (database) throws(Errno) in
            try database.all(
                "SELECT name FROM album_entry WHERE asset = ? AND album = ? ORDER BY id",
                [.integer(asset), .integer(album)]
            ) { FileName(trusted: $0.bytes(0)) }
        }
    }

    /// Sets permissions, owner and time of an album's directory. An album has no time of access.
    public func update(album id: UInt64, _ update: AttributeUpdate) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            guard id != 0, try database.album(id) != nil else { throw .noEntry }
            try database.run(
                """
                UPDATE album SET mode = coalesce(?, mode), uid = coalesce(?, uid), gid = coalesce(?, gid),
                    modified_at = coalesce(?, modified_at) WHERE id = ?
                """,
                [
                    .integer(update.mode.map { Int64($0 & 0o7777) }), .integer(update.uid.map { Int64($0) }),
                    .integer(update.gid.map { Int64($0) }), .integer(update.modified), .integer(id),
                ])
        }
    }

    /// The albums that an asset is in.
    public func albums(of asset: Int64) throws(Errno) -> [UInt64] {
        try catalog.read { (database) throws(Errno) in
            try database.all(
                "SELECT DISTINCT album FROM album_entry WHERE asset = ? ORDER BY album", [.integer(asset)]
            ) { $0.uint64(0) }
        }
    }

    /// The path of an album below `Albums`.
    public func path(ofAlbum id: UInt64) throws(Errno) -> String {
        try catalog.read { (database) throws(Errno) in
            var parts: [String] = []
            var current = id
            for _ in 0..<4096 where current != 0 {
                guard let album = try database.album(current) else { break }
                parts.append(album.name.description)
                current = album.parent
            }
            return parts.reversed().joined(separator: "/")
        }
    }
}

/// Rows of albums. To be used inside a transaction where they change something.
extension Database {
    func album(_ id: UInt64) throws(Errno) -> AlbumRecord? {
        try first(
            "SELECT id, identifier, parent, name, modified_at, client, mode, uid, gid FROM album WHERE id = ?",
            [.integer(id)]
        ) { AlbumRecord(row: $0) }
    }

    func album(named name: FileName, in parent: UInt64) throws(Errno) -> AlbumRecord? {
        try first(
            """
            SELECT id, identifier, parent, name, modified_at, client, mode, uid, gid FROM album
            WHERE parent = ? AND name = ?
            """,
            [.integer(parent), .text(name.bytes)]
        ) { AlbumRecord(row: $0) }
    }

    /// - Throws: `ENOENT` where there is no such album; 0 is the top, which is always there.
    func requireAlbum(_ id: UInt64) throws(Errno) {
        if id == 0 { return }
        guard try album(id) != nil else { throw .noEntry }
    }

    func entry(
        _ name: FileName, inAlbum album: UInt64
    ) throws(Errno) -> (entry: AlbumEntry, isDeleted: Bool)? {
        try first(
            """
            SELECT e.id, a.trashed_at IS NOT NULL, n.* FROM album_entry e JOIN asset a ON a.id = e.asset
            JOIN node n ON n.asset = a.id WHERE e.album = ? AND e.name = ?
            """, [.integer(album), .text(name.bytes)]
        ) {
            (
                entry: AlbumEntry(cookie: $0.uint64(0), name: name, node: NodeRecord(row: $0, from: 2)),
                isDeleted: $0.bool(1)
            )
        }
    }

    /// Makes a name of an album free where a deleted asset holds it: that one gets another for when it comes back.
    ///
    /// - Returns: false where an asset that is there has it.
    func freeEntry(_ name: FileName, inAlbum album: UInt64) throws(Errno) -> Bool {
        guard let found = try entry(name, inAlbum: album) else { return true }
        guard found.isDeleted else { return false }
        try stepAside(found.entry, inAlbum: album)
        return true
    }

    private func stepAside(_ entry: AlbumEntry, inAlbum album: UInt64) throws(Errno) {
        try run(
            "UPDATE album_entry SET name = ? WHERE id = ?",
            [.text(try freeName(like: entry.name, inAlbum: album).bytes), .integer(entry.cookie)])
    }

    /// The name itself where an album has none of it, else one like it.
    func freeName(for name: FileName, inAlbum album: UInt64) throws(Errno) -> FileName {
        guard try self.album(named: name, in: album) == nil, try entry(name, inAlbum: album) == nil else {
            return try freeName(like: name, inAlbum: album)
        }
        return name
    }

    func freeName(like name: FileName, inAlbum album: UInt64) throws(Errno) -> FileName {
        for number in 1...10_000 {
            let candidate = name.inserting("~\(number)")
            if try entry(candidate, inAlbum: album) == nil, try self.album(named: candidate, in: album) == nil {
                return candidate
            }
        }
        return name.inserting("~\(Store.identifier())")
    }

    func add(asset: Int64, toAlbum album: UInt64, as name: FileName, mayReplace: Bool) throws(Errno) {
        if try self.album(named: name, in: album) != nil { throw .isDirectory }
        if let found = try entry(name, inAlbum: album) {
            if found.entry.node.asset == asset { return }
            guard found.isDeleted || mayReplace else { throw .exists }
            try stepAside(found.entry, inAlbum: album)
        }
        try run(
            "INSERT INTO album_entry (album, name, asset) VALUES (?, ?, ?)",
            [.integer(album), .text(name.bytes), .integer(asset)])
        try touchAlbum(album)
    }

    /// What an album lists was changed now.
    func touchAlbum(_ id: UInt64) throws(Errno) {
        try run("UPDATE album SET modified_at = ? WHERE id = ?", [.integer(Clock.now()), .integer(id)])
    }

    /// What lists an asset was changed: it shows no more, or again.
    func touchAlbums(of asset: Int64) throws(Errno) {
        try run(
            "UPDATE album SET modified_at = ? WHERE id IN (SELECT album FROM album_entry WHERE asset = ?)",
            [.integer(Clock.now()), .integer(asset)])
    }

    func removeEmptyAlbum(_ id: UInt64) throws(Errno) {
        let holds = try first(
            """
            SELECT 1 FROM album WHERE parent = ?1 UNION ALL
            SELECT 1 FROM album_entry e JOIN asset a ON a.id = e.asset WHERE e.album = ?1 AND a.trashed_at IS NULL
            LIMIT 1
            """, [.integer(id)]
        ) { _ in true }
        if holds != nil { throw .notEmpty }
        try run("DELETE FROM album WHERE id = ?", [.integer(id)])
    }
}
