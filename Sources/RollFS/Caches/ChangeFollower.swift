internal import FUSE
internal import PhotoLibrary
internal import Platform

/// Waits for other processes' announcements, and then drops what the kernel keeps of what they changed.
final class ChangeFollower: Sendable {
    private let library: Library
    private let isStopping = Lock(false)
    private let thread = Lock<Thread?>(nil)
    /// So that a lost wake-up is no more than late, in nanoseconds.
    private static let longestWait: Int64 = 60 * 1_000_000_000

    init(library: Library) { self.library = library }

    /// Starts the thread.
    ///
    /// - Parameter drop: drops everything that may be from before this call.
    func start(_ drop: @escaping @Sendable () -> Void) {
        let announcements = library.announcements
        // A mount begins with empty caches.
        let count = announcements.count
        announcements.noteFollowed(count)
        do throws(Errno) {
            let made = try Thread(name: "follower") { [isStopping] in
                var seen = count
                while !isStopping.withLock({ $0 }) {
                    announcements.wait(while: seen, timeout: Self.longestWait)
                    let now = announcements.count
                    if now == seen { continue }
                    drop()
                    announcements.noteFollowed(now)
                    seen = now
                }
            }
            thread.withLock { $0 = made }
        } catch {
            library.events.add(
                EventLog.Event(
                    client: "", operation: "follow", path: "", errno: error,
                    reason: "No thread could be started: what other commands change shows a second later."))
        }
    }

    /// Ends the thread and waits for it.
    func stop() {
        isStopping.withLock { $0 = true }
        let ending = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let ending else { return }
        _ = library.announcements.announce()
        ending.join()
    }
}
