import Glibc

/// The machine's clocks.
public enum Clock {
    /// The time of day, nanoseconds since 1970 UTC.
    public static func now() -> Int64 { read(CLOCK_REALTIME) }

    /// Nanoseconds since an arbitrary start, never set back.
    public static func monotonic() -> Int64 { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Lets the calling thread sleep for that many nanoseconds.
    public static func sleep(_ nanoseconds: Int64) {
        var rest = timespec(nanoseconds: nanoseconds)
        var left = timespec()
        while nanosleep(&rest, &left) != 0, errno == EINTR { rest = left }
    }
}
