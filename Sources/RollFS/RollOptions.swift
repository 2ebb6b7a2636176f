/// How a library is shown.
public struct RollOptions: Sendable {
    /// Users other than the mounting one have access to the mount.
    public var allowsOthers = false
    /// The mounting user.
    public var owner: UInt32 = 0
    /// How long a request waits for the user's answer, in nanoseconds; 0: not at all.
    public var promptTimeout: Int64 = 60_000_000_000
    public init() {}
}
