import Media
import Platform

/// Moments as text (RFC 3339).
enum TimeText {
    /// In UTC, from nanoseconds since 1970.
    static func utc(_ instant: Int64) -> String { CivilTime.rfc3339(instant: instant, offset: 0) }

    /// On this machine's clock, to the second, for a person.
    static func local(_ instant: Int64) -> String {
        let offset = LocalZone.offset(at: instant)
        let text = CivilTime.rfc3339(instant: instant, offset: offset)
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }
}
