public import Platform
internal import SQLite

/// Organizing assets by themselves, whatever their names are.
extension Library {
    /// Deletes an album with its places; what is in it stays in the library.
    ///
    /// - Throws: `ENOTEMPTY` where it holds albums.
    public func deleteAlbum(_ id: UInt64) throws(Errno) {
        try writeRemoval { (database) throws(Errno) in
            guard try database.album(id) != nil else { throw .noEntry }
            let holdsAlbums = try database.first("SELECT 1 FROM album WHERE parent = ? LIMIT 1", [.integer(id)]) {
                _ in true
            }
            if holdsAlbums != nil { throw .notEmpty }
            try database.run("DELETE FROM album WHERE id = ?", [.integer(id)])
        }
    }

    /// Adds an asset to an album under the name that it has in the camera roll, or one like it where that is taken.
    /// An asset that is in it stays as it is.
    public func add(_ id: UInt64, toAlbum album: UInt64) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            try database.requireAlbum(album)
            guard album != 0, let node = try database.node(id), let asset = node.asset else { throw .notPermitted }
            let name = try database.places(of: id).first { $0.room.isInRoll }?.name ?? node.displayName
            guard let name else { throw .ioError }
            try database.addOnce(asset: asset, toAlbum: album, like: name)
        }
    }

    /// Takes an asset out of an album, under whatever names it is in it.
    ///
    /// - Throws: `ENOENT` where it is not in it.
    public func remove(_ id: UInt64, fromAlbum album: UInt64) throws(Errno) {
        try writeRemoval { (database) throws(Errno) in
            guard let asset = try database.node(id)?.asset else { throw .notPermitted }
            var count = 0
            for member in try database.members(of: asset) {
                try database.run(
                    "DELETE FROM album_entry WHERE album = ? AND asset = ?", [.integer(album), .integer(member)])
                count += Int(database.changedRows)
            }
            guard count > 0 else { throw .noEntry }
            try database.touchAlbum(album)
        }
    }

    /// How many assets an album shows.
    public func assetCount(ofAlbum album: UInt64) throws(Errno) -> Int {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                """
                SELECT count(*) FROM album_entry e JOIN asset a ON a.id = e.asset
                WHERE e.album = ? AND a.trashed_at IS NULL AND a.primary_asset IS NULL
                """, [.integer(album)]
            ) { $0.int(0) } ?? 0
        }
    }

    /// How many assets a keyword's directory shows.
    public func assetCount(ofKeyword keyword: UInt64) throws(Errno) -> Int {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                """
                SELECT count(*) FROM asset_keyword k JOIN asset a ON a.id = k.asset
                WHERE k.keyword = ? AND a.trashed_at IS NULL AND a.hidden = 0 AND a.primary_asset IS NULL
                """, [.integer(keyword)]
            ) { $0.int(0) } ?? 0
        }
    }
}

extension Database {
    /// Adds an asset to an album that it is not in yet.
    func addOnce(asset: Int64, toAlbum album: UInt64, like name: FileName) throws(Errno) {
        let isThere = try first(
            "SELECT 1 FROM album_entry WHERE album = ? AND asset = ?", [.integer(album), .integer(asset)]
        ) { _ in true }
        if isThere != nil { return }
        // Where a deleted asset has the name, that one gets another for when it comes back.
        _ = try freeEntry(name, inAlbum: album)
        let name = try freeName(for: name, inAlbum: album)
        try add(asset: asset, toAlbum: album, as: name, mayReplace: false)
        try addOtherMembers(of: asset, toAlbum: album, besides: name)
    }
}
