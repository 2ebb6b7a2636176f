import FUSE
import PhotoLibrary
import Platform

/// Why a command did not do what was asked: the exit status, and what a person reads on standard error.
struct CommandFailure: Error, Sendable {
    var code: ExitCode
    /// What happened, why, and what to do; without a line break.
    var message: String
    /// Lines that follow it, such as a query with a mark below the place that is wrong.
    var details: [String] = []

    init(_ code: ExitCode, _ message: String, details: [String] = []) {
        self.code = code
        self.message = message
        self.details = details
    }

    static func usage(_ message: String) -> CommandFailure { CommandFailure(.usage, message) }

    /// A system call that failed.
    ///
    /// - Parameter what: such as "The lock file cannot be opened".
    init(system errno: Errno, _ what: String) {
        self.init(Self.code(for: errno), "\(what): \(errno).")
    }

    init(_ error: LibraryError) {
        let code: ExitCode =
            switch error.kind {
            case .notALibrary, .noSuchItem: .noSuchItem
            case .damaged: .damaged
            case .busy: .busy
            case .invalid: .refused
            case .failed: Self.code(for: error.errno)
            }
        self.init(code, error.reason)
    }

    init(_ error: SessionError) {
        let code: ExitCode = error.code == .busy ? .busy : .mountFailed
        self.init(code, error.description)
    }

    private static func code(for errno: Errno) -> ExitCode {
        switch errno {
        case .accessDenied, .notPermitted: .notAuthorized
        case .busy: .busy
        case .noEntry, .notDirectory: .noSuchItem
        default: .systemFailure
        }
    }
}
