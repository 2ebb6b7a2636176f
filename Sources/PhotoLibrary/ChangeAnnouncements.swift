internal import Platform

/// By which processes that have a library open tell the one that mounts it that they changed something.
///
/// Two counters in shared memory: one counts the announcements, the other says up to which of them the mount has
/// dropped what the kernel kept. What changed is read from the catalogue.
public final class ChangeAnnouncements: Sendable {
    private let made: SharedCounter
    private let followed: SharedCounter

    init(root: Directory) throws(Errno) {
        made = try SharedCounter(file: root.open("changes.announced", [.readWrite, .create, .noFollow]))
        followed = try SharedCounter(file: root.open("changes.followed", [.readWrite, .create, .noFollow]))
    }

    /// How many announcements there were.
    public var count: UInt64 { made.value }

    /// Says that something changed. - Returns: the number of the announcement.
    public func announce() -> UInt64 { made.announce() }

    /// Waits until the mount has followed an announcement.
    ///
    /// - Parameter timeout: in nanoseconds.
    public func waitUntilFollowed(_ number: UInt64, timeout: Int64) {
        let deadline = Clock.monotonic() &+ timeout
        while true {
            let value = followed.value
            let rest = deadline &- Clock.monotonic()
            if value >= number || rest <= 0 { return }
            followed.wait(while: value, timeout: rest)
        }
    }

    /// Waits until there are other announcements than `count`, or the time is up.
    public func wait(while count: UInt64, timeout: Int64) { made.wait(while: count, timeout: timeout) }

    /// Says that the kernel keeps nothing from before an announcement.
    public func noteFollowed(_ number: UInt64) { followed.raise(to: number) }
}
