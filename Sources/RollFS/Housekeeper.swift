internal import PhotoLibrary
internal import Platform

/// What a mount does by itself: finishing what a crash cut off, and deleting for good what was deleted 30 days ago.
final class Housekeeper: Sendable {
    private let library: Library
    private let isStopping = Monitor(false)
    private let thread = Lock<Thread?>(nil)
    /// An hour, in nanoseconds.
    private static let interval: Int64 = 3600 * 1_000_000_000

    init(library: Library) { self.library = library }

    /// Starts the thread, which does `first` and then its rounds.
    func start(_ first: @escaping @Sendable () -> Void) {
        let library = self.library
        let isStopping = self.isStopping
        do throws(Errno) {
            let made = try Thread(name: "housekeeper") {
                first()
                repeat {
                    Self.expireTrash(library)
                    library.refillReserve()
                } while isStopping.wait(timeout: Self.interval, until: { $0 ? true : nil }) == nil
            }
            thread.withLock { $0 = made }
        } catch {
            library.events.add(
                EventLog.Event(
                    client: "", operation: "housekeeping", path: "", errno: error,
                    reason:
                        "No thread could be started: deleted photos are kept longer than 30 days until the next mount.")
            )
        }
    }

    /// Ends the thread and waits for it.
    func stop() {
        isStopping.update { $0 = true }
        let ending = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        ending?.join()
    }

    private static func expireTrash(_ library: Library) {
        do throws(Errno) {
            _ = try library.purgeTrash(deletedBefore: Clock.now() - Library.trashLifetime)
        } catch {
            library.events.add(
                EventLog.Event(
                    client: "", operation: "expire", path: "Recently Deleted", errno: error,
                    reason: "What was deleted 30 days ago could not be removed: \(error). It is tried again in an hour."
                ))
        }
    }
}
