public import Platform

/// A failure that a person reads: what happened, why, and what to do.
public struct LibraryError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure, for those who must choose an exit code.
    public enum Kind: Sendable {
        case notALibrary
        case damaged
        case busy
        case noSuchItem
        case invalid
        case failed
    }

    public let kind: Kind
    public let errno: Errno
    /// The path that it is about.
    public let path: String
    /// One or two sentences.
    public let reason: String

    public init(_ kind: Kind, _ errno: Errno, _ path: String, _ reason: String) {
        self.kind = kind
        self.errno = errno
        self.path = path
        self.reason = reason
    }

    public var description: String { reason }
}
