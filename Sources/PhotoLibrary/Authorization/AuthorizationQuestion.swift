/// What the user is asked when a client without a record wants something.
public struct AuthorizationQuestion: Sendable, Hashable {
    public let id: UInt64
    /// The user whose record the answer makes.
    public let uid: UInt32
    /// The program that asks, as the kernel names it; nil where the process was gone.
    public let program: String?
    public let pid: Int32
    /// What is needed for the operation.
    public let level: AccessLevel
    /// Such as "create".
    public let operation: String
    public let path: String
    /// When it was asked, in nanoseconds since 1970 UTC.
    public let asked: Int64
    /// When nobody waits for the answer any more, in nanoseconds since 1970 UTC.
    public let expires: Int64

    public init(
        id: UInt64, uid: UInt32, program: String?, pid: Int32, level: AccessLevel, operation: String, path: String,
        asked: Int64, expires: Int64
    ) {
        self.id = id
        self.uid = uid
        self.program = program
        self.pid = pid
        self.level = level
        self.operation = operation
        self.path = path
        self.asked = asked
        self.expires = expires
    }

    /// The client whose record an answer makes.
    ///
    /// - Returns: nil where the answer is meant for the program and nobody knows which that is.
    public func client(for scope: AnswerScope) -> Client? {
        switch scope {
        case .user: .user(uid)
        case .program: program.map { .program(path: $0, user: uid) }
        }
    }
}

/// For whom an answer is meant.
public enum AnswerScope: String, Sendable, CaseIterable {
    /// Every program that the user runs.
    case user
    /// The program that asked, run by that user.
    case program
}

/// What the user answers: PhotoKit's two levels in one decision.
public enum AuthorizationDecision: String, Sendable, CaseIterable {
    /// Reading, changing and adding.
    case full
    /// Adding, and nothing else.
    case addOnly = "add-only"
    case deny

    /// The records that the decision makes.
    public var statuses: (readWrite: AuthorizationStatus, addOnly: AuthorizationStatus) {
        switch self {
        case .full: (.authorized, .authorized)
        case .addOnly: (.denied, .authorized)
        case .deny: (.denied, .denied)
        }
    }
}

/// How a question ended.
public enum QuestionOutcome: String, Sendable {
    case answered
    /// Nobody answered in time.
    case expired
    /// Everyone who waited for it was interrupted.
    case withdrawn
    /// The answer could not be stored.
    case failed
    /// The mount ends.
    case ended
}

/// One who shows questions to the user and brings answers.
public protocol QuestionListener: AnyObject, Sendable {
    func questionOpened(_ question: AuthorizationQuestion)
    func questionClosed(_ id: UInt64, outcome: QuestionOutcome)
}
