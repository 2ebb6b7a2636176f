import Agent
import Glibc
import PhotoLibrary
import Platform

/// Questions as desktop notifications with buttons. A notification that is closed without a button is no answer: the
/// question goes on elsewhere, or until its time is up.
final class DesktopDisplay: QuestionDisplay {
    private struct Shown {
        var question: AuthorizationQuestion
        /// Nil where no notification is on the screen.
        var notification: UInt32?
    }

    private let library: String
    private let bus: NotificationBus
    private let showsMarkup: Bool
    private var shown: [UInt64: Shown] = [:]
    /// A descriptor of its own for the bus's connection, which the bus closes itself.
    let descriptor: FileDescriptor?

    /// - Throws: where there is no session bus, no notification daemon, or one that shows no buttons.
    init(library: String) throws(CommandFailure) {
        self.library = library
        bus = try NotificationBus()
        let capabilities = try bus.capabilities()
        guard capabilities.contains("actions") else {
            throw CommandFailure(
                .systemFailure,
                "The notification daemon of this desktop session shows no buttons."
                    + " Run the agent in a terminal without --desktop.")
        }
        showsMarkup = capabilities.contains("body-markup")
        let copy = fcntl(bus.number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw CommandFailure(system: Errno.current, "The session bus cannot be waited for") }
        descriptor = FileDescriptor(owning: copy)
    }

    deinit {
        for notification in shown.values.compactMap(\.notification) { try? bus.close(notification) }
    }

    func show(_ question: AuthorizationQuestion) throws(CommandFailure) {
        let notification = try bus.notify(Self.notification(question, library: library, showsMarkup: showsMarkup))
        shown[question.id] = Shown(question: question, notification: notification)
    }

    func close(_ id: UInt64, outcome: QuestionOutcome) throws(CommandFailure) {
        guard let notification = shown.removeValue(forKey: id)?.notification else { return }
        try bus.close(notification)
    }

    func tell(_ id: UInt64, isAccepted: Bool, reason: String) {
        if !isAccepted { StandardError.note(reason) }
    }

    func answers() throws(CommandFailure) -> [AgentMessage.Answer]? {
        var answers: [AgentMessage.Answer] = []
        for event in try bus.takeEvents() {
            switch event {
            case .action(let notification, let key):
                guard let id = question(of: notification), let decision = AuthorizationDecision(rawValue: key) else {
                    continue
                }
                answers.append(AgentMessage.Answer(id: id, decision: decision, scope: .user))
            case .closed(let notification):
                if let id = question(of: notification) { shown[id]?.notification = nil }
            case .daemonChanged(let isThere):
                for id in shown.keys { shown[id]?.notification = nil }
                if isThere { for entry in shown.values { try show(entry.question) } }
            }
        }
        return answers
    }

    private func question(of notification: UInt32) -> UInt64? {
        shown.first { $0.value.notification == notification }?.key
    }

    /// What is shown: what comes from outside stands in the body alone.
    static func notification(
        _ question: AuthorizationQuestion, library: String, showsMarkup: Bool
    ) -> NotificationBus.Notification {
        let text = QuestionText(question: question)
        let lines = [
            "\(text.user) wants to \(text.wish).", "Program: \(text.program)", "Library: \(DisplayText.name(library))",
            "The answer holds for every program of \(text.user).",
        ]
        let body = lines.map { showsMarkup ? escaped($0) : $0 }.joined(separator: "\n")
        return NotificationBus.Notification(
            summary: "May this user use the photo library?", body: body,
            actions: [
                (AuthorizationDecision.full.rawValue, "Allow Full Access"),
                (AuthorizationDecision.addOnly.rawValue, "Add Only"),
                (AuthorizationDecision.deny.rawValue, "Don't Allow"),
            ])
    }

    /// Text that shows as it is where markup is understood.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
