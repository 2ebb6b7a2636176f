import Glibc
import PhotoLibrary
import Platform

/// Mounts in a process of its own, and waits until the mount answers.
///
/// The process is this program once more, started by posix_spawn(3): nothing is forked that has threads. It says one line
/// through a pipe: `ready`, or the exit status and the message of what kept it.
enum BackgroundMount {
    /// The option that tells the process that it is one.
    static let option = "--background-mount"
    /// The process's end of the pipe.
    private static let pipeDescriptor: Int32 = 3
    private static let lineLimit = 1 << 16
    private static let logLimit: Int64 = 1 << 20

    /// Starts the process; returns when the mount answers.
    static func start(_ request: MountRequest) throws(CommandFailure) {
        let log = try openLog(of: request.library)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CommandFailure(system: Errno.current, "A pipe cannot be made") }
        let reader = FileDescriptor(owning: ends[0])
        var writer: FileDescriptor? = FileDescriptor(owning: ends[1])
        let process = try spawn(request, log: log, pipe: ends[1])
        // The child's end is now the only one: its death ends the line.
        _ = writer.take()
        let line = readLine(from: reader)
        if line == "ready" { return }
        throw failure(line, process, request)
    }

    /// The process itself: mounts and serves.
    static func serve(_ request: MountRequest) throws(CommandFailure) -> ExitCode {
        // It was started as /proc/self/exe.
        RunningProcess.setName("cameraroll")
        RunningProcess.closeDescriptors(from: UInt32(pipeDescriptor) + 1)
        RunningProcess.startSession()
        chdir("/")
        let pipe = Lock<FileDescriptor?>(FileDescriptor(owning: pipeDescriptor))
        _ = fcntl(pipeDescriptor, F_SETFD, FD_CLOEXEC)
        let say = { @Sendable (line: String) -> Bool in
            guard let end = pipe.withLock({ $0.take() }) else { return true }
            do throws(Errno) { try end.append(line + "\n") } catch { return false }
            return true
        }
        let server = MountServer(request: request, ready: { say("ready") }, journal: journal)
        do throws(CommandFailure) {
            return try server.run()
        } catch {
            journal(error.message)
            _ = say("\(error.code.rawValue) \(DisplayText.singleLine(error.message))")
            return error.code
        }
    }

    @Sendable private static func journal(_ text: String) {
        let seconds = Clock.now() / 1_000_000_000 * 1_000_000_000
        StandardError.write([
            "\(TimeText.utc(seconds)) cameraroll[\(getpid())]: \(DisplayText.singleLine(text))"
        ])
    }

    /// The log of mounts, the one before it kept beside it.
    private static func openLog(of library: String) throws(CommandFailure) -> FileDescriptor {
        do throws(Errno) {
            let logs = try Directory("logs", in: Directory(library))
            if let size = try logs.status(of: "mount.log")?.size, size > logLimit {
                try logs.rename("mount.log", to: "mount.1.log")
            }
            return try logs.open("mount.log", [.writeOnly, .create, .append, .noFollow, .nonBlocking])
        } catch {
            throw CommandFailure(system: error, "The log \(library)/logs/mount.log cannot be opened")
        }
    }

    private static func spawn(
        _ request: MountRequest, log: FileDescriptor, pipe: Int32
    ) throws(CommandFailure) -> pid_t {
        // Out of the way of the numbers that they get in the child.
        let highLog = FileDescriptor(owning: fcntl(log.rawValue, F_DUPFD_CLOEXEC, 10))
        let highPipe = FileDescriptor(owning: fcntl(pipe, F_DUPFD_CLOEXEC, 10))
        guard highLog.rawValue >= 0, highPipe.rawValue >= 0 else {
            throw CommandFailure(system: Errno.current, "A descriptor cannot be duplicated")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, highLog.rawValue, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, highLog.rawValue, STDERR_FILENO)
        posix_spawn_file_actions_adddup2(&actions, highPipe.rawValue, pipeDescriptor)

        let words = [
            "cameraroll", "mount", option, "-o", request.optionList, "--", request.library, request.mountPoint,
        ]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        // The numbers alone are in `actions`: without this the optimizer may close the files before they are used.
        let code = withExtendedLifetime((log, highLog, highPipe)) {
            posix_spawn(&process, "/proc/self/exe", &actions, nil, &arguments, environ)
        }
        guard code == 0 else {
            throw CommandFailure(system: Errno(rawValue: code), "The mount process cannot be started")
        }
        return process
    }

    /// One line, without its end; what came where the other side ended first.
    private static func readLine(from descriptor: FileDescriptor) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < lineLimit, !bytes.contains(0x0A) {
            let count = read(descriptor.rawValue, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    private static func failure(_ line: String, _ process: pid_t, _ request: MountRequest) -> CommandFailure {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let parts = line.split(separator: " ", maxSplits: 1)
        if parts.count == 2, let code = Int32(parts[0]).flatMap({ ExitCode(rawValue: $0) }), code != .done {
            // What libfuse and fusermount3 said themselves stands in the log alone.
            let hint = code == .mountFailed ? " More may stand in \(request.library)/logs/mount.log" : ""
            return CommandFailure(code, parts[1] + hint)
        }
        // WIFSIGNALED and WTERMSIG are macros that the importer leaves out.
        let end = status & 0x7F == 0 ? "with status \(status >> 8 & 0xFF)" : "by signal \(status & 0x7F)"
        return CommandFailure(
            .mountFailed,
            "The mount process ended \(end) before \(request.mountPoint) answered. See \(request.library)/logs/mount.log"
        )
    }
}
