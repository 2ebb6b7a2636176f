import Glibc
internal import Platform

/// A worker, as the service sees it. Used by one thread at a time.
final class WorkerProcess: Sendable {
    let identifier: pid_t
    private let socket: UnixSocket

    /// Why there is no answer.
    enum Failure: Error, Equatable {
        case cancelled
        case timedOut
        /// The worker ended, or says what none says.
        case died
        case system(Errno)
    }

    /// How long one waits before it is asked whether the answer is still wanted, in nanoseconds.
    static let pause: Int64 = 50_000_000

    /// Starts a worker: this program once more.
    init(executable: String, arguments: [String]) throws(Errno) {
        let (ours, theirs) = try UnixSocket.pair()
        // Out of the way of the number that it gets in the worker.
        let high = FileDescriptor(owning: fcntl(theirs.descriptor.rawValue, F_DUPFD_CLOEXEC, 10))
        guard high.rawValue >= 0 else { throw .current }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
        posix_spawn_file_actions_adddup2(&actions, high.rawValue, ThumbnailWorker.descriptor)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads that serve requests block signals; a worker takes them as any program does.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // A group of its own: an interrupt at the terminal is for the mount, which ends its workers.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var words = arguments.map { strdup($0) } + [nil]
        var environment = Self.environment.map { strdup($0) } + [nil]
        defer { for text in words + environment { free(text) } }
        var process: pid_t = 0
        // The numbers alone are in `actions`: without this the optimizer may close the files before they are used.
        let code = withExtendedLifetime((theirs, high)) {
            posix_spawn(&process, executable, &actions, &attributes, &words, &environment)
        }
        guard code == 0 else { throw Errno(rawValue: code) }
        identifier = process
        socket = ours
    }

    /// Nothing of the user's own, but where libraries are found.
    private static var environment: [String] {
        var environment = ["LC_ALL=C"]
        if let path = getenv("LD_LIBRARY_PATH") { environment.append("LD_LIBRARY_PATH=" + String(cString: path)) }
        return environment
    }

    /// Waits until a worker that was just started is ready for its first picture.
    ///
    /// - Throws: `system` where it ended: no picture is to blame for that.
    func waitUntilReady(deadline: Int64, isCancelled: () -> Bool) throws(Failure) {
        do throws(Failure) {
            _ = try answer(deadline, isCancelled)
        } catch {
            throw error == .died || error == .timedOut ? .system(.connectionAborted) : error
        }
    }

    /// Has a thumbnail made and waits for it.
    ///
    /// - Parameter deadline: of the monotonic clock, in nanoseconds.
    /// - Throws: after that the worker can only be ended.
    func make(
        _ request: ThumbnailRequest, from file: FileDescriptor, deadline: Int64, isCancelled: () -> Bool
    ) throws(Failure) -> (outcome: WorkerMessage.Outcome, bytes: [UInt8]) {
        do throws(Errno) {
            let message = WorkerMessage.encode(request)
            // A socket with room takes so few bytes whole.
            guard try socket.send(message, passing: file) == message.count else { throw .brokenPipe }
        } catch { throw .died }
        return try answer(deadline, isCancelled)
    }

    private func answer(
        _ deadline: Int64, _ isCancelled: () -> Bool
    ) throws(Failure) -> (outcome: WorkerMessage.Outcome, bytes: [UInt8]) {
        var answer: [UInt8] = []
        while true {
            if answer.count >= WorkerMessage.answerHeaderSize {
                guard let head = WorkerMessage.decodeAnswer(answer.prefix(WorkerMessage.answerHeaderSize)) else {
                    throw .died
                }
                let body = answer.dropFirst(WorkerMessage.answerHeaderSize)
                guard body.count <= head.count else { throw .died }
                if body.count == head.count { return (head.outcome, Array(body)) }
            }
            if isCancelled() { throw .cancelled }
            let left = deadline - Clock.monotonic()
            guard left > 0 else { throw .timedOut }
            answer += try receive(waiting: min(left, Self.pause))
        }
    }

    private func receive(waiting: Int64) throws(Failure) -> [UInt8] {
        do throws(Errno) {
            var wanted = [Poll.Entry(socket.descriptor, .reading)]
            guard try Poll.wait(&wanted, timeout: waiting) else { return [] }
            guard let bytes = try socket.receive(64 << 10) else { return [] }
            if bytes.isEmpty { throw .connectionReset }
            return bytes
        } catch {
            throw error == .connectionReset || error == .brokenPipe ? .died : .system(error)
        }
    }

    /// Ends the process at once, whatever it does.
    func end() {
        kill(identifier, SIGKILL)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    }
}
