/// How a library is shown.
public struct RollOptions: Sendable {
    /// Users other than the mounting one have access to the mount.
    public var allowsOthers = false
    /// The mounting user.
    public var owner: UInt32 = 0
    public init() {}
}
