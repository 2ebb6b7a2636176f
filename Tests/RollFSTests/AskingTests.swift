import FUSE
import Glibc
import PhotoLibrary
import Platform
import RollFS
import Support
import Testing

/// Shows nothing to anyone; the test answers.
private final class SilentListener: QuestionListener {
    func questionOpened(_ question: AuthorizationQuestion) {}
    func questionClosed(_ id: UInt64, outcome: QuestionOutcome) {}
}

/// The gate asks the user about clients without a record. That a signal ends the wait is tested on a real mount, since it
/// takes a request of the kernel's.
struct AskingTests {
    private static let stranger = Caller(pid: getpid(), uid: 500, gid: 500)
    private static let owner = Roll.owner

    private struct Asking {
        var library: Library
        var system: RollFileSystem
        var board: QuestionBoard

        func answer(_ decision: AuthorizationDecision) throws {
            let deadline = Clock.monotonic() + 5_000_000_000
            while board.questions.isEmpty, Clock.monotonic() < deadline { usleep(1000) }
            let question = try #require(board.questions.first)
            #expect(board.questions.count == 1)
            let isFirst = board.answer(question.id) { (question) throws(Errno) in
                try library.authorization.store(decision, for: question, scope: .user)
            }
            #expect(isFirst)
        }
    }

    private func withAsking(timeout: Int64 = 10_000_000_000, _ body: (Asking) throws -> Void) throws {
        try withTemporaryPlace { place in
            try Library.create(at: place("library"))
            let library = try Library(path: place("library"))
            try library.authorization.set(.authorized, of: .user(0), level: .readWrite)
            let board = QuestionBoard(waitingLimit: 12)
            let listener = SilentListener()
            board.add(listener)
            var options = RollOptions()
            options.promptTimeout = timeout
            options.allowsOthers = true
            let system = RollFileSystem(library: library, options: options, questions: board)
            system.sessionDidStart(RecordingNotifier())
            defer {
                system.sessionWillEnd()
                system.sessionDidEnd()
                library.close()
            }
            try body(Asking(library: library, system: system, board: board))
            withExtendedLifetime(listener) {}
        }
    }

    /// Runs a call on a thread of its own; nil while it has not ended.
    private func start(_ body: @escaping @Sendable () throws(Errno) -> Void) throws -> (Platform.Thread, Lock<Errno??>)
    {
        let result = Lock<Errno??>(nil)
        let thread = try Platform.Thread(name: "request") {
            do throws(Errno) {
                try body()
                result.withLock { $0 = .some(nil) }
            } catch { result.withLock { $0 = .some(error) } }
        }
        return (thread, result)
    }

    @Test(arguments: [AuthorizationDecision.full, .addOnly, .deny])
    func lookupAtTheRootWaits(decision: AuthorizationDecision) throws {
        try withAsking { asking in
            let system = asking.system
            let dcim = try FileName("DCIM")
            let calls = try (0..<3).map { _ in
                try start { () throws(Errno) in
                    _ = try system.lookup(dcim, in: Library.rootNode, for: Self.stranger)
                }
            }
            usleep(150_000)
            #expect(calls.allSatisfy { $0.1.withLock { $0 == nil } })
            // Others go on.
            let made = try system.makeDirectory(FileName("sub"), in: Roll.dcim, mode: 0o755, for: Self.owner)
            let found = try system.lookup(FileName("sub"), in: Roll.dcim, for: Self.owner)
            #expect(found.attributes.inode == made.attributes.inode)
            try asking.answer(decision)
            for (thread, result) in calls {
                thread.join()
                // What lies at the root shows to everyone.
                #expect(result.withLock { $0 } == .some(nil))
            }
            let access = asking.library.authorization.access(uid: 500, pid: getpid())
            #expect(access.canAdd == (decision != .deny))
            #expect((access.visibility == .everything) == (decision == .full))
            // Answered once and for all.
            _ = try system.lookup(dcim, in: Library.rootNode, for: Self.stranger)
            #expect(asking.board.questions.isEmpty)
        }
    }

    /// Reading is denied, of adding nothing is said: the first attempt is sent round by the root, where it waits.
    @Test func addingGoesRoundByTheRoot() throws {
        try withAsking { asking in
            let system = asking.system
            let new = try FileName("new.tmp")
            try asking.library.authorization.set(.denied, of: .user(500), level: .readWrite)
            func create() -> Errno? {
                do throws(Errno) {
                    let flags = OpenFlags(rawValue: O_WRONLY | O_CREAT)
                    let made = try system.create(new, in: Roll.dcim, mode: 0o644, flags: flags, for: Self.stranger)
                    system.release(made.entry.attributes.inode, handle: made.open.handle)
                    return nil
                } catch { return error }
            }
            func lookup() -> Errno? {
                do throws(Errno) { _ = try system.lookup(new, in: Roll.dcim, for: Self.stranger) } catch {
                    return error
                }
                return nil
            }
            #expect(lookup() == .noEntry)
            // To look at the root asks nothing: it wants nothing that nobody has decided.
            _ = try system.lookup(FileName("DCIM"), in: Library.rootNode, for: Self.stranger)
            #expect(create() == .stale)
            let (thread, result) = try start { () throws(Errno) in
                _ = try system.lookup(FileName(trusted: Array("DCIM".utf8)), in: Library.rootNode, for: Self.stranger)
            }
            usleep(100_000)
            #expect(result.withLock { $0 == nil })
            #expect(asking.board.questions.first?.level == .addOnly)
            try asking.answer(.addOnly)
            thread.join()
            #expect(create() == nil)
            #expect(asking.board.questions.isEmpty)
        }
    }

    /// Who does not come round, as it has the directory open, is refused; the question stays for the next attempt.
    @Test func whoDoesNotComeRound() throws {
        try withAsking { asking in
            let system = asking.system
            try asking.library.authorization.set(.denied, of: .user(500), level: .readWrite)
            func make() -> Errno? {
                do throws(Errno) {
                    let name = FileName(trusted: Array("new".utf8))
                    _ = try system.makeDirectory(name, in: Roll.dcim, mode: 0o755, for: Self.stranger)
                } catch { return error }
                return nil
            }
            #expect(make() == .stale)
            #expect(make() == .accessDenied)
            try asking.answer(.addOnly)
            #expect(make() == nil)
        }
    }

    @Test func timeIsUp() throws {
        try withAsking(timeout: 200_000_000) { asking in
            let start = Clock.monotonic()
            let root = try FileName("DCIM")
            _ = try asking.system.lookup(root, in: Library.rootNode, for: Self.stranger)
            #expect(Clock.monotonic() - start >= 200_000_000)
            #expect(try asking.library.authorization.records().map(\.client) == ["user:0"])
            #expect(try asking.library.authorization.requests().map(\.client) == ["user:500"])
            // The same program is not held up at its every step.
            let again = Clock.monotonic()
            _ = try asking.system.lookup(root, in: Library.rootNode, for: Self.stranger)
            #expect(Clock.monotonic() - again < 150_000_000)
            let name = try FileName("a.jpg")
            #expect(throws: Errno.accessDenied) {
                _ = try asking.system.lookup(name, in: Roll.dcim, for: Self.stranger)
            }
        }
    }
}
