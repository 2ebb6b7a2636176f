/// What the command's exit status says. A number, once given out, never gets another meaning.
enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    /// Some of several items failed; each was reported.
    case someFailed = 1
    case usage = 2
    /// The user may not do this with the library.
    case notAuthorized = 3
    /// The library's catalogue is damaged.
    case damaged = 4
    /// Somebody else holds what is needed: the library is mounted, a file is open, a lock did not become free.
    case busy = 5
    /// The library, path, asset or record does not exist.
    case noSuchItem = 6
    /// The mount could not be made or kept.
    case mountFailed = 7
    /// The system failed: input/output error, full disk, no memory.
    case systemFailure = 8
    /// It would harm what is there, such as making a library over files.
    case refused = 9
    /// Whoever waited for the output went away, or it could not be written.
    case outputFailed = 10
    /// SIGHUP ended it between two items; these three are 128 and the signal's number, as a shell shows it.
    case hungUp = 129
    /// SIGINT (Ctrl-C) ended it between two items.
    case interrupted = 130
    /// SIGTERM ended it between two items.
    case terminated = 143
}
