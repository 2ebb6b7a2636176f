internal import Media
internal import Platform
internal import SQLite

/// Which files belong together as one asset: a Live Photo's still and movie, a RAW and its JPEG.
///
/// Decided anew at the end of each transaction that changed what decides it, from what the catalogue holds then, so that
/// it does not matter which file came first, or by whom in between. Both files keep rows of their own; what people say
/// of an asset is said of both.
extension Database {
    /// Assets that one transaction settles at most, of what an older version of the library left.
    private static let batch: Int64 = 256
    /// Files of one name or identifier that are compared; more is no pair, but somebody who tries what happens.
    private static let mostRelatives = 96

    func settlePairs() throws(Errno) {
        let stale = try all("SELECT asset FROM unsettled_pair LIMIT ?", [.integer(Self.batch)]) { $0.int64(0) }
        if stale.isEmpty { return }
        var settled: Set<Int64> = []
        for asset in stale {
            try run("DELETE FROM unsettled_pair WHERE asset = ?", [.integer(asset)])
            if settled.contains(asset) { continue }
            if try pairHalf(asset, isDeleted: true) != nil { try followBeforeParting(asset) }
            let relatives = try relatives(of: asset)
            settled.formUnion(relatives.keys)
            try settle(Array(relatives.values))
        }
        for asset in stale {
            if !settled.contains(asset) { try part(asset) }
            // Both files are found by the names of either.
            try run(
                "INSERT OR IGNORE INTO stale_index SELECT primary_asset FROM asset WHERE id = ? AND primary_asset > 0",
                [.integer(asset)])
        }
        // Marks that settling itself caused are settled.
        for asset in settled { try run("DELETE FROM unsettled_pair WHERE asset = ?", [.integer(asset)]) }
    }

    /// All that may belong together with an asset, and with what that belongs to now.
    private func relatives(of asset: Int64) throws(Errno) -> [Int64: PairHalf] {
        var found: [Int64: PairHalf] = [:]
        var next = try [asset] + partners(of: asset)
        for _ in 0..<3 {
            var further: [Int64] = []
            for asset in next where found[asset] == nil && found.count < Self.mostRelatives {
                guard let half = try pairHalf(asset) else { continue }
                found[asset] = half
                further += try self.partners(of: asset)
                if let identifier = half.contentIdentifier {
                    further += try all(
                        """
                        SELECT id FROM asset WHERE content_identifier = ? AND trashed_at IS NULL ORDER BY id LIMIT 32
                        """, [.text(identifier)]
                    ) { $0.int64(0) }
                }
                for place in half.places { further += try siblings(at: place) }
            }
            next = further
        }
        return found
    }

    /// What an asset belongs to now, and what belongs to it.
    private func partners(of asset: Int64) throws(Errno) -> [Int64] {
        try all(
            """
            SELECT id FROM asset WHERE primary_asset = ?1
            UNION ALL SELECT primary_asset FROM asset WHERE id = ?1 AND primary_asset IS NOT NULL
            """, [.integer(asset)]
        ) { $0.int64(0) }
    }

    /// Assets with the same name in the same directory, whatever their extension.
    private func siblings(at place: PairHalf.Place) throws(Errno) -> [Int64] {
        // "/" follows "." and is in no name.
        try all(
            """
            SELECT d.name, n.asset FROM dentry d JOIN node n ON n.id = d.node
            WHERE d.parent = ? AND d.name > ? AND d.name < ? AND n.asset IS NOT NULL LIMIT 32
            """, [.integer(place.parent), .text(place.stem + [0x2E]), .text(place.stem + [0x2F])]
        ) { (stem: FileName(trusted: $0.bytes(0)).stemAndExtension.stem, asset: $0.int64(1)) }
        .filter { $0.stem == place.stem }.map { $0.asset }
    }

    private struct Fit {
        var rank: Int
        var still: Int64
        var other: Int64
    }

    /// Decides who belongs to whom, the best fit first.
    private func settle(_ halves: [PairHalf]) throws(Errno) {
        var fits: [(type: ResourceType, fit: Fit)] = []
        for still in halves {
            for other in halves {
                if let rank = still.rank(ofMovie: other) {
                    fits.append((.pairedVideo, Fit(rank: rank, still: still.asset, other: other.asset)))
                }
                if let rank = still.rank(ofRAW: other) {
                    fits.append((.alternatePhoto, Fit(rank: rank, still: still.asset, other: other.asset)))
                }
            }
        }
        fits.sort { ($0.fit.rank, $0.fit.still, $0.fit.other) < ($1.fit.rank, $1.fit.still, $1.fit.other) }
        var primaries: [Int64: (asset: Int64, type: ResourceType)] = [:]
        var taken: [ResourceType: Set<Int64>] = [:]
        for (type, fit) in fits where primaries[fit.other] == nil {
            guard taken[type, default: []].insert(fit.still).inserted else { continue }
            primaries[fit.other] = (fit.still, type)
        }
        for half in halves {
            let primary = primaries[half.asset]
            try setResourceType(of: half, to: primary?.type)
            if half.primary != primary?.asset || half.pairing != primary?.type.rawValue {
                try run(
                    "UPDATE asset SET primary_asset = ?, pairing = ? WHERE id = ?",
                    [
                        .integer(primary?.asset), .integer(primary.map { Int64($0.type.rawValue) }),
                        .integer(half.asset),
                    ])
                if let primary { try join(half.asset, to: primary.asset) }
            }
            let isLive =
                primary?.type == .pairedVideo || taken[.pairedVideo, default: []].contains(half.asset)
            let isRAW =
                half.role == .raw || taken[.alternatePhoto, default: []].contains(half.asset)
            try setSubtypes(of: half, isLive: isLive, isRAW: isRAW)
        }
    }

    private func setSubtypes(of half: PairHalf, isLive: Bool, isRAW: Bool) throws(Errno) {
        var subtypes = MediaSubtypes(rawValue: half.subtypes)
        if isLive { subtypes.insert(.live) } else { subtypes.remove(.live) }
        if isRAW { subtypes.insert(.raw) } else { subtypes.remove(.raw) }
        guard subtypes.rawValue != half.subtypes else { return }
        try run(
            "UPDATE asset SET subtypes = ? WHERE id = ?", [.integer(subtypes.rawValue), .integer(half.asset)])
        try run("INSERT OR IGNORE INTO stale_index VALUES (?)", [.integer(half.asset)])
    }

    private func setResourceType(of half: PairHalf, to type: ResourceType?) throws(Errno) {
        let alone: ResourceType = half.role == .movie ? .video : .photo
        try run(
            "UPDATE resource SET type = ?1 WHERE asset = ?2 AND version = 0 AND type <> ?1",
            [.integer((type ?? alone).rawValue), .integer(half.asset)])
    }

    /// A deleted asset stands alone, and waits for its other half to be restored.
    private func part(_ asset: Int64) throws(Errno) {
        guard let half = try pairHalf(asset, isDeleted: true) else { return }
        try run("UPDATE asset SET primary_asset = NULL, pairing = NULL WHERE id = ?", [.integer(asset)])
        try setResourceType(of: half, to: nil)
        try setSubtypes(of: half, isLive: false, isRAW: half.role == .raw)
    }

    /// The rows that one asset's files have: its own, and those of what belongs to it or what it belongs to.
    func members(of asset: Int64) throws(Errno) -> [Int64] {
        try all(
            """
            SELECT id FROM asset WHERE id = (SELECT coalesce(primary_asset, id) FROM asset WHERE id = ?1)
            UNION ALL SELECT id FROM asset
                WHERE primary_asset = (SELECT coalesce(primary_asset, id) FROM asset WHERE id = ?1)
            """, [.integer(asset)]
        ) { $0.int64(0) }
    }
}
