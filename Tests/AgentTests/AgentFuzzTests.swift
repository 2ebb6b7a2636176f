import PhotoLibrary
import Platform
import Support
import Testing

@testable import Agent

/// Random and half-right messages at a live server with an open question: no crash, no answer accepted.
@Suite(.serialized) struct AgentFuzzTests {
    private static let count = 100_000

    @Test func nothingButAnAnswerAnswers() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("AgentFuzzTests: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        try withDesk { desk in
            let watcher = try desk.agent()
            let asked = try desk.ask(user: 1000, timeout: 600 * second)
            let question = try #require(try watcher.nextQuestion())

            var sender = try Sender(desk)
            var sent = 0
            var refused = 0
            while sent < Self.count {
                let message = HalfRight(id: question.id).message(&generator)
                sent += 1
                if try !sender.send(message.line, isMessage: message.isMessage) {
                    refused += 1
                    sender = try Sender(desk)
                }
                if sent % 10_000 == 0 {
                    #expect(desk.stored.isEmpty)
                    #expect(desk.board.questions.map(\.id) == [question.id])
                }
            }
            print("AgentFuzzTests: \(sent) messages, \(refused) of them ended their connection")
            #expect(refused > Self.count / 10)
            #expect(refused < Self.count)
            #expect(desk.stored.isEmpty)

            // A right one still counts.
            try watcher.answer(.init(id: question.id, decision: .full, scope: .user))
            #expect(asked.result() == .answered)
            #expect(desk.stored == [Desk.Stored(id: question.id, decision: .full, scope: .user)])
        }
    }

    /// A connection that half-right messages go through.
    private struct Sender {
        let socket: UnixSocket
        private var input = LineBuffer(limit: AgentMessage.lineLimit)

        init(_ desk: Desk) throws {
            let directory = try Directory(desk.place.path)
            // The server may not have seen yet that the one before was closed.
            socket = try UnixSocket.connect(AgentServer.socketName, in: directory)
        }

        /// Sends a line. - Returns: whether the connection is still open.
        mutating func send(_ line: [UInt8], isMessage: Bool) throws -> Bool {
            do throws(Errno) { try socket.sendFully(line, timeout: 10 * second) } catch {
                guard error == .brokenPipe || error == .connectionReset else { throw error }
                return false
            }
            // A message that is well formed has a result; anything else ends the connection.
            var end: Bool?
            while end == nil {
                while let line = input.next() {
                    if takeResult(line, isMessage: isMessage) { end = true }
                }
                if end == nil, try !receive() { end = false }
            }
            return end == true
        }

        /// - Returns: whether it is what the message led to.
        private func takeResult(_ line: [UInt8], isMessage: Bool) -> Bool {
            switch try? AgentMessage.FromMount(line: line) {
            case .result(_, let isAccepted, _):
                #expect(!isAccepted)
                #expect(isMessage, "\(String(decoding: line, as: UTF8.self))")
                return true
            case .error: #expect(!isMessage)
            case .hello, .question, .ready: break
            default: Issue.record("\(String(decoding: line, as: UTF8.self))")
            }
            return false
        }

        /// - Returns: false at the connection's end.
        private mutating func receive() throws -> Bool {
            var entries = [Poll.Entry(socket.descriptor, .reading)]
            guard try Poll.wait(&entries, timeout: 10 * second) else { throw Errno.timedOut }
            do throws(Errno) {
                guard let piece = try socket.receive(8192) else { return true }
                input.append(piece)
                return !piece.isEmpty
            } catch {
                guard error == .connectionReset else { throw error }
                return false
            }
        }
    }
}
