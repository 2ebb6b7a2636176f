internal import Platform

/// What the kernel's requests reach: the file system and the notifier of one session.
///
/// libfuse carries a pointer to it as the session's user data; the session keeps it alive.
final class Connection: Sendable {
    let fileSystem: any FileSystem
    let notifier = Notifier()
    private let started = Lock(false)

    init(fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    /// The kernel and this side have agreed on how to talk.
    var isStarted: Bool { started.withLock { $0 } }

    func start() {
        notifier.open()
        fileSystem.sessionDidStart(notifier)
        started.withLock { $0 = true }
    }
}
