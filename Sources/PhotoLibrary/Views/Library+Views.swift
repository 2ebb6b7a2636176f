internal import Media
public import Platform
internal import SQLite

/// What views list: assets by day and by date added. Deleted assets are in neither.
extension Library {
    /// Moves an asset to another capture day (yyyymmdd), keeping the time of day and the zone.
    ///
    /// - Throws: `EINVAL` for a day that the calendar does not have.
    public func setCaptureDay(of id: UInt64, to day: Int, othersFollow: Bool = false) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            guard let asset = try database.node(id)?.asset else { throw .noEntry }
            if othersFollow {
                try database.setCaptureDay(ofFile: asset, to: day)
                try database.awaitOthers(of: asset, at: .day(day))
            } else {
                for member in try database.members(of: asset) { try database.setCaptureDay(ofFile: member, to: day) }
            }
        }
    }

    /// The first day after `day` (yyyymmdd) on which an asset was captured; nil where there is none.
    public func nextDay(after day: Int) throws(Errno) -> Int? {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                "SELECT day FROM asset WHERE trashed_at IS NULL AND hidden = 0 AND day > ? ORDER BY day LIMIT 1",
                [.integer(day)]
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
                WHERE a.trashed_at IS NULL AND a.hidden = 0 AND a.day = ? AND a.id > ? ORDER BY a.id
                """, [.integer(day), .integer(asset)]
            ) { body(NodeRecord(row: $0)) }
        }
    }

    /// What a view needs to know of an asset to tell whether it lists it.
    public struct DisplayedAsset: Sendable {
        public var node: NodeRecord
        public var asset: Int64
        /// yyyymmdd.
        public var day: Int
        /// Nanoseconds since 1970 UTC.
        public var added: Int64
        public var isFavorite: Bool
        public var isHidden: Bool
        /// A video of its own, not a Live Photo's.
        public var isVideo: Bool
        /// Bits of `MediaSubtypes`.
        public var subtypes: UInt64
    }

    /// An asset by its name in views; deleted ones are in Recently Deleted alone.
    public func asset(displayedAs name: FileName) throws(Errno) -> DisplayedAsset? {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                """
                SELECT a.id, a.day, a.added_at, a.favorite, a.hidden,
                    CASE WHEN a.primary_asset IS NULL THEN a.media_type END, a.subtypes, n.*
                FROM node n JOIN asset a ON a.id = n.asset WHERE n.display_name = ? AND a.trashed_at IS NULL
                """, [.text(name.bytes)]
            ) {
                DisplayedAsset(
                    node: NodeRecord(row: $0, from: 7), asset: $0.int64(0), day: $0.int(1), added: $0.int64(2),
                    isFavorite: $0.bool(3), isHidden: $0.bool(4),
                    isVideo: $0.int(5) == MediaKind.MediaType.video.rawValue, subtypes: $0.uint64(6))
            }
        }
    }

    /// Reads the assets of a kind whose row follows `asset`, until `body` answers false.
    ///
    /// - Parameter subtypes: bits of `MediaSubtypes`, any of them; 0 asks for videos.
    public func forEachAsset(
        ofSubtypes subtypes: UInt64, after asset: UInt64, _ body: (NodeRecord) -> Bool
    ) throws(Errno) {
        try catalog.read { (database) throws(Errno) in
            try database.forEach(
                """
                SELECT n.* FROM asset a JOIN node n ON n.asset = a.id
                WHERE a.trashed_at IS NULL AND a.hidden = 0 AND a.id > ?1
                    AND (a.subtypes & ?2 <> 0 OR ?2 = 0 AND a.media_type = ?3 AND a.primary_asset IS NULL) ORDER BY a.id
                """, [.integer(asset), .integer(subtypes), .integer(MediaKind.MediaType.video.rawValue)]
            ) { body(NodeRecord(row: $0)) }
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
                WHERE a.trashed_at IS NULL AND a.hidden = 0 AND a.added_at >= ? AND a.id > ? ORDER BY a.id
                """, [.integer(time), .integer(asset)]
            ) { body(NodeRecord(row: $0)) }
        }
    }
}

extension Database {
    /// Moves an asset to another capture day (yyyymmdd), keeping the time of day and the zone.
    ///
    /// - Throws: `EINVAL` for a day that the calendar does not have.
    func setCaptureDay(ofFile asset: Int64, to day: Int) throws(Errno) {
        guard CivilTime.days(in: day / 100 % 100, of: day / 10_000) >= day % 100, day % 100 > 0 else { throw .invalid }
        let target = CivilTime.daysSince1970(year: day / 10_000, month: day / 100 % 100, day: day % 100)
        let current = try first(
            "SELECT captured, captured_offset FROM asset WHERE id = ?", [.integer(asset)],
            read: { (instant: $0.int64(0), offset: $0.int64(1)) })
        guard let current else { throw .ioError }
        let nanosecondsOfDay: Int64 = 86_400 * 1_000_000_000
        let offset = current.offset * 1_000_000_000
        let local = current.instant &+ offset
        let timeOfDay = (local % nanosecondsOfDay + nanosecondsOfDay) % nanosecondsOfDay
        let captured = target &* nanosecondsOfDay &+ timeOfDay &- offset
        try run(
            "UPDATE asset SET captured = ?, captured_source = ?, day = ? WHERE id = ?",
            [
                .integer(captured), .integer(CaptureDate.Source.explicit.rawValue), .integer(day), .integer(asset),
            ])
        try run(
            "UPDATE node SET captured = ?, changed = ? WHERE asset = ?",
            [.integer(captured), .integer(Clock.now()), .integer(asset)])
    }
}
