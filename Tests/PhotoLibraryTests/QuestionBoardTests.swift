import PhotoLibrary
import Platform
import Support
import Testing

@Suite struct QuestionBoardTests {
    /// Remembers what it is shown.
    private final class Desk: QuestionListener {
        let opened = Monitor([AuthorizationQuestion]())
        let closed = Monitor([String]())
        func questionOpened(_ question: AuthorizationQuestion) { opened.update { $0.append(question) } }
        func questionClosed(_ id: UInt64, outcome: QuestionOutcome) {
            closed.update { $0.append("\(id) \(outcome.rawValue)") }
        }
        func first(_ count: Int = 1) -> [AuthorizationQuestion] {
            opened.wait(timeout: 5_000_000_000) { $0.count >= count ? $0 : nil } ?? []
        }
        func closings(_ count: Int) -> [String] {
            closed.wait(timeout: 5_000_000_000) { $0.count >= count ? $0 : nil } ?? []
        }
    }

    private static let second: Int64 = 1_000_000_000

    private func wish(_ uid: UInt32) -> QuestionBoard.Wish {
        QuestionBoard.Wish(
            uid: uid, pid: 1, program: "/bin/x", level: .readWrite, operation: "lookup", path: "DCIM")
    }

    /// Asks on threads of their own; answers what became of each.
    private func ask(
        _ board: QuestionBoard, _ uids: [UInt32], timeout: Int64 = 20 * second,
        isInterrupted: @escaping @Sendable () -> Bool = { false }, while body: () throws -> Void
    ) throws -> [String] {
        let results = Lock([String](repeating: "", count: uids.count))
        let threads = try uids.enumerated().map { index, uid in
            try Platform.Thread(name: "asking") {
                let result =
                    switch board.ask(wish(uid), timeout: timeout, isInterrupted: isInterrupted) {
                    case .outcome(let outcome): outcome.rawValue
                    case .interrupted: "interrupted"
                    case .noListener: "nobody"
                    }
                results.withLock { $0[index] = result }
            }
        }
        try body()
        for thread in threads { thread.join() }
        return results.withLock { $0 }
    }

    /// Waits until that many requests wait.
    private func waitUntil(_ board: QuestionBoard, _ count: Int) {
        for _ in 0..<1000 where board.waitingCount < count { Clock.sleep(10_000_000) }
    }

    @Test func oneQuestionForAll() throws {
        let board = QuestionBoard(waitingLimit: 96)
        let desk = Desk()
        board.add(desk)
        let stored = Lock([UInt32]())
        let results = try ask(board, (0..<20).map { UInt32($0 % 2) }) {
            let questions = desk.first(2)
            #expect(Set(questions.map(\.uid)) == [0, 1])
            waitUntil(board, 20)
            #expect(desk.opened.update { $0.count } == 2)
            for question in questions {
                #expect(board.answer(question.id) { asked in stored.withLock { $0.append(asked.uid) } })
                // The first answer wins.
                #expect(!board.answer(question.id) { asked in stored.withLock { $0.append(asked.uid) } })
            }
        }
        #expect(results == [String](repeating: "answered", count: 20))
        #expect(stored.withLock { $0.sorted() } == [0, 1])
        #expect(desk.closings(2).count == 2 && board.questions.isEmpty)
    }

    @Test func twoAnswersAtOnce() throws {
        for _ in 0..<50 {
            let board = QuestionBoard(waitingLimit: 96)
            let desk = Desk()
            board.add(desk)
            let stored = Lock(0)
            let results = try ask(board, [1]) {
                let question = try #require(desk.first().first)
                let threads = try (0..<4).map { _ in
                    try Platform.Thread(name: "answering") {
                        _ = board.answer(question.id) { _ in stored.withLock { $0 += 1 } }
                    }
                }
                for thread in threads { thread.join() }
            }
            #expect(results == ["answered"] && stored.withLock { $0 } == 1)
        }
    }

    /// An answer that cannot be stored lets nobody in.
    @Test func storingFails() throws {
        let board = QuestionBoard(waitingLimit: 96)
        let desk = Desk()
        board.add(desk)
        let results = try ask(board, [1, 1]) {
            let question = try #require(desk.first().first)
            waitUntil(board, 2)
            #expect(!board.answer(question.id) { (_) throws(Errno) in throw .noSpace })
        }
        #expect(results == ["failed", "failed"])
        #expect(desk.closings(1) == ["1 failed"])
    }

    @Test func endsWithoutAnAnswer() throws {
        let board = QuestionBoard(waitingLimit: 96)
        #expect(try ask(board, [1]) {} == ["nobody"])
        let desk = Desk()
        board.add(desk)
        #expect(try ask(board, [1, 1], timeout: 100_000_000) {} == ["expired", "expired"])
        let isInterrupted = Lock(false)
        let interruption = { @Sendable in isInterrupted.withLock { $0 } }
        let results = try ask(board, [1], isInterrupted: interruption) {
            _ = desk.first(2)
            isInterrupted.withLock { $0 = true }
        }
        #expect(results == ["interrupted"])
        #expect(desk.closings(2) == ["1 expired", "2 withdrawn"])
        // What is closed cannot be answered any more.
        #expect(!board.answer(2) { _ in })
        #expect(
            try ask(board, [1, 2]) {
                _ = desk.first(4)
                board.end()
            } == ["ended", "ended"])
        #expect(try ask(board, [1]) {} == ["nobody"])
    }

    /// One user does not take the places of all.
    @Test func limits() throws {
        let board = QuestionBoard(waitingLimit: 6)
        let desk = Desk()
        board.add(desk)
        let results = try ask(board, [1, 1, 1, 1, 1], timeout: 3_000_000_000) {}
        #expect(results.sorted() == ["expired", "expired", "nobody", "nobody", "nobody"])
        let several = try ask(board, [1, 1, 2, 2, 3, 3, 4], timeout: 3_000_000_000) {}
        #expect(several.filter { $0 == "expired" }.count == 6)
    }

    @Test func raisedWithoutWaiting() throws {
        let board = QuestionBoard(waitingLimit: 96)
        let desk = Desk()
        board.raise(wish(1), timeout: Self.second)
        #expect(board.questions.isEmpty, "nobody is there to be asked")
        board.add(desk)
        board.raise(wish(1), timeout: 20 * Self.second)
        board.raise(wish(1), timeout: 20 * Self.second)
        #expect(desk.first().count == 1 && board.questions.count == 1)
        // One who comes later is shown what is open.
        let late = Desk()
        board.add(late)
        #expect(late.first().map(\.id) == desk.first().map(\.id))
        #expect(board.answer(desk.first()[0].id) { _ in })
        #expect(board.questions.isEmpty)
        // Its time is up: it closes when the next one comes.
        board.raise(wish(2), timeout: 1)
        Clock.sleep(10_000_000)
        board.raise(wish(3), timeout: 20 * Self.second)
        #expect(board.questions.map(\.uid) == [3])
        #expect(desk.closings(2) == ["1 answered", "2 expired"])
    }
}
