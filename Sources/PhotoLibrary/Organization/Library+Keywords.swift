public import Platform
internal import SQLite

/// A keyword, as people give it to photos.
public struct KeywordRecord: Sendable, Hashable {
    public var id: UInt64
    public var name: FileName
}

/// Keywords. One that no asset has is kept while it is a directory that somebody made.
extension Library {
    public func keyword(_ id: UInt64) throws(Errno) -> KeywordRecord? {
        try catalog.read { (database) throws(Errno) in
            try database.first("SELECT id, name FROM keyword WHERE id = ?", [.integer(id)]) {
                KeywordRecord(id: $0.uint64(0), name: FileName(trusted: $0.bytes(1)))
            }
        }
    }

    public func keyword(named name: FileName) throws(Errno) -> KeywordRecord? {
        try catalog.read { (database) throws(Errno) in try database.keyword(named: name) }
    }

    /// Reads the keywords that follow `id`, until `body` answers false.
    public func forEachKeyword(after id: UInt64, _ body: (KeywordRecord) -> Bool) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            try database.forEach("SELECT id, name FROM keyword WHERE id > ? ORDER BY id", [.integer(id)]) {
                body(KeywordRecord(id: $0.uint64(0), name: FileName(trusted: $0.bytes(1))))
            }
        }
    }

    /// Reads the assets with a keyword whose row follows `asset`, until `body` answers false.
    public func forEachAsset(
        withKeyword keyword: UInt64, after asset: UInt64, _ body: (NodeRecord) -> Bool
    ) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            try database.forEach(
                """
                SELECT n.* FROM asset_keyword k JOIN asset a ON a.id = k.asset JOIN node n ON n.asset = a.id
                WHERE k.keyword = ? AND k.asset > ? AND a.trashed_at IS NULL AND a.hidden = 0 ORDER BY k.asset
                """, [.integer(keyword), .integer(asset)]
            ) { body(NodeRecord(row: $0)) }
        }
    }

    public func hasKeyword(_ keyword: UInt64, asset: Int64) throws(Errno) -> Bool {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                "SELECT 1 FROM asset_keyword WHERE keyword = ? AND asset = ?", [.integer(keyword), .integer(asset)]
            ) { _ in true } ?? false
        }
    }

    /// Makes a keyword that no asset has yet.
    public func makeKeyword(_ name: FileName) throws(Errno) -> KeywordRecord {
        try catalog.write { (database) throws(Errno) in
            if try database.keyword(named: name) != nil { throw .exists }
            return try database.makeKeyword(name)
        }
    }

    /// Removes a keyword that no asset has.
    public func removeKeyword(_ name: FileName) throws(Errno) {
        try writeRemoval { (database) throws(Errno) in
            guard let keyword = try database.keyword(named: name) else { throw .noEntry }
            let isUsed = try database.first(
                """
                SELECT 1 FROM asset_keyword k JOIN asset a ON a.id = k.asset
                WHERE k.keyword = ? AND a.trashed_at IS NULL LIMIT 1
                """, [.integer(keyword.id)]
            ) { _ in true }
            if isUsed != nil { throw .notEmpty }
            try database.run("DELETE FROM keyword WHERE id = ?", [.integer(keyword.id)])
        }
    }

    /// Renames a keyword for every asset that has it.
    public func renameKeyword(_ name: FileName, to newName: FileName) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            guard let keyword = try database.keyword(named: name) else { throw .noEntry }
            if try database.keyword(named: newName) != nil { throw .exists }
            try database.run(
                "UPDATE keyword SET name = ? WHERE id = ?", [.text(newName.bytes), .integer(keyword.id)])
        }
    }

    /// Gives an asset, or for the moment one file of it, a keyword.
    public func addKeyword(_ keyword: UInt64, to id: UInt64, othersFollow: Bool = false) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            guard let asset = try database.node(id)?.asset else { throw .notPermitted }
            try database.add(keyword: keyword, toFile: asset)
            if othersFollow {
                try database.awaitOthers(of: asset, at: .keyword(keyword))
            } else {
                for member in try database.members(of: asset) { try database.add(keyword: keyword, toFile: member) }
            }
        }
    }

    /// Takes a keyword from one file; the other half of a Live Photo keeps its own, as the name there stays.
    public func removeKeyword(_ keyword: UInt64, from id: UInt64) throws(Errno) {
        try writeRemoval { (database) throws(Errno) in
            guard let asset = try database.node(id)?.asset else { throw .noEntry }
            try database.run(
                "DELETE FROM asset_keyword WHERE keyword = ? AND asset = ?", [.integer(keyword), .integer(asset)])
        }
    }

    /// The keywords of an asset, in the order of their names.
    public func keywords(of asset: Int64) throws(Errno) -> [String] {
        try catalog.read { (database) throws(Errno) in
            try database.all(
                """
                SELECT w.name FROM asset_keyword k JOIN keyword w ON w.id = k.keyword
                WHERE k.asset = ? ORDER BY w.name
                """, [.integer(asset)]
            ) { $0.text(0) }
        }
    }
}

extension Database {
    func keyword(named name: FileName) throws(Errno) -> KeywordRecord? {
        try first("SELECT id FROM keyword WHERE name = ?", [.text(name.bytes)]) {
            KeywordRecord(id: $0.uint64(0), name: name)
        }
    }

    func makeKeyword(_ name: FileName) throws(Errno) -> KeywordRecord {
        try run("INSERT INTO keyword (name) VALUES (?)", [.text(name.bytes)])
        return KeywordRecord(id: UInt64(bitPattern: lastInsertedRow), name: name)
    }

    func add(keyword: UInt64, toFile asset: Int64) throws(Errno) {
        try run(
            "INSERT OR IGNORE INTO asset_keyword (keyword, asset) SELECT id, ?2 FROM keyword WHERE id = ?1",
            [.integer(keyword), .integer(asset)])
    }

    /// Gives one file of an asset these keywords and no others; words that nobody used so far are made.
    func setKeywords(_ names: [FileName], ofFile asset: Int64) throws(Errno) {
        try run("DELETE FROM asset_keyword WHERE asset = ?", [.integer(asset)])
        for name in names {
            var keyword = try keyword(named: name)
            if keyword == nil { keyword = try makeKeyword(name) }
            guard let keyword else { continue }
            try run(
                "INSERT OR IGNORE INTO asset_keyword (keyword, asset) VALUES (?, ?)",
                [.integer(keyword.id), .integer(asset)])
        }
    }
}
