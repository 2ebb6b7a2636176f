public import Platform

/// The questions that are open now: one for each client, however many of its requests wait for it.
///
/// A request waits here until the user has answered, the time is up, a signal takes its program out of the system call,
/// or the mount ends. All who wait for one question are released together.
public final class QuestionBoard: Sendable {
    private struct Entry {
        var question: AuthorizationQuestion
        var waiting: Int
        /// On the clock that is never set back: when it closes where nobody waits for it.
        var deadline: Int64
        var outcome: QuestionOutcome?
        /// An answer is being stored: no other counts any more.
        var isTaken = false
    }

    private struct State {
        var nextID: UInt64 = 1
        var entries: [UInt64: Entry] = [:]
        var listeners: [ObjectIdentifier: any QuestionListener] = [:]
        /// How many requests of each user wait.
        var waiting: [UInt32: Int] = [:]
        var isEnding = false
    }

    private let state = Monitor(State())
    /// More waiting requests than this are turned away, so that threads are left for everyone else.
    private let waitingLimit: Int
    /// The same for one user, so that none takes the places of all.
    private let userLimit: Int
    /// How often a waiting request looks whether a signal came, in nanoseconds.
    private static let step: Int64 = 50_000_000

    public init(waitingLimit: Int) {
        self.waitingLimit = waitingLimit
        userLimit = max(1, waitingLimit / 3)
    }

    /// How many requests wait for an answer.
    public var waitingCount: Int { state.update { $0.waiting.values.reduce(0, +) } }

    /// Whether anybody is there to be asked.
    public var hasListeners: Bool { state.update { !$0.listeners.isEmpty && !$0.isEnding } }

    /// What a client wants that has no record.
    public struct Wish: Sendable {
        public var uid: UInt32
        public var pid: Int32
        public var program: String?
        public var level: AccessLevel
        public var operation: String
        public var path: String
        public init(
            uid: UInt32, pid: Int32, program: String?, level: AccessLevel, operation: String, path: String
        ) {
            self.uid = uid
            self.pid = pid
            self.program = program
            self.level = level
            self.operation = operation
            self.path = path
        }
    }

    /// How waiting for an answer ended.
    public enum WaitResult: Sendable {
        case outcome(QuestionOutcome)
        case interrupted
        /// Nobody is there to be asked.
        case noListener
    }

    /// Asks and waits.
    ///
    /// - Parameters:
    ///   - timeout: nanoseconds.
    ///   - isInterrupted: whether a signal wants the waiting program back.
    public func ask(_ wish: Wish, timeout: Int64, isInterrupted: () -> Bool) -> WaitResult {
        guard let question = join(wish, timeout: timeout, waits: true) else { return .noListener }
        let deadline = Clock.monotonic() &+ timeout
        while true {
            let rest = deadline - Clock.monotonic()
            let outcome = state.wait(timeout: max(0, min(rest, Self.step))) { state -> QuestionOutcome? in
                state.isEnding ? .ended : state.entries[question.id]?.outcome
            }
            if let outcome {
                leave(question, nil)
                return .outcome(outcome)
            }
            if isInterrupted() {
                leave(question, .withdrawn)
                return .interrupted
            }
            if rest <= 0 {
                leave(question, .expired)
                return .outcome(.expired)
            }
        }
    }

    /// Puts a question without waiting for its answer. It stays open for `timeout` nanoseconds.
    public func raise(_ wish: Wish, timeout: Int64) { _ = join(wish, timeout: timeout, waits: false) }

    /// Adds a request to its client's question, which is opened where there is none.
    private func join(_ wish: Wish, timeout: Int64, waits: Bool) -> AuthorizationQuestion? {
        closeExpired()
        let joined = state.update { state -> (AuthorizationQuestion, [any QuestionListener])? in
            guard !state.listeners.isEmpty, !state.isEnding else { return nil }
            if waits {
                let all = state.waiting.values.reduce(0, +)
                guard all < waitingLimit, state.waiting[wish.uid, default: 0] < userLimit else { return nil }
                state.waiting[wish.uid, default: 0] += 1
            }
            let found = state.entries.first { $0.value.question.uid == wish.uid && $0.value.outcome == nil }
            if let found {
                if waits { state.entries[found.key]?.waiting += 1 }
                return (found.value.question, [])
            }
            let now = Clock.now()
            let question = AuthorizationQuestion(
                id: state.nextID, uid: wish.uid, program: wish.program, pid: wish.pid, level: wish.level,
                operation: wish.operation, path: wish.path, asked: now, expires: now &+ timeout)
            state.nextID += 1
            state.entries[question.id] = Entry(
                question: question, waiting: waits ? 1 : 0, deadline: Clock.monotonic() &+ timeout)
            return (question, Array(state.listeners.values))
        }
        guard let (question, listeners) = joined else { return nil }
        for listener in listeners { listener.questionOpened(question) }
        return question
    }

    /// Closes questions that nobody waits for and whose time is up.
    private func closeExpired() {
        let now = Clock.monotonic()
        let (closed, listeners) = state.update { state in
            let closed = state.entries.filter { _, entry in
                entry.waiting == 0 && entry.deadline <= now && !entry.isTaken
            }.map(\.key)
            for id in closed { state.entries[id] = nil }
            return (closed, closed.isEmpty ? [] : Array(state.listeners.values))
        }
        for id in closed { for listener in listeners { listener.questionClosed(id, outcome: .expired) } }
    }

    /// Takes a waiting request off its question; the last one closes it.
    private func leave(_ question: AuthorizationQuestion, _ outcome: QuestionOutcome?) {
        let closed = state.update { state -> (listeners: [any QuestionListener], outcome: QuestionOutcome)? in
            let left = state.waiting[question.uid, default: 1] - 1
            state.waiting[question.uid] = left > 0 ? left : nil
            guard var entry = state.entries[question.id] else { return nil }
            entry.waiting -= 1
            state.entries[question.id] = entry
            guard entry.waiting <= 0 else { return nil }
            // An answer that is being stored takes the question away itself.
            if entry.isTaken, entry.outcome == nil { return nil }
            state.entries[question.id] = nil
            // Who answered has told the listeners.
            guard entry.outcome == nil, let outcome else { return nil }
            return (Array(state.listeners.values), outcome)
        }
        if let closed {
            for listener in closed.listeners { listener.questionClosed(question.id, outcome: closed.outcome) }
        }
    }

    /// Answers a question: the first answer wins.
    ///
    /// - Parameter store: makes the records, outside of the board's lock; what it throws lets nobody in.
    /// - Returns: false where the question is closed or somebody else has answered it.
    public func answer(_ id: UInt64, store: (AuthorizationQuestion) throws(Errno) -> Void) -> Bool {
        let question = state.update { state -> AuthorizationQuestion? in
            guard let entry = state.entries[id], !entry.isTaken, entry.outcome == nil else { return nil }
            state.entries[id]?.isTaken = true
            return entry.question
        }
        guard let question else { return false }
        var outcome = QuestionOutcome.answered
        do throws(Errno) { try store(question) } catch { outcome = .failed }
        let listeners = state.update { state in
            state.entries[id]?.outcome = outcome
            // Those who wait take it away when they have seen the outcome.
            if state.entries[id]?.waiting == 0 { state.entries[id] = nil }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.questionClosed(id, outcome: outcome) }
        return outcome == .answered
    }

    /// The questions that are open now, oldest first.
    public var questions: [AuthorizationQuestion] {
        state.update { state in
            state.entries.values.filter { $0.outcome == nil }.map(\.question).sorted { $0.id < $1.id }
        }
    }

    /// Adds one who shows questions; what is open is shown at once.
    public func add(_ listener: any QuestionListener) {
        let open = state.update { state in
            state.listeners[ObjectIdentifier(listener)] = listener
            return state.entries.values.filter { $0.outcome == nil }.map(\.question)
        }
        for question in open.sorted(by: { $0.id < $1.id }) { listener.questionOpened(question) }
    }

    /// Removes a listener. Where it was the last one, open questions go on until their time is up: another may come.
    public func remove(_ listener: any QuestionListener) {
        state.update { state in _ = state.listeners.removeValue(forKey: ObjectIdentifier(listener)) }
    }

    /// Lets everyone go who waits: the mount ends.
    public func end() { state.update { $0.isEnding = true } }
}
