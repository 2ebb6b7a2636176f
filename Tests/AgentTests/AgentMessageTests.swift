import PhotoLibrary
import Testing

@testable import Agent

@Suite struct AgentMessageTests {
    private func line(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func question(program: String? = "/usr/bin/cp", path: String = "DCIM/a.jpg") -> AuthorizationQuestion {
        AuthorizationQuestion(
            id: 7, uid: 1000, program: program, pid: 42, level: .readWrite, operation: "create", path: path, asked: 1,
            expires: 2)
    }

    @Test(
        arguments: [
            .hello(version: 1, library: "/a \"b\"\n\u{1B}"), .question(question()), .question(question(program: nil)),
            .ready, .closed(id: 7, outcome: .expired), .result(id: 7, isAccepted: true, reason: ""),
            .result(id: .init(Int64.max), isAccepted: false, reason: "é"), .error(reason: "x"),
        ] as [AgentMessage.FromMount])
    func mountMessagesComeBack(message: AgentMessage.FromMount) throws {
        #expect(message.line.last == 0x0A)
        #expect(message.line.dropLast().allSatisfy { $0 >= 0x20 })
        #expect(try AgentMessage.FromMount(line: message.line.dropLast()) == message)
    }

    @Test func answersComeBack() throws {
        for decision in AuthorizationDecision.allCases {
            for scope in AnswerScope.allCases {
                let answer = AgentMessage.Answer(id: 3, decision: decision, scope: scope)
                #expect(try AgentMessage.Answer(line: answer.line.dropLast()) == answer)
            }
        }
    }

    /// However long names are and however much of them has to be escaped, a line keeps its bound.
    @Test(arguments: ["a", "ä", "🎞️", "\u{1}", "\"", "\u{7F}"])
    func longTexts(unit: String) throws {
        let long = String(repeating: unit, count: 5000) + "END"
        for message: AgentMessage.FromMount in [
            .question(Self.question(program: "/" + long, path: "DCIM/" + long)), .hello(version: 1, library: long),
            .error(reason: long), .result(id: 1, isAccepted: false, reason: long),
        ] {
            #expect(message.line.count <= AgentMessage.lineLimit)
            let read = try AgentMessage.FromMount(line: message.line.dropLast())
            if case .question(let question) = read {
                #expect(question.path.unicodeScalars.first == "…")
                #expect(question.path.hasSuffix("END"))
            }
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "1", "null", "\"answer\"", #"{"type":"answer"}"#,
        #"{"type":"answer","id":1,"decision":"full"}"#, #"{"type":"answer","id":1,"scope":"user"}"#,
        #"{"type":"answer","id":0,"decision":"full","scope":"user"}"#,
        #"{"type":"answer","id":-1,"decision":"full","scope":"user"}"#,
        #"{"type":"answer","id":1.0,"decision":"full","scope":"user"}"#,
        #"{"type":"answer","id":"1","decision":"full","scope":"user"}"#,
        #"{"type":"answer","id":9223372036854775808,"decision":"full","scope":"user"}"#,
        #"{"type":"answer","id":1,"decision":"Full","scope":"user"}"#,
        #"{"type":"answer","id":1,"decision":"full ","scope":"user"}"#,
        #"{"type":"answer","id":1,"decision":true,"scope":"user"}"#,
        #"{"type":"answer","id":1,"decision":"full","scope":"all"}"#,
        #"{"type":"answer","id":1,"decision":"full","scope":null}"#,
        #"{"type":"answer","id":1,"decision":"full","scope":"user","more":1}"#,
        #"{"type":"answer","id":1,"id":1,"decision":"full","scope":"user"}"#,
        #"{"type":"Answer","id":1,"decision":"full","scope":"user"}"#,
        #"{"type":"result","id":1,"decision":"full","scope":"user"}"#,
        #"{"type":"answer","id":1,"decision":"full","scope":"user"}}"#,
        #"{"type":"answer","id":1,"decision":"full","scope":"user""#,
        #"[{"type":"answer","id":1,"decision":"full","scope":"user"}]"#,
    ])
    func whatIsNoAnswer(text: String) {
        #expect(throws: AgentMessage.Malformed.self) { try AgentMessage.Answer(line: line(text)) }
    }

    @Test func lines() {
        var buffer = LineBuffer(limit: 4)
        buffer.append(line("a\nbc"))
        #expect(buffer.next() == line("a"))
        #expect(buffer.next() == nil)
        #expect(!buffer.isOverlong)
        buffer.append(line("d\n\n"))
        #expect(buffer.next() == line("bcd"))
        #expect(buffer.next() == [])
        #expect(buffer.next() == nil)
        buffer.append(line("abcd\nx\n"))
        #expect(buffer.next() == nil)
        #expect(buffer.isOverlong)
    }
}
