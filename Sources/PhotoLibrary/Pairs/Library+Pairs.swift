public import Platform
internal import SQLite

/// Assets of several files.
extension Library {
    /// The nodes of an asset's other files: a Live Photo's movie or still, the RAW beside a JPEG or that JPEG.
    public func otherFiles(ofAsset asset: Int64) throws(Errno) -> [NodeRecord] {
        try catalog.read { (database) throws(Errno) in
            var nodes: [NodeRecord] = []
            for member in try database.members(of: asset) where member != asset {
                let node = try database.first("SELECT * FROM node WHERE asset = ?", [.integer(member)]) {
                    NodeRecord(row: $0)
                }
                if let node { nodes.append(node) }
            }
            return nodes
        }
    }

    /// Lets the other files of assets follow to where one of theirs was put by its name.
    ///
    /// A program that moves or copies both files of a Live Photo would find the second one there already; so it comes
    /// there by itself only when that program is done, or looks.
    public func letOthersFollow() throws(Errno) {
        let isAwaited = try catalog.read { (database) throws(Errno) in
            try database.first("SELECT 1 FROM awaited_placement LIMIT 1") { _ in true } ?? false
        }
        guard isAwaited, !options.isReadOnly else { return }
        try catalog.write { (database) throws(Errno) in
            let rows = try database.all("SELECT kind, key, asset FROM awaited_placement") {
                (placement: Placement(kind: $0.int(0), key: $0.uint64(1)), asset: $0.int64(2))
            }
            try database.run("DELETE FROM awaited_placement")
            for row in rows { if let placement = row.placement { try database.follow(row.asset, to: placement) } }
        }
    }
}

extension Database {
    func awaitOthers(of asset: Int64, at placement: Placement) throws(Errno) {
        guard try members(of: asset).count > 1 else { return }
        try run(
            "INSERT OR IGNORE INTO awaited_placement (kind, key, asset) VALUES (?, ?, ?)",
            [.integer(placement.row.kind), .integer(placement.row.key), .integer(asset)])
    }

    /// Lets an asset's files follow to where one was put, since one of them is leaving.
    func followBeforeParting(_ asset: Int64) throws(Errno) {
        for member in try members(of: asset) {
            let placements = try all(
                "SELECT kind, key FROM awaited_placement WHERE asset = ?", [.integer(member)]
            ) { Placement(kind: $0.int(0), key: $0.uint64(1)) }
            for placement in placements { if let placement { try follow(member, to: placement) } }
            try run("DELETE FROM awaited_placement WHERE asset = ?", [.integer(member)])
        }
    }

    /// Puts an asset's other files where `asset` is.
    fileprivate func follow(_ asset: Int64, to placement: Placement) throws(Errno) {
        // It may have left the place since.
        switch placement {
        case .album(let album):
            let name = try first(
                "SELECT name FROM album_entry WHERE asset = ? AND album = ? ORDER BY id DESC LIMIT 1",
                [.integer(asset), .integer(album)]
            ) { FileName(trusted: $0.bytes(0)) }
            if let name { try addOtherMembers(of: asset, toAlbum: album, besides: name) }
        case .favorites, .hidden:
            let flag: AssetFlag = placement == .favorites ? .favorite : .hidden
            let isSet = try first("SELECT favorite, hidden FROM asset WHERE id = ?", [.integer(asset)]) {
                $0.bool(placement == .favorites ? 0 : 1)
            }
            if isSet == true { try set(flag, ofAsset: asset, to: true) }
        case .keyword(let keyword):
            let has = try first(
                "SELECT 1 FROM asset_keyword WHERE keyword = ? AND asset = ?", [.integer(keyword), .integer(asset)]
            ) { _ in true }
            if has == true { for member in try members(of: asset) { try add(keyword: keyword, toFile: member) } }
        case .day(let day):
            let isThere = try first("SELECT day = ? FROM asset WHERE id = ?", [.integer(day), .integer(asset)]) {
                $0.bool(0)
            }
            guard isThere == true else { return }
            for member in try members(of: asset) where member != asset { try setCaptureDay(ofFile: member, to: day) }
        }
    }
}
