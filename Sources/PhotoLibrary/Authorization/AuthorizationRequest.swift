/// What a client wanted while nobody answered for it.
public struct AuthorizationRequest: Sendable, Hashable {
    /// The user, such as "user:1000".
    public var client: String
    /// The program that asked last, as the kernel named it.
    public var program: String?
    public var level: AccessLevel
    /// Such as "create".
    public var operation: String
    public var path: String
    /// When it asked last, in nanoseconds since 1970 UTC.
    public var asked: Int64
    /// How often a question of it went unanswered.
    public var count: Int
}
