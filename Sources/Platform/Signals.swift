import Glibc

/// Signals taken by one thread that waits for them, so that no handler runs in the middle of something else.
public enum Signals {
    /// Blocks the signals in the calling thread and every thread it starts from now on.
    public static func block(_ signals: [Int32]) {
        var set = signalSet(signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits until one of the blocked signals arrives and returns its number.
    public static func wait(for signals: [Int32]) -> Int32 {
        var set = signalSet(signals)
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
        return number
    }

    /// The first of the blocked signals that has arrived; it stays there. Nil where none has.
    public static func pending(of signals: [Int32]) -> Int32? {
        var set = sigset_t()
        guard sigpending(&set) == 0 else { return nil }
        return signals.first { sigismember(&set, $0) == 1 }
    }

    /// Writes to a closed pipe or socket report an error instead of ending the process.
    public static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    /// A process in the background is not stopped when it uses its terminal: what it writes is shown, a read fails with
    /// `EIO` (termios(3), SIGTTIN and SIGTTOU).
    public static func ignoreTerminalStops() {
        _ = signal(SIGTTIN, SIG_IGN)
        _ = signal(SIGTTOU, SIG_IGN)
    }

    private static func signalSet(_ signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        return set
    }
}
