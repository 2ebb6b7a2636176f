import Glibc
import Platform

/// Ctrl-C and its like, for commands that end between two files and not in the middle of one.
enum Interruption {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// From here on the signals wait until somebody asks. To be called before any thread is started.
    static func hold() {
        Signals.block(signals)
        Signals.ignoreBrokenPipes()
    }

    /// Whether the command is to end.
    static var isAskedFor: Bool { Signals.pending(of: signals) != nil }

    /// The exit status that says so: 128 and the signal's number, as a shell shows it.
    static var exitCode: ExitCode? {
        switch Signals.pending(of: signals) {
        case nil: nil
        case SIGTERM: .terminated
        case SIGHUP: .hungUp
        default: .interrupted
        }
    }
}
