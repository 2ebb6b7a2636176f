public import Platform

/// Why a mount could not be made, kept or taken away.
public struct SessionError: Error, CustomStringConvertible {
    /// The errno nearest to the cause. `ENOTCONN` at a mount whose process has died.
    public let code: Errno
    /// What happened, why, and what to do, for a person.
    public let description: String

    init(_ code: Errno, _ description: String) {
        self.code = code
        self.description = description
    }
}
