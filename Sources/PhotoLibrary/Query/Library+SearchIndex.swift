internal import Platform
internal import SQLite

/// What words and places are looked for in.
extension Library {
    /// Texts that are brought up to date in one transaction.
    private static let batch = 500

    /// A text as it is stored and looked for: in lower case, accents taken apart from no letter, so that composed and
    /// decomposed forms are one.
    static func searchText(_ text: String) -> String {
        var result = ""
        // Characters compare by canonical equivalence, but the index knows code points.
        for character in text.lowercased() { result += composed(character) }
        return result
    }

    /// The one-scalar form of a letter with an accent, where Latin-1 and Latin Extended-A have one.
    private static func composed(_ character: Character) -> String {
        guard character.unicodeScalars.count > 1 else { return String(character) }
        for value in UInt32(0xC0)...0x17F {
            guard let scalar = Unicode.Scalar(value) else { continue }
            if Character(scalar) == character { return String(Character(scalar)) }
        }
        return String(character)
    }

    /// Brings the texts and places of assets up to date that were changed since the last search.
    ///
    /// A library that is opened read-only is searched as it is.
    func refreshSearchIndex() throws(Errno) {
        if options.isReadOnly { return }
        while true {
            let stale = try catalog.read { (database) throws(Errno) in
                try database.all("SELECT asset FROM stale_index LIMIT ?", [.integer(Self.batch)]) { $0.int64(0) }
            }
            if stale.isEmpty { return }
            try catalog.write { (database) throws(Errno) in
                for asset in stale { try database.refreshSearchIndex(of: asset) }
            }
            if stale.count < Self.batch { return }
        }
    }
}

extension Database {
    fileprivate func refreshSearchIndex(of asset: Int64) throws(Errno) {
        let parts = try all(
            """
            SELECT n.display_name FROM node n WHERE n.asset = ?1
            UNION SELECT d.name FROM node n JOIN dentry d ON d.node = n.id WHERE n.asset = ?1
            UNION SELECT d.name FROM asset a JOIN node n ON n.asset = a.id JOIN dentry d ON d.node = n.id
                WHERE a.primary_asset = ?1
            UNION SELECT caption FROM asset WHERE id = ?1 AND caption IS NOT NULL
            UNION SELECT coalesce(make, '') || ' ' || coalesce(model, '') FROM asset WHERE id = ?1
            UNION SELECT w.name FROM asset_keyword k JOIN keyword w ON w.id = k.keyword WHERE k.asset = ?1
            UNION SELECT l.name FROM album_entry e JOIN album l ON l.id = e.album WHERE e.asset = ?1
            """, [.integer(asset)]
        ) { $0.optionalText(0) ?? "" }
        try run("DELETE FROM asset_text WHERE rowid = ?", [.integer(asset)])
        try run(
            "INSERT INTO asset_text (rowid, text) SELECT id, ?2 FROM asset WHERE id = ?1",
            [.integer(asset), .text(Library.searchText(parts.joined(separator: "\n")))])
        try run("DELETE FROM asset_place WHERE id = ?", [.integer(asset)])
        try run(
            """
            INSERT INTO asset_place SELECT id, latitude, latitude, longitude, longitude FROM asset
            WHERE id = ? AND latitude IS NOT NULL AND longitude IS NOT NULL
            """, [.integer(asset)])
        try run("DELETE FROM stale_index WHERE asset = ?", [.integer(asset)])
    }
}
