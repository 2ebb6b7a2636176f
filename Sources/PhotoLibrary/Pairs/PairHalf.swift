internal import Media
internal import Platform
internal import SQLite

/// What decides whether an asset's file is one half of a pair.
struct PairHalf {
    /// A name in the camera roll, without its extension.
    struct Place: Hashable {
        var parent: UInt64
        var stem: [UInt8]
    }

    enum Role {
        /// A photo that is no RAW: what a pair is called by.
        case still
        case movie
        case raw
    }

    var asset: Int64
    var role: Role
    var contentIdentifier: String?
    var client: String
    /// Nanoseconds since 1970 UTC, and seconds east of it.
    var captured: Int64
    var offset: Int64
    /// The file itself says when it was taken.
    var hasDate: Bool
    /// Milliseconds.
    var duration: Int64?
    var make: String?
    var model: String?
    /// What it belongs to so far.
    var primary: Int64?
    var pairing: Int?
    /// Bits of `MediaSubtypes`.
    var subtypes: UInt64
    var places: Set<Place>

    var parents: Set<UInt64> { Set(places.map { $0.parent }) }

    /// The longest movie that is taken for a photo's without an identifier, in milliseconds.
    private static let longestMovie: Int64 = 5000
    /// How far apart the two halves of a Live Photo, and a RAW and its JPEG, may say they were taken, in nanoseconds.
    private static let liveTolerance: Int64 = 5_000_000_000
    private static let rawTolerance: Int64 = 1_000_000_000

    /// How well a movie fits this still: the smaller the better, nil where it does not.
    ///
    /// The same identifier can be on re-encoded copies too: the movie beside the still comes first. What names alone paired
    /// stays paired while they stay together, though an edit corrects one half's date.
    func rank(ofMovie movie: PairHalf) -> Int? {
        guard role == .still, movie.role == .movie, client == movie.client else { return nil }
        let isPaired = movie.primary == asset && movie.pairing == ResourceType.pairedVideo.rawValue
        let isBeside = !places.isDisjoint(with: movie.places)
        if let mine = contentIdentifier, let others = movie.contentIdentifier {
            guard mine == others else { return nil }
            if isBeside { return 0 }
            if !parents.isDisjoint(with: movie.parents) { return 1 }
            return isPaired ? 2 : 3
        }
        guard isBeside, let duration = movie.duration, duration <= Self.longestMovie else { return nil }
        if isPaired { return 4 }
        return isTaken(with: movie, tolerance: Self.liveTolerance) ? 5 : nil
    }

    /// As for movies, for the RAW of a photo that the camera wrote beside it.
    func rank(ofRAW raw: PairHalf) -> Int? {
        guard role == .still, raw.role == .raw, client == raw.client, !places.isDisjoint(with: raw.places) else {
            return nil
        }
        if raw.primary == asset, raw.pairing == ResourceType.alternatePhoto.rawValue { return 0 }
        if let mine = model, let others = raw.model, mine != others { return nil }
        return isTaken(with: raw, tolerance: Self.rawTolerance) ? 1 : nil
    }

    /// Both files say when they were taken, and it is one moment; where one of them knows no zone, by the clock on the wall.
    private func isTaken(with other: PairHalf, tolerance: Int64) -> Bool {
        guard hasDate, other.hasDate else { return false }
        let apart = captured.subtractingReportingOverflow(other.captured)
        guard !apart.overflow else { return false }
        if apart.partialValue.magnitude <= UInt64(tolerance) { return true }
        let zones = (offset &- other.offset) &* 1_000_000_000
        let local = apart.partialValue.addingReportingOverflow(zones)
        return !local.overflow && local.partialValue.magnitude <= UInt64(tolerance)
    }
}

extension Database {
    /// Reads what decides about an asset; nil for one that is gone, or deleted where that is not asked for.
    func pairHalf(_ asset: Int64, isDeleted: Bool = false) throws(Errno) -> PairHalf? {
        let found = try first(
            """
            SELECT a.media_type, a.content_identifier, a.client, a.captured, a.captured_offset,
                a.captured_evidence IS NOT NULL, a.duration, a.make, a.model, a.primary_asset, a.pairing, a.subtypes,
                (SELECT kind FROM resource r WHERE r.asset = a.id ORDER BY version LIMIT 1)
            FROM asset a WHERE a.id = ? AND (a.trashed_at IS NOT NULL) = ?
            """, [.integer(asset), .integer(isDeleted ? 1 : 0)]
        ) { row in
            let kind = MediaKind(rawValue: row.text(12))
            let isVideo = row.int(0) == MediaKind.MediaType.video.rawValue
            return PairHalf(
                asset: asset, role: isVideo ? .movie : kind?.isRAW == true ? .raw : .still,
                contentIdentifier: row.optionalText(1), client: row.text(2), captured: row.int64(3),
                offset: row.int64(4), hasDate: row.bool(5), duration: row.optionalInt64(6), make: row.optionalText(7),
                model: row.optionalText(8), primary: row.optionalInt64(9),
                pairing: row.optionalInt64(10).map { Int(clamping: $0) }, subtypes: row.uint64(11), places: [])
        }
        guard var half = found else { return nil }
        half.places = Set(
            try all(
                """
                SELECT d.parent, d.name FROM node n JOIN dentry d ON d.node = n.id JOIN node p ON p.id = d.parent
                WHERE n.asset = ? AND p.room = 1 ORDER BY d.id LIMIT 16
                """, [.integer(asset)]
            ) { PairHalf.Place(parent: $0.uint64(0), stem: FileName(trusted: $0.bytes(1)).stemAndExtension.stem) })
        return half
    }
}
