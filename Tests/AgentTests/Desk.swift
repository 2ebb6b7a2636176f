import PhotoLibrary
import Platform
import Support

@testable import Agent

/// A second, in nanoseconds.
let second: Int64 = 1_000_000_000

/// A board with a server that is live, and clients that ask.
final class Desk: Sendable {
    struct Stored: Hashable {
        var id: UInt64
        var decision: AuthorizationDecision
        var scope: AnswerScope
    }

    let place: TemporaryPlace
    let board = QuestionBoard(waitingLimit: 96)
    let server: AgentServer
    /// What storing an answer fails with.
    let failure = Lock<Errno?>(nil)
    private let answers: Lock<[Stored]>
    private let clients = Lock<[Thread]>([])
    private let isClosing = Lock(false)

    var stored: [Stored] { answers.withLock { $0 } }

    init() throws {
        place = try TemporaryPlace()
        let answers = Lock([Stored]())
        self.answers = answers
        let failure = failure
        server = try AgentServer(library: place.path, board: board) { (decision, question, scope) throws(Errno) in
            if let error = failure.withLock({ $0 }) { throw error }
            answers.withLock { $0.append(Stored(id: question.id, decision: decision, scope: scope)) }
        }
        try server.listen()
    }

    func close() {
        isClosing.withLock { $0 = true }
        board.end()
        for client in clients.withLock({ $0 }) { client.join() }
        server.stop()
        place.remove()
    }

    /// An agent that the server knows, as it has heard the greeting and what is open.
    func agent() throws -> ReadyAgent { try ReadyAgent(AgentConnection(library: place.path)) }

    /// A client that waits for its answer on a thread of its own.
    final class Asked: Sendable {
        fileprivate let outcome = Monitor<(isThere: Bool, outcome: QuestionOutcome?)>((false, nil))
        /// How its question ended; nil where nobody was there to be asked.
        func result() -> QuestionOutcome? {
            outcome.wait(timeout: 30 * second) { $0.isThere ? .some($0.outcome) : nil } ?? nil
        }
    }

    /// - Parameter waitsForAgent: it asks again and again where nobody is there to be asked.
    func ask(
        user: UInt32, path: String = "DCIM/a.jpg", timeout: Int64 = 20 * second, waitsForAgent: Bool = false
    ) throws -> Asked {
        let asked = Asked()
        let (board, isClosing) = (board, isClosing)
        let client = try Thread(name: "client") {
            let wish = QuestionBoard.Wish(
                uid: user, pid: 42, program: "/usr/bin/cp", level: .readWrite, operation: "create", path: path)
            while true {
                switch board.ask(wish, timeout: timeout, isInterrupted: { false }) {
                case .outcome(let outcome): asked.outcome.update { $0 = (true, outcome) }
                case .interrupted: asked.outcome.update { $0 = (true, .withdrawn) }
                case .noListener:
                    if waitsForAgent, !isClosing.withLock({ $0 }) {
                        Clock.sleep(second / 100)
                        continue
                    }
                    asked.outcome.update { $0 = (true, nil) }
                }
                return
            }
        }
        clients.withLock { $0.append(client) }
        return asked
    }
}

/// Runs `body` with a live server.
func withDesk(_ body: (Desk) throws -> Void) throws {
    let desk = try Desk()
    defer { desk.close() }
    try body(desk)
}

/// An agent, what it heard when it came kept for the test.
final class ReadyAgent {
    private let connection: AgentConnection
    private var early: [AgentMessage.FromMount] = []

    init(_ connection: AgentConnection) throws {
        self.connection = connection
        while true {
            guard let message = try connection.next(timeout: 20 * second) else { throw HarnessError("no greeting") }
            if message == .ready { return }
            early.append(message)
        }
    }

    func answer(_ answer: AgentMessage.Answer) throws { try connection.answer(answer) }

    func next(timeout: Int64) throws -> AgentMessage.FromMount? {
        early.isEmpty ? try connection.next(timeout: timeout) : early.removeFirst()
    }

    /// The next message about `question`: that an earlier answer was stored may be told after the next question was sent.
    func next(about question: AuthorizationQuestion) throws -> AgentMessage.FromMount? {
        while let message = try next(timeout: 20 * second) {
            switch message {
            case .closed(question.id, _), .result(question.id, _, _): return message
            default: continue
            }
        }
        return nil
    }

    /// The next question, other messages passed over.
    func nextQuestion() throws -> AuthorizationQuestion? {
        while let message = try next(timeout: 20 * second) {
            if case .question(let question) = message { return question }
        }
        return nil
    }
}
