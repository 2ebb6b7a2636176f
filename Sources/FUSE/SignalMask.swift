import Glibc

/// The signals of a session's threads: none is delivered to them but the one that wakes them.
enum SignalMask {
    /// Keeps every signal away from the calling thread, but those that tell of its own faults.
    static func blockAll() { block(except: []) }

    /// As `blockAll`, with the wake signal let through.
    static func blockAllButWake() {
        _ = wakeHandler
        block(except: [wake])
    }

    /// Interrupts the system call that a thread waits in.
    static func wake(_ thread: pthread_t) { pthread_kill(thread, wake) }

    /// A real-time signal, of which nothing else in the process makes use.
    private static let wake = __libc_current_sigrtmin() + 7

    /// A handler that does nothing, installed without SA_RESTART: its only effect is EINTR.
    private static let wakeHandler: Void = {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(wake, &action, nil)
    }()

    private static func block(except allowed: [Int32]) {
        var set = sigset_t()
        sigfillset(&set)
        for number in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS] + allowed {
            sigdelset(&set, number)
        }
        pthread_sigmask(SIG_SETMASK, &set, nil)
    }
}
