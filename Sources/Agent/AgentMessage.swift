public import PhotoLibrary

/// What the mount and its agents say to each other: lines of JSON, each an object with a `type`.
///
/// | type | from | keys |
/// | --- | --- | --- |
/// | hello | mount | version, library |
/// | question | mount | id, user, program or null, pid, level, operation, path, asked, expires |
/// | ready | mount | none; every question that was open when the agent came has been sent |
/// | closed | mount | id, outcome |
/// | result | mount | id, accepted, reason |
/// | error | mount | reason; the connection ends |
/// | answer | agent | id, decision (full, add-only, deny), scope (user, program) |
///
/// A line has at most 4096 bytes, its line feed included. Times are nanoseconds since 1970 UTC.
public enum AgentMessage {
    /// The version of what is said here.
    public static let version: Int64 = 1
    /// The longest line, in bytes, its line feed included.
    public static let lineLimit = 4096

    /// What an agent says.
    public struct Answer: Sendable, Hashable {
        public var id: UInt64
        public var decision: AuthorizationDecision
        public var scope: AnswerScope
        public init(id: UInt64, decision: AuthorizationDecision, scope: AnswerScope) {
            self.id = id
            self.decision = decision
            self.scope = scope
        }
    }

    /// What the mount says.
    public enum FromMount: Sendable, Hashable {
        case hello(version: Int64, library: String)
        case question(AuthorizationQuestion)
        case ready
        case closed(id: UInt64, outcome: QuestionOutcome)
        case result(id: UInt64, isAccepted: Bool, reason: String)
        case error(reason: String)
    }

    /// Why a line is no message.
    public struct Malformed: Error, Sendable, Hashable {
        /// A sentence without a full stop.
        public var reason: String
    }
}
