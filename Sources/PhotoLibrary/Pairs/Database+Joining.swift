internal import Media
internal import Platform
internal import SQLite

/// What people said of two files that become one asset is said of both from then on.
extension Database {
    func join(_ asset: Int64, to primary: Int64) throws(Errno) {
        for (from, to) in [(asset, primary), (primary, asset)] {
            try run(
                """
                INSERT OR IGNORE INTO asset_keyword (keyword, asset) SELECT keyword, ?2 FROM asset_keyword WHERE asset = ?1
                """, [.integer(from), .integer(to)])
            try run(
                """
                INSERT OR IGNORE INTO authorization_selection (client, asset)
                SELECT client, ?2 FROM authorization_selection WHERE asset = ?1
                """, [.integer(from), .integer(to)])
            try run(
                """
                UPDATE asset SET favorite = max(asset.favorite, o.favorite), hidden = max(asset.hidden, o.hidden),
                    caption = coalesce(asset.caption, o.caption), rating = coalesce(asset.rating, o.rating),
                    latitude = coalesce(asset.latitude, o.latitude),
                    longitude = coalesce(asset.longitude, o.longitude),
                    altitude = coalesce(asset.altitude, o.altitude)
                FROM (SELECT favorite, hidden, caption, rating, latitude, longitude, altitude
                    FROM asset WHERE id = ?1) AS o WHERE id = ?2
                """, [.integer(from), .integer(to)])
            let entries = try all(
                "SELECT album, name FROM album_entry WHERE asset = ? ORDER BY id", [.integer(from)]
            ) { (album: $0.uint64(0), name: FileName(trusted: $0.bytes(1))) }
            for entry in entries { try addMember(to, toAlbum: entry.album, besides: entry.name) }
        }
        try shareCaptureDate(of: asset, with: primary)
    }

    /// One asset has one date: the photo's, unless somebody set the other's.
    private func shareCaptureDate(of asset: Int64, with primary: Int64) throws(Errno) {
        let explicit = CaptureDate.Source.explicit.rawValue
        let set = try all(
            "SELECT id FROM asset WHERE id IN (?, ?) AND captured_source = ?",
            [.integer(asset), .integer(primary), .integer(explicit)]
        ) { $0.int64(0) }
        let (from, to) = set == [asset] ? (asset, primary) : (primary, asset)
        try run(
            """
            UPDATE asset SET captured = o.captured, captured_offset = o.captured_offset, day = o.day,
                captured_source = CASE o.captured_source WHEN ?3 THEN ?3 ELSE asset.captured_source END
            FROM (SELECT captured, captured_offset, day, captured_source FROM asset WHERE id = ?1) AS o WHERE id = ?2
            """, [.integer(from), .integer(to), .integer(explicit)])
    }

    /// Puts an asset's other files into an album that one of them is in, under its name there.
    func addOtherMembers(of asset: Int64, toAlbum album: UInt64, besides name: FileName) throws(Errno) {
        for member in try members(of: asset) where member != asset {
            try addMember(member, toAlbum: album, besides: name)
        }
    }

    private func addMember(_ member: Int64, toAlbum album: UInt64, besides name: FileName) throws(Errno) {
        let isIn = try first(
            "SELECT 1 FROM album_entry WHERE album = ? AND asset = ? LIMIT 1", [.integer(album), .integer(member)]
        ) { _ in true }
        if isIn == true { return }
        let shown = try first("SELECT display_name FROM node WHERE asset = ? LIMIT 1", [.integer(member)]) {
            $0.optionalBytes(0)
        }
        guard let bytes = shown.flatMap({ $0 }) else { return }
        var own = name.stemAndExtension.stem
        if let pathExtension = FileName(trusted: bytes).stemAndExtension.pathExtension {
            own += [0x2E] + pathExtension
        }
        var target = own.count <= FileName.limit ? FileName(trusted: own) : FileName(trusted: bytes)
        var isTaken = try entry(target, inAlbum: album) != nil
        if !isTaken { isTaken = try self.album(named: target, in: album) != nil }
        if isTaken { target = try freeName(like: target, inAlbum: album) }
        try run(
            "INSERT INTO album_entry (album, name, asset) VALUES (?, ?, ?)",
            [.integer(album), .text(target.bytes), .integer(member)])
    }
}
