internal import FUSE
internal import PhotoLibrary
internal import Platform

/// Which threads are not to wait for the user now, and which the kernel sends the long way round to be asked for.
///
/// A thread in the middle of an operation on a directory holds the kernel's lock on it, so that everyone else would wait
/// too. It is answered `ESTALE`, on which the kernel walks the path again from the root, without a lock (openat(2)
/// and its like do so once); there the user is asked.
final class PromptPatience: Sendable {
    private struct Thread: Hashable {
        var pid: Int32
        /// When it started, in clock ticks since boot: numbers are used again.
        var started: UInt64
    }

    private struct State {
        /// Threads that waited in vain, and until when they do not wait again.
        var exhausted: [Thread: Int64] = [:]
        /// Threads that were sent round, and when.
        var sent: [Thread: Int64] = [:]
        var noted: [UInt32: (wish: String, at: Int64)] = [:]
    }

    private let state = Lock(State())
    private static let limit = 4096
    /// A program that goes on after a refusal is not held up at its every step, in nanoseconds.
    private static let pause: Int64 = 30_000_000_000
    private static let detour: Int64 = 5_000_000_000
    private static let noteInterval: Int64 = 5_000_000_000

    private func thread(_ caller: Caller) -> Thread {
        Thread(pid: caller.pid, started: RunningProcess.startTime(of: caller.pid) ?? 0)
    }

    /// Whether a thread may be made to wait for the user.
    func waits(_ caller: Caller) -> Bool {
        let thread = thread(caller)
        return state.withLock { state in
            guard let until = state.exhausted[thread] else { return true }
            if until > Clock.monotonic() { return false }
            state.exhausted[thread] = nil
            return true
        }
    }

    /// Notes that a thread waited in vain.
    func exhaust(_ caller: Caller) {
        let thread = thread(caller)
        state.withLock { state in
            if state.exhausted.count >= Self.limit { state.exhausted.removeAll() }
            state.exhausted[thread] = Clock.monotonic() + Self.pause
        }
    }

    /// Whether a thread is to be sent round: not where it was already, and came by another way.
    func sendRound(_ caller: Caller) -> Bool {
        let thread = thread(caller)
        return state.withLock { state in
            if let at = state.sent.removeValue(forKey: thread), Clock.monotonic() - at < Self.detour { return false }
            if state.sent.count >= Self.limit { state.sent.removeAll() }
            state.sent[thread] = Clock.monotonic()
            return true
        }
    }

    /// Whether a thread comes round; asked once.
    func comesRound(_ caller: Caller) -> Bool {
        // Nearly always nobody was sent.
        if state.withLock({ $0.sent.isEmpty }) { return false }
        let thread = thread(caller)
        return state.withLock { $0.sent.removeValue(forKey: thread) != nil }
    }

    /// Whether a refused wish is news, so that a client that asks in a loop does not fill the catalogue.
    func isNews(_ wish: QuestionBoard.Wish) -> Bool {
        let text = "\(wish.level.name) \(wish.operation)"
        return state.withLock { state in
            let now = Clock.monotonic()
            if let last = state.noted[wish.uid], last.wish == text, now - last.at < Self.noteInterval { return false }
            if state.noted.count >= Self.limit { state.noted.removeAll() }
            state.noted[wish.uid] = (text, now)
            return true
        }
    }
}
