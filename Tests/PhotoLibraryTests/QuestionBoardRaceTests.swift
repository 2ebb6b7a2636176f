import Glibc
import PhotoLibrary
import Platform
import Testing

/// Remembers what was shown.
private final class Listener: QuestionListener {
    struct Seen: Sendable {
        var opened: [AuthorizationQuestion] = []
        var closed: [UInt64: QuestionOutcome] = [:]
    }
    private let seen = Monitor(Seen())
    var now: Seen { seen.update { $0 } }
    func questionOpened(_ question: AuthorizationQuestion) { seen.update { $0.opened.append(question) } }
    func questionClosed(_ id: UInt64, outcome: QuestionOutcome) { seen.update { $0.closed[id] = outcome } }

    /// The newest question, once there are `count`.
    func question(_ count: Int = 1) throws -> AuthorizationQuestion {
        let found: AuthorizationQuestion? = seen.wait(timeout: 5_000_000_000) { seen in
            seen.opened.count >= count ? seen.opened[count - 1] : nil
        }
        return try #require(found)
    }
}

/// A thread that asks, and what came of it.
private struct Waiter {
    let thread: Platform.Thread
    let result: Lock<QuestionBoard.WaitResult?>
    let isInterrupted = Lock(false)

    init(_ board: QuestionBoard, uid: UInt32 = 7, pid: Int32 = 1, timeout: Int64 = 10_000_000_000) throws {
        let result = Lock<QuestionBoard.WaitResult?>(nil)
        let isInterrupted = isInterrupted
        self.result = result
        thread = try Platform.Thread(name: "waiter") {
            let wish = QuestionBoardRaceTests.wish(uid: uid, pid: pid)
            let end = board.ask(wish, timeout: timeout) { isInterrupted.withLock { $0 } }
            result.withLock { $0 = end }
        }
    }

    /// In a word.
    func end() -> String {
        thread.join()
        switch result.withLock({ $0 }) {
        case .outcome(let outcome): return outcome.rawValue
        case .interrupted: return "interrupted"
        case .noListener: return "no listener"
        case nil: return "nothing"
        }
    }
}

/// What comes at the same time as an answer, or instead of it.
struct QuestionBoardRaceTests {
    static func wish(uid: UInt32 = 7, pid: Int32 = 1) -> QuestionBoard.Wish {
        QuestionBoard.Wish(
            uid: uid, pid: pid, program: "/usr/bin/cp", level: .readWrite, operation: "create", path: "DCIM/a.jpg")
    }

    private func withBoard(limit: Int = 96, _ body: (QuestionBoard, Listener) throws -> Void) throws {
        let board = QuestionBoard(waitingLimit: limit)
        let listener = Listener()
        board.add(listener)
        try body(board, listener)
        #expect(board.questions.isEmpty)
    }

    /// Two agents answer at once: the first one's answer is stored, the other's never.
    @Test func firstAnswerWins() throws {
        for _ in 0..<50 {
            try withBoard { board, listener in
                let waiter = try Waiter(board)
                let id = try listener.question().id
                let stored = Lock<[Int]>([])
                let won = Lock<[Int]>([])
                let agents = try (0..<4).map { number in
                    try Platform.Thread(name: "agent") {
                        let isFirst = board.answer(id) { (_) throws(Errno) in
                            Clock.sleep(1_000_000)
                            stored.withLock { $0.append(number) }
                        }
                        if isFirst { won.withLock { $0.append(number) } }
                    }
                }
                for agent in agents { agent.join() }
                #expect(waiter.end() == "answered")
                #expect(stored.withLock { $0 }.count == 1)
                #expect(stored.withLock { $0 } == won.withLock { $0 })
            }
        }
    }

    /// The last one who is interrupted takes the question away.
    @Test func interrupted() throws {
        try withBoard { board, listener in
            let waiters = try (0..<2).map { _ in try Waiter(board) }
            let question = try listener.question()
            while board.waitingCount < 2 { usleep(10_000) }
            waiters[0].isInterrupted.withLock { $0 = true }
            #expect(waiters[0].end() == "interrupted")
            #expect(board.questions == [question])
            waiters[1].isInterrupted.withLock { $0 = true }
            #expect(waiters[1].end() == "interrupted")
            #expect(listener.now.closed == [question.id: .withdrawn])
            #expect(!board.answer(question.id) { (_) throws(Errno) in })
        }
    }

    /// Interrupted while the answer is stored: the answer counts.
    @Test func interruptedWhileItIsStored() throws {
        try withBoard { board, listener in
            let waiter = try Waiter(board)
            let question = try listener.question()
            let isAnswered = board.answer(question.id) { (_) throws(Errno) in
                waiter.isInterrupted.withLock { $0 = true }
                #expect(waiter.end() == "interrupted")
            }
            #expect(isAnswered)
            #expect(listener.now.closed == [question.id: .answered])
        }
    }

    @Test func endOfTheMount() throws {
        let board = QuestionBoard(waitingLimit: 10)
        let listener = Listener()
        board.add(listener)
        let waiters = try (0..<3).map { _ in try Waiter(board) }
        _ = try listener.question()
        while board.waitingCount < 3 { usleep(10_000) }
        board.end()
        for waiter in waiters { #expect(waiter.end() == "ended") }
        #expect(!board.hasListeners)
        #expect(try Waiter(board).end() == "no listener")
    }

    @Test func nobodyToAsk() throws {
        let board = QuestionBoard(waitingLimit: 10)
        #expect(!board.hasListeners)
        #expect(try Waiter(board).end() == "no listener")
        // The listener goes while somebody waits: another one that comes is shown the question.
        let first = Listener()
        board.add(first)
        let waiter = try Waiter(board)
        let question = try first.question()
        board.remove(first)
        usleep(100_000)
        #expect(waiter.result.withLock { $0 == nil })
        let second = Listener()
        board.add(second)
        #expect(try second.question() == question)
        #expect(board.answer(question.id) { (_) throws(Errno) in })
        #expect(waiter.end() == "answered")
        #expect(first.now.closed.isEmpty && second.now.closed == [question.id: .answered])
    }
}
