import Glibc

/// The time zone of this process (`TZ`, else the system's), as the C library knows it.
public enum LocalZone {
    /// Seconds east of UTC at a moment, nanoseconds since 1970 UTC.
    public static func offset(at instant: Int64) -> Int {
        var seconds = time_t(instant.quotientAndRemainder(dividingBy: 1_000_000_000).quotient)
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else { return 0 }
        return local.tm_gmtoff
    }

    /// Seconds east of UTC at a local time, given as nanoseconds since 1970 read as if it were UTC.
    ///
    /// A time that the clocks show twice is taken as the earlier moment, one that they skip as after the gap.
    public static func offset(atLocal local: Int64) -> Int {
        let hour: Int64 = 3_600_000_000_000
        // Zones lie within 26 hours; the offsets on both sides of a change are found around the moment.
        let before = offset(at: local &- 26 * hour)
        let after = offset(at: local &+ 26 * hour)
        for candidate in [max(before, after), min(before, after)] {
            if offset(at: local &- Int64(candidate) &* 1_000_000_000) == candidate { return candidate }
        }
        return before
    }
}
