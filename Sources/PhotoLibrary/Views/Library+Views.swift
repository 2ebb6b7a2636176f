internal import Media
public import Platform
internal import SQLite

/// What views list: assets by day and by date added. Deleted assets are in neither.
extension Library {
    /// Moves an asset to another capture day (yyyymmdd), keeping the time of day and the zone.
    ///
    /// - Throws: `EINVAL` for a day that the calendar does not have.
    public func setCaptureDay(of id: UInt64, to day: Int) throws(Errno) {
        guard CivilTime.days(in: day / 100 % 100, of: day / 10_000) >= day % 100, day % 100 > 0 else { throw .invalid }
        let target = CivilTime.daysSince1970(year: day / 10_000, month: day / 100 % 100, day: day % 100)
        try catalog.write { (database) throws(Errno) in
            guard let node = try database.node(id), let asset = node.asset else { throw .noEntry }
            let current = try database.first(
                "SELECT captured, captured_offset FROM asset WHERE id = ?", [.integer(asset)],
                read: { (instant: $0.int64(0), offset: $0.int64(1)) })
            guard let current else { throw .ioError }
            let nanosecondsOfDay: Int64 = 86_400 * 1_000_000_000
            let offset = current.offset * 1_000_000_000
            let local = current.instant &+ offset
            let timeOfDay = (local % nanosecondsOfDay + nanosecondsOfDay) % nanosecondsOfDay
            let captured = target &* nanosecondsOfDay &+ timeOfDay &- offset
            try database.run(
                "UPDATE asset SET captured = ?, captured_source = ?, day = ? WHERE id = ?",
                [
                    .integer(captured), .integer(CaptureDate.Source.explicit.rawValue), .integer(day),
                    .integer(asset),
                ])
            try database.run(
                "UPDATE node SET captured = ?, changed = ? WHERE id = ?",
                [.integer(captured), .integer(Clock.now()), .integer(id)])
        }
    }

    /// The first day after `day` (yyyymmdd) on which an asset was captured; nil where there is none.
    public func nextDay(after day: Int) throws(Errno) -> Int? {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                "SELECT day FROM asset WHERE trashed_at IS NULL AND day > ? ORDER BY day LIMIT 1", [.integer(day)]
            ) { $0.int(0) }
        }
    }

    /// Reads the assets of a day that follow asset row `asset`, until `body` answers false.
    public func forEachAsset(
        onDay day: Int, after asset: UInt64, _ body: (NodeRecord) -> Bool
    ) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            try database.forEach(
                """
                SELECT n.* FROM asset a JOIN node n ON n.asset = a.id
                WHERE a.trashed_at IS NULL AND a.day = ? AND a.id > ? ORDER BY a.id
                """, [.integer(day), .integer(asset)]
            ) { body(NodeRecord(row: $0)) }
        }
    }

    /// An asset's node by its name in views, with the day on which it was captured and when it was added.
    public func asset(displayedAs name: FileName) throws(Errno) -> (node: NodeRecord, day: Int, added: Int64)? {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                """
                SELECT a.day, a.added_at, n.* FROM node n JOIN asset a ON a.id = n.asset
                WHERE n.display_name = ? AND a.trashed_at IS NULL
                """, [.text(name.bytes)]
            ) { (node: NodeRecord(row: $0, from: 2), day: $0.int(0), added: $0.int64(1)) }
        }
    }

    /// Reads the assets added since `time` whose row follows `asset`, until `body` answers false.
    public func forEachAsset(
        addedSince time: Int64, after asset: UInt64, _ body: (NodeRecord) -> Bool
    ) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            try database.forEach(
                """
                SELECT n.* FROM asset a JOIN node n ON n.asset = a.id
                WHERE a.trashed_at IS NULL AND a.added_at >= ? AND a.id > ? ORDER BY a.id
                """, [.integer(time), .integer(asset)]
            ) { body(NodeRecord(row: $0)) }
        }
    }
}
