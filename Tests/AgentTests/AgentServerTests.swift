import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

@testable import Agent

@Suite(.serialized) struct AgentServerTests {
    /// A late agent sees what is open, the first answer wins, everyone hears of the end.
    @Test func severalAgents() throws {
        try withDesk { desk in
            let first = try desk.agent()
            let asked = try desk.ask(user: 1000)
            let question = try #require(try first.nextQuestion())
            #expect(question.uid == 1000)
            #expect(question.program == "/usr/bin/cp")
            #expect(question.path == "DCIM/a.jpg")
            let late = try desk.agent()
            #expect(try late.nextQuestion() == question)

            try late.answer(.init(id: question.id, decision: .addOnly, scope: .program))
            #expect(try late.next(timeout: 10 * second) == .closed(id: question.id, outcome: .answered))
            #expect(try late.next(timeout: 10 * second) == .result(id: question.id, isAccepted: true, reason: ""))
            #expect(try first.next(timeout: 10 * second) == .closed(id: question.id, outcome: .answered))
            #expect(asked.result() == .answered)
            #expect(desk.stored == [Desk.Stored(id: question.id, decision: .addOnly, scope: .program)])

            try first.answer(.init(id: question.id, decision: .full, scope: .user))
            guard case .result(question.id, false, let reason) = try first.next(timeout: 10 * second) else {
                Issue.record("no result")
                return
            }
            #expect(reason.contains("not open"))
            #expect(desk.stored.count == 1)
        }
    }

    /// Without an agent nobody waits; with one that dies, others or the time go on.
    @Test func agentsThatDie() throws {
        try withDesk { desk in
            #expect(try desk.ask(user: 1).result() == nil)
            var dying: ReadyAgent? = try desk.agent()
            let asked = try desk.ask(user: 1, timeout: 3 * second)
            let question = try #require(try dying?.nextQuestion())
            dying = nil
            let other = try desk.agent()
            #expect(try other.nextQuestion()?.id == question.id)
            try other.answer(.init(id: question.id, decision: .full, scope: .user))
            #expect(asked.result() == .answered)

            let alone = try desk.ask(user: 2, timeout: second / 2)
            let next = try #require(try other.nextQuestion())
            #expect(try other.next(about: next) == .closed(id: next.id, outcome: .expired))
            #expect(alone.result() == .expired)
        }
    }

    @Test func answersThatCannotBeStored() throws {
        try withDesk { desk in
            desk.failure.withLock { $0 = .noSpace }
            let agent = try desk.agent()
            let asked = try desk.ask(user: 1)
            let question = try #require(try agent.nextQuestion())
            try agent.answer(.init(id: question.id, decision: .full, scope: .user))
            #expect(try agent.next(timeout: 10 * second) == .closed(id: question.id, outcome: .failed))
            guard case .result(_, false, let reason) = try agent.next(timeout: 10 * second) else {
                Issue.record("no result")
                return
            }
            #expect(reason.contains("No space left"))
            #expect(asked.result() == .failed)
        }
    }

    @Test func socketFile() throws {
        try withDesk { desk in
            let path = desk.place(AgentServer.socketName)
            let status = try Files.existing(path)
            #expect(status.kind == .socket)
            #expect(status.mode & 0o777 == 0o600)
            let agent = try desk.agent()
            desk.server.stop()
            #expect(!Files.exists(path))
            #expect(throws: AgentConnection.Failure.ended) { try agent.next(timeout: 10 * second) }
            #expect(throws: AgentConnection.Failure.notMounted) { try AgentConnection(library: desk.place.path) }
        }
    }

    @Test func noMoreThanSixteen() throws {
        try withDesk { desk in
            var agents = try (0..<AgentServer.agentLimit).map { _ in try desk.agent() }
            let asked = try desk.ask(user: 1)
            for agent in agents { #expect(try agent.nextQuestion() != nil) }
            let tooMany = try AgentConnection(library: desk.place.path)
            #expect {
                _ = try tooMany.next(timeout: 10 * second)
            } throws: { error in
                if case AgentConnection.Failure.refused(let reason) = error { reason.contains("16") } else { false }
            }
            agents.removeFirst(2)
            Clock.sleep(second / 10)
            let again = try desk.agent()
            let question = try #require(try again.nextQuestion())
            try again.answer(.init(id: question.id, decision: .deny, scope: .user))
            #expect(asked.result() == .answered)
        }
    }

    /// An agent that reads nothing is dropped, and holds up neither the board nor other agents.
    @Test func slowAgent() throws {
        try withDesk { desk in
            let slow = try UnixSocket.connect(AgentServer.socketName, in: Directory(desk.place.path))
            let quick = try desk.agent()
            let start = Clock.monotonic()
            let path = "DCIM/" + String(repeating: "x", count: 1000)
            var count = 0
            // Beyond what the kernel keeps and what the server keeps.
            while count < 1500 {
                count += 1
                let asked = try desk.ask(user: UInt32(count), path: path)
                let question = try #require(try quick.nextQuestion())
                try quick.answer(.init(id: question.id, decision: .deny, scope: .user))
                #expect(asked.result() == .answered)
                while case .closed? = try quick.next(timeout: 20 * second) {}
            }
            #expect(Clock.monotonic() - start < 300 * second)
            // What it was sent ends.
            var size = 0
            while let piece = try slow.receive(1 << 16), !piece.isEmpty { size += piece.count }
            #expect(size < 1500 * 1000)
            #expect(try slow.receive(1)?.isEmpty == true)
        }
    }

    @Test(.enabled(if: Machine.isRoot, "needs root, to become another user"))
    func strangers() throws {
        try withDesk { desk in
            try Posix.setMode(desk.place.path, 0o777)
            try Posix.setMode(desk.place(AgentServer.socketName), 0o777)
            let asked = try desk.ask(user: 1, waitsForAgent: true)
            let script = """
                import socket, sys
                s = socket.socket(socket.AF_UNIX)
                s.connect(sys.argv[1])
                s.settimeout(5)
                try:
                    s.sendall(b'{"type":"answer","id":1,"decision":"full","scope":"user"}\\n')
                except OSError: pass
                try:
                    print(len(s.recv(4096)))
                except ConnectionResetError: print(0)
                """
            let stranger = TestUser(name: "nobody", uid: 65533, gid: 65533)
            let outcome = try require(
                "/usr/bin/python3", "-c", script, desk.place(AgentServer.socketName), user: stranger)
            #expect(outcome.stdout == "0\n", "\(outcome)")
            #expect(desk.stored.isEmpty)
            // The owner is one who may.
            #expect(chown(desk.place.path, 65533, 65533) == 0)
            let agent = try desk.agent()
            let question = try #require(try agent.nextQuestion())
            try agent.answer(.init(id: question.id, decision: .deny, scope: .user))
            #expect(asked.result() == .answered)
        }
    }
}
