internal import Media

/// What follows the colon of a `key:value`.
struct QueryValue {
    let text: String
    /// Where it begins, in characters from 1.
    let column: Int
    let query: String

    /// Later than every day that has a date.
    static let lastDay = 99_991_231

    func error(_ reason: String) -> QueryError { QueryError(reason: reason, column: column, query: query) }

    private func error(expecting wanted: String) -> QueryError {
        text.isEmpty ? error("a value is missing: \(wanted).") : error("this is not \(wanted).")
    }

    /// Any text but none.
    func words() throws(QueryError) -> String {
        guard !text.isEmpty else { throw error(expecting: "a name or a part of one") }
        return text
    }

    /// Takes `>=` and the like from the front; equal where there is none.
    func comparison() -> (Query.Comparison, QueryValue) {
        let found = [Query.Comparison.lessOrEqual, .greaterOrEqual, .less, .greater, .equal].first {
            text.utf8.starts(with: $0.rawValue.utf8)
        }
        guard let found else { return (.equal, self) }
        let count = found.rawValue.count
        return (
            found, QueryValue(text: String(text.dropFirst(count)), column: column + count, query: query)
        )
    }

    func state() throws(QueryError) -> Query.State {
        if let state = Query.State(rawValue: text.lowercased()) { return state }
        throw error(expecting: Query.State.allCases.map(\.rawValue).joined(separator: ", "))
    }

    private static let subtypes: [(name: String, bits: MediaSubtypes)] = [
        ("live", .live), ("panorama", .panorama), ("screenshot", .screenshot), ("animated", .animated), ("raw", .raw),
        ("portrait", .depthEffect), ("hdr", .hdr), ("selfie", .selfie), ("burst", .burst), ("motion", .motionPhoto),
        ("slomo", .highFrameRate), ("timelapse", .timelapse), ("screenrecording", .screenRecording),
        ("cinematic", .cinematic),
    ]

    func assetType() throws(QueryError) -> Query.AssetType {
        let name = text.lowercased()
        if name == "photo" || name == "photos" { return .photo }
        if name == "video" || name == "videos" { return .video }
        if let subtype = Self.subtypes.first(where: { $0.name == name || $0.name + "s" == name }) {
            return .subtype(subtype.bits.rawValue)
        }
        if let kind = MediaKind.allCases.first(where: { $0.rawValue.lowercased() == name }) {
            return .kind(kind.rawValue)
        }
        let known = Self.subtypes.map(\.name).joined(separator: ", ")
        throw error(expecting: "photo, video, \(known), or a kind of file such as jpeg or heic")
    }

    /// The days of `2024`, `2024-05` or `2024-05-17`, as yyyymmdd.
    func days() throws(QueryError) -> ClosedRange<Int> {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let widths = [4, 2, 2]
        guard (1...3).contains(parts.count),
            zip(parts, widths).allSatisfy({ part, width in
                part.utf8.count == width && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            })
        else { throw error(expecting: "a day, month or year, such as 2024-05-17, 2024-05 or 2024") }
        let numbers = parts.compactMap { Int($0) }
        let first = [numbers[0], numbers.count > 1 ? numbers[1] : 1, numbers.count > 2 ? numbers[2] : 1]
        guard let day = CivilTime(year: first[0], month: first[1], day: first[2]) else {
            throw error("there is no such day (years from 1800 to 2261 are known).")
        }
        let start = day.year * 10000 + day.month * 100 + day.day
        // No day is later than these, in a month of whatever length.
        let spans = [1130, 30, 0]
        return start...(start + spans[numbers.count - 1])
    }

    func rating() throws(QueryError) -> Int64 {
        guard let stars = Int64(text), (0...10).contains(stars) else { throw error(expecting: "a number from 0 to 10") }
        return stars
    }

    private static let byteUnits: [(String, Double)] = [
        ("", 1), ("b", 1), ("k", 1e3), ("kb", 1e3), ("m", 1e6), ("mb", 1e6), ("g", 1e9), ("gb", 1e9), ("t", 1e12),
        ("tb", 1e12), ("kib", 1024), ("mib", 1_048_576), ("gib", 1_073_741_824), ("tib", 1_099_511_627_776),
    ]

    /// A size in bytes; kB and MB count in thousands, KiB and MiB in 1024.
    func byteCount() throws(QueryError) -> Int64 {
        try scaled(Self.byteUnits, expecting: "a size, such as 500kB, 2MB or 1GB")
    }

    private static let timeUnits: [(String, Double)] = [
        ("", 1000), ("ms", 1), ("s", 1000), ("sec", 1000), ("m", 60_000), ("min", 60_000), ("h", 3_600_000),
    ]

    func milliseconds() throws(QueryError) -> Int64 {
        try scaled(Self.timeUnits, expecting: "a length, such as 5s, 2min or 1h")
    }

    private func scaled(_ units: [(name: String, factor: Double)], expecting wanted: String) throws(QueryError) -> Int64
    {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let name = text.dropFirst(digits.count).lowercased()
        guard let number = Self.decimal(digits), let unit = units.first(where: { $0.name == name }),
            let value = Int64(exactly: (number * unit.factor).rounded())
        else { throw error(expecting: wanted) }
        return value
    }

    /// `48.85,2.35,5km`: degrees north and east, and a distance in kilometres, or in metres with `m`.
    func place() throws(QueryError) -> Query.Test {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 3, let latitude = Self.decimal(parts[0]), (-90...90).contains(latitude),
            let longitude = Self.decimal(parts[1]), (-180...180).contains(longitude)
        else { throw error(expecting: "a place and a distance, such as 48.85,2.35,5km") }
        let offset = parts[0].count + parts[1].count + 2
        let distance = QueryValue(text: String(parts[2]), column: column + offset, query: query)
        let units: [(String, Double)] = [("", 1_000_000), ("km", 1_000_000), ("m", 1000)]
        let millimetres = try distance.scaled(units, expecting: "a distance, such as 5km or 300m")
        // Half way round the earth everything is near.
        guard millimetres <= 20_100_000_000 else { throw distance.error("nothing on earth is that far away.") }
        return .near(latitude: latitude, longitude: longitude, metres: Double(millimetres) / 1000)
    }

    /// Digits with at most one point, and a sign; nothing else that Swift takes for a number.
    private static func decimal(_ text: some StringProtocol) -> Double? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst()[...] : text.dropFirst(0)[...]
        guard digits.utf8.contains(where: { (0x30...0x39).contains($0) }), digits.utf8.count <= 32,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(String(text))
    }
}
