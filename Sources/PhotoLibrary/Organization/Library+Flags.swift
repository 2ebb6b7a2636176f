public import Platform
internal import SQLite

/// A mark that an asset has or has not.
public enum AssetFlag: Sendable, Hashable {
    case favorite
    case hidden
}

extension Library {
    public func set(_ flag: AssetFlag, of id: UInt64, to isSet: Bool) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            guard let node = try database.node(id), let asset = node.asset else { throw .notPermitted }
            try database.set(flag, ofAsset: asset, to: isSet)
            try database.run("UPDATE node SET changed = ? WHERE id = ?", [.integer(Clock.now()), .integer(id)])
        }
    }

    /// Marks one file of an asset, where the others are to follow; or takes the mark from it, where the other half of a
    /// Live Photo keeps its own, as the names that stand for it stay.
    public func set(_ flag: AssetFlag, ofFile id: UInt64, to isSet: Bool) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            guard let node = try database.node(id), let asset = node.asset else { throw .notPermitted }
            try database.set(flag, ofFile: asset, to: isSet)
            if isSet { try database.awaitOthers(of: asset, at: flag == .favorite ? .favorites : .hidden) }
            try database.run("UPDATE node SET changed = ? WHERE id = ?", [.integer(Clock.now()), .integer(id)])
        }
    }

    /// Reads the assets that have a mark and whose row follows `asset`, until `body` answers false.
    public func forEachAsset(
        marked flag: AssetFlag, after asset: UInt64, _ body: (NodeRecord) -> Bool
    ) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            let page: StaticString =
                switch flag {
                case .favorite:
                    """
                    SELECT n.* FROM asset a JOIN node n ON n.asset = a.id
                    WHERE a.favorite <> 0 AND a.hidden = 0 AND a.trashed_at IS NULL AND a.id > ? ORDER BY a.id
                    """
                case .hidden:
                    """
                    SELECT n.* FROM asset a JOIN node n ON n.asset = a.id
                    WHERE a.hidden <> 0 AND a.trashed_at IS NULL AND a.id > ? ORDER BY a.id
                    """
                }
            try database.forEach(page, [.integer(asset)]) { body(NodeRecord(row: $0)) }
        }
    }
}

extension Database {
    /// Gives an asset the places, words and marks of one that ends in it.
    func handOver(from asset: Int64, to other: Int64) throws(Errno) {
        try run("UPDATE album_entry SET asset = ? WHERE asset = ?", [.integer(other), .integer(asset)])
        try run(
            "INSERT OR IGNORE INTO asset_keyword (keyword, asset) SELECT keyword, ?2 FROM asset_keyword WHERE asset = ?1",
            [.integer(asset), .integer(other)])
        try run(
            """
            UPDATE asset SET favorite = favorite OR (SELECT favorite FROM asset WHERE id = ?1),
                hidden = hidden AND (SELECT hidden FROM asset WHERE id = ?1) WHERE id = ?2
            """, [.integer(asset), .integer(other)])
    }

    func set(_ flag: AssetFlag, ofAsset asset: Int64, to isSet: Bool) throws(Errno) {
        for member in try members(of: asset) { try set(flag, ofFile: member, to: isSet) }
    }

    /// Marks one file of an asset alone.
    func set(_ flag: AssetFlag, ofFile asset: Int64, to isSet: Bool) throws(Errno) {
        let value = isSet ? 1 : 0
        switch flag {
        case .favorite: try run("UPDATE asset SET favorite = ? WHERE id = ?", [.integer(value), .integer(asset)])
        case .hidden: try run("UPDATE asset SET hidden = ? WHERE id = ?", [.integer(value), .integer(asset)])
        }
    }
}
