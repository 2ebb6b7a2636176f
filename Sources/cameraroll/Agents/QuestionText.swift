import Agent
import PhotoLibrary
import Platform

/// A question about access in words for the person who answers it. What comes from outside is escaped.
struct QuestionText {
    let question: AuthorizationQuestion

    /// `anna (1000)`
    var user: String { DisplayText.singleLine(UserName.describe(question.uid)) }

    /// The program's path, as the kernel names it.
    var program: String {
        question.program.map { DisplayText.name($0) } ?? "a program that has ended or cannot be told"
    }

    /// `create DCIM/IMG_0001.JPG`
    var wish: String {
        let verb = Self.verbs[question.operation] ?? DisplayText.singleLine(question.operation)
        return question.path.isEmpty ? "\(verb) in the library" : "\(verb) \(DisplayText.name(question.path))"
    }

    /// What the level means that the operation needs.
    var need: String {
        switch question.level {
        case .addOnly: "add-only access (adding, and nothing else)"
        case .readWrite: "read-write access (seeing, adding, changing and deleting)"
        }
    }

    /// Whole seconds until nobody waits for the answer any more.
    func secondsLeft(at now: Int64 = Clock.now()) -> Int64 {
        let (left, overflow) = question.expires.subtractingReportingOverflow(now)
        return overflow ? 0 : max(0, left / 1_000_000_000)
    }

    /// What the gate calls an operation, and how a person would.
    private static let verbs = [
        "lookup": "look at", "list": "list", "readdir": "list", "opendir": "list", "open": "open", "read": "read",
        "write": "write", "create": "create", "mkdir": "make the directory", "rmdir": "remove the directory",
        "unlink": "delete", "remove": "delete", "rename": "rename", "link": "link", "truncate": "truncate",
        "setattr": "change the attributes of", "setxattr": "change the attributes of",
        "getxattr": "read the attributes of", "removexattr": "change the attributes of", "getattr": "look at",
    ]

    /// How a question ended that this agent did not answer.
    static func end(_ outcome: QuestionOutcome) -> String {
        switch outcome {
        case .answered: "It was answered elsewhere."
        case .expired: "Nobody answered in time: refused for now. See: cameraroll authorization LIBRARY pending"
        case .withdrawn: "The program does not wait any more: nothing was decided."
        case .failed: "The answer could not be stored: refused for now."
        case .ended: "The mount ends: nothing was decided."
        }
    }
}
