import Agent
import Glibc
import PhotoLibrary
import Platform

/// Questions on a terminal, one after the other; the answer to each is a line of one or two letters.
final class TerminalDisplay: QuestionDisplay {
    private let library: String
    private let input: FileDescriptor
    /// The questions that are open, oldest first; the first one is shown.
    private var open: [AuthorizationQuestion] = []
    /// The question that stands on the terminal.
    private var shown: UInt64?
    /// Answered from here, and not told yet what became of it.
    private var answered: Set<UInt64> = []
    private var line: [UInt8] = []
    private static let lineLimit = 256

    /// - Parameter input: a terminal.
    init(library: String, input: FileDescriptor) {
        self.library = library
        self.input = input
        Signals.ignoreTerminalStops()
    }

    /// Standard input, where it is a terminal.
    static func standardInput() -> FileDescriptor? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        let copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        return copy < 0 ? nil : FileDescriptor(owning: copy)
    }

    /// The terminal, while this process is in the foreground there: what is typed otherwise is meant for others.
    var descriptor: FileDescriptor? { tcgetpgrp(input.rawValue) == getpgrp() ? input : nil }

    func show(_ question: AuthorizationQuestion) {
        open.append(question)
        if open.count > 1, shown != nil {
            let count = open.count - 1
            StandardError.write(["(\(count) more \(count == 1 ? "question waits" : "questions wait").)"])
        }
        showNext()
    }

    func close(_ id: UInt64, outcome: QuestionOutcome) {
        open.removeAll { $0.id == id }
        guard shown == id else { return }
        shown = nil
        // What became of an own answer is told with its result.
        if !answered.contains(id) { StandardError.write(["", QuestionText.end(outcome)]) }
        showNext()
    }

    func tell(_ id: UInt64, isAccepted: Bool, reason: String) {
        answered.remove(id)
        StandardError.write([isAccepted ? "Stored." : DisplayText.singleLine(reason)])
    }

    private func showNext() {
        guard shown == nil, let question = open.first else { return }
        shown = question.id
        line = []
        // What was typed before it could be read answers nothing that is asked now.
        tcflush(input.rawValue, TCIFLUSH)
        StandardError.write(Self.lines(question, library: library))
        ask(question)
    }

    static func lines(_ question: AuthorizationQuestion, library: String) -> [String] {
        let text = QuestionText(question: question)
        var lines = [
            "", "\(text.user) wants to use the library \(DisplayText.name(library)).",
            "  program   \(text.program) (process \(question.pid))", "  wants to  \(text.wish)",
            "  needs     \(text.need)", "What may \(text.user) do from now on, with every program?",
            "  f   full access: see, add, change and delete everything", "  a   add only: add, and see nothing else",
            "  d   don't allow: neither",
        ]
        if question.program != nil {
            lines.append("  pf, pa, pd   the same, for \(text.program) alone")
        }
        return lines
    }

    private func ask(_ question: AuthorizationQuestion) {
        let seconds = QuestionText(question: question).secondsLeft()
        let choices = question.program == nil ? "f, a or d" : "f, a, d, pf, pa or pd"
        StandardError.ask("Answer (\(choices); \(seconds) s are left): ")
    }

    func answers() throws(CommandFailure) -> [AgentMessage.Answer]? {
        var answers: [AgentMessage.Answer] = []
        while try isReadable() {
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = read(input.rawValue, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // It went to the background at this moment.
            if count < 0, errno == EIO, descriptor == nil, isatty(input.rawValue) == 1 { break }
            // The end: a terminal that was closed, or Ctrl-D.
            if count <= 0 { return nil }
            for byte in buffer[..<count] {
                if byte != 0x0A {
                    if line.count < Self.lineLimit { line.append(byte) }
                    continue
                }
                if let answer = take(line) { answers.append(answer) }
                line = []
            }
        }
        return answers
    }

    private func isReadable() throws(CommandFailure) -> Bool {
        guard let descriptor else { return false }
        var entries = [Poll.Entry(descriptor, .reading)]
        do throws(Errno) { return try Poll.wait(&entries, timeout: 0) } catch {
            throw CommandFailure(system: error, "The terminal cannot be read")
        }
    }

    private func take(_ line: [UInt8]) -> AgentMessage.Answer? {
        guard let shown, let question = open.first, question.id == shown, !answered.contains(shown) else { return nil }
        guard let (decision, scope) = Self.answer(in: line), scope == .user || question.program != nil else {
            ask(question)
            return nil
        }
        answered.insert(shown)
        return AgentMessage.Answer(id: shown, decision: decision, scope: scope)
    }

    /// What the letters of a line decide; nil for anything else.
    static func answer(in line: [UInt8]) -> (decision: AuthorizationDecision, scope: AnswerScope)? {
        let word = String(decoding: line, as: UTF8.self).lowercased().filter { $0 != " " && $0 != "\t" && $0 != "\r" }
        let scope: AnswerScope = word.hasPrefix("p") ? .program : .user
        switch scope == .program ? String(word.dropFirst()) : word {
        case "f": return (.full, scope)
        case "a": return (.addOnly, scope)
        case "d": return (.deny, scope)
        default: return nil
        }
    }
}
