import PhotoLibrary
import Testing

@testable import cameraroll

/// What is shown of a question, on a terminal and as a notification.
@Suite struct QuestionDisplayTests {
    private func question(
        program: String? = "/usr/bin/cp", path: String = "DCIM/a.jpg", level: AccessLevel = .readWrite
    ) -> AuthorizationQuestion {
        AuthorizationQuestion(
            id: 1, uid: 0, program: program, pid: 42, level: level, operation: "create", path: path, asked: 0,
            expires: 60_000_000_000)
    }

    @Test func terminal() {
        let text = TerminalDisplay.lines(question(), library: "/l").joined(separator: "\n")
        for part in ["root (0)", "/usr/bin/cp (process 42)", "create DCIM/a.jpg", "read-write", "/l", "pf, pa, pd"] {
            #expect(text.contains(part), "\(text)")
        }
        // Nobody knows which program it is: it cannot be answered for.
        let unknown = TerminalDisplay.lines(question(program: nil), library: "/l").joined(separator: "\n")
        #expect(!unknown.contains("pf"))
        #expect(QuestionText(question: question()).secondsLeft(at: 1_500_000_000) == 58)
        #expect(QuestionText(question: question()).secondsLeft(at: .max) == 0)
    }

    @Test(arguments: ["\u{1B}]0;x\u{07}", "a\nf\n", "\u{202E}gpj", "\u{9B}31m"])
    func escapes(name: String) {
        let hostile = question(program: "/" + name, path: "DCIM/" + name)
        let lines = TerminalDisplay.lines(hostile, library: "/" + name)
        let notification = DesktopDisplay.notification(hostile, library: "/" + name, showsMarkup: true)
        #expect(notification.body.split(separator: "\n").count == 4)
        for text in lines + notification.body.split(separator: "\n").map(String.init) {
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E || $0.value == 0x9B })
        }
    }

    @Test func markup() {
        let hostile = question(program: "/<b>&amp;", path: "DCIM/<img src=\"x\"/>.jpg")
        let marked = DesktopDisplay.notification(hostile, library: "/l", showsMarkup: true)
        #expect(marked.body.contains("/&lt;b&gt;&amp;amp;"))
        #expect(!marked.body.contains("<"))
        #expect(DesktopDisplay.notification(hostile, library: "/l", showsMarkup: false).body.contains("/<b>&amp;"))
        #expect(marked.actions.map(\.label) == ["Allow Full Access", "Add Only", "Don't Allow"])
        #expect(marked.actions.compactMap { AuthorizationDecision(rawValue: $0.key) } == [.full, .addOnly, .deny])
    }

    @Test(
        arguments: [
            ("f", .full, .user), ("A", .addOnly, .user), (" d ", .deny, .user), ("pf", .full, .program),
            ("p a", .addOnly, .program), ("PD\r", .deny, .program),
        ] as [(String, AuthorizationDecision, AnswerScope)])
    func answers(line: String, decision: AuthorizationDecision, scope: AnswerScope) throws {
        let answer = try #require(TerminalDisplay.answer(in: Array(line.utf8)))
        #expect(answer.decision == decision)
        #expect(answer.scope == scope)
    }

    @Test(arguments: ["", "p", "y", "ff", "full", "fp", "ppf", "\u{0}f", "f\u{301}", "d;f"])
    func whatIsNoAnswer(line: String) { #expect(TerminalDisplay.answer(in: Array(line.utf8)) == nil) }
}
