import Foundation
import Glibc

/// What a program left behind when it ended.
public struct Outcome: Sendable, CustomStringConvertible {
    /// The command line, for messages.
    public let command: String
    /// The exit status; 128 and the signal's number for a program that a signal ended.
    public let status: Int32
    public let output: [UInt8]
    public let errorOutput: [UInt8]
    /// The program was ended because its time was up.
    public let timedOut: Bool

    public var stdout: String { String(decoding: output, as: UTF8.self) }
    public var stderr: String { String(decoding: errorOutput, as: UTF8.self) }
    public var succeeded: Bool { status == 0 && !timedOut }

    /// The lines of standard output, without the last, empty one.
    public var lines: [String] { stdout.split(separator: "\n").map(String.init) }

    public var description: String {
        let clock = timedOut ? " (its time was up)" : ""
        return "`\(command)` ended with \(status)\(clock)\n\(stdout.prefix(4000))\(stderr.prefix(4000))"
    }
}

/// What the harness itself could not do.
public struct HarnessError: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// A user of the system that a program runs as.
public struct TestUser: Sendable, Hashable {
    public let name: String
    public let uid: UInt32
    public let gid: UInt32
    public init(name: String, uid: UInt32, gid: UInt32) {
        self.name = name
        self.uid = uid
        self.gid = gid
    }
}

/// A program that runs beside the test, in a process group of its own.
///
/// Its output goes to unlinked files, so that neither a full pipe nor a child that lives on can hold the test up.
public final class RunningProgram {
    public let pid: Int32
    private let command: String
    private let outputFile: Int32
    private let errorFile: Int32
    private var ended: Int32?

    /// Starts a program, looked for in `PATH`.
    public init(
        _ program: String, _ arguments: [String], cwd: String? = nil, environment: [String: String] = [:],
        user: TestUser? = nil, stdin: [UInt8] = []
    ) throws {
        var words = [program] + arguments
        if let user {
            let identity = ["--reuid=\(user.uid)", "--regid=\(user.gid)", "--clear-groups", "--"]
            words = ["setpriv"] + identity + words
        }
        if let cwd { words = ["env", "-C", cwd] + words }
        command = words.joined(separator: " ")

        let inputFile = try Self.unlinkedFile(holding: stdin)
        defer { close(inputFile) }
        outputFile = try Self.unlinkedFile(holding: [])
        errorFile = try Self.unlinkedFile(holding: [])

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, inputFile, 0)
        posix_spawn_file_actions_adddup2(&actions, outputFile, 1)
        posix_spawn_file_actions_adddup2(&actions, errorFile, 2)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var settings = ProcessInfo.processInfo.environment
        settings["LC_ALL"] = "C.UTF-8"
        settings.merge(environment) { _, new in new }
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = settings.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var child = pid_t()
        let code = posix_spawnp(&child, words[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else {
            close(outputFile)
            close(errorFile)
            throw HarnessError("`\(command)` could not be started: \(String(cString: strerror(code)))")
        }
        pid = child
    }

    deinit {
        if ended == nil {
            kill()
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
        close(outputFile)
        close(errorFile)
    }

    /// Sends a signal to the program and everything it started in its group.
    public func kill(_ signal: Int32) {
        if ended == nil { Glibc.kill(-pid, signal) }
    }

    /// Kills the program and everything it started in its group.
    public func kill() { kill(SIGKILL) }

    /// What the program has written to standard output so far.
    public var outputSoFar: String { String(decoding: Self.contents(outputFile), as: UTF8.self) }

    /// What the program has written to standard error so far.
    public var errorSoFar: String { String(decoding: Self.contents(errorFile), as: UTF8.self) }

    /// The program has not ended yet.
    public var isRunning: Bool {
        if ended != nil { return false }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return true }
        ended = Self.exitStatus(status)
        return false
    }

    /// Waits until the program has ended; its group is killed after `timeout` seconds.
    public func wait(timeout: Double = 60) -> Outcome {
        let deadline = Date().addingTimeInterval(timeout)
        var timedOut = false
        var pause: UInt32 = 500
        while isRunning {
            if Date() > deadline {
                timedOut = true
                kill()
                var status: Int32 = 0
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                ended = Self.exitStatus(status)
                break
            }
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
        return Outcome(
            command: command, status: ended ?? -1, output: Self.contents(outputFile),
            errorOutput: Self.contents(errorFile), timedOut: timedOut)
    }

    private static func exitStatus(_ status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    private static func unlinkedFile(holding bytes: [UInt8]) throws -> Int32 {
        var path = Array((temporaryRoot + "/cameraroll-stream-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw HarnessError("no temporary file: \(String(cString: strerror(errno)))") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(path)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 { throw HarnessError("the temporary directory is full") }
            done += count
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }

    private static func contents(_ descriptor: Int32) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return [] }
        let size = Int(status.st_size)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            initialized = max(0, pread(descriptor, buffer.baseAddress, size, 0))
        }
    }
}

/// The directory for everything that tests make (`TMPDIR`, else `/tmp`).
public let temporaryRoot = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"

/// Runs a program to its end.
@discardableResult
public func run(
    _ program: String, _ arguments: String..., cwd: String? = nil, environment: [String: String] = [:],
    user: TestUser? = nil, stdin: [UInt8] = [], timeout: Double = 60
) throws -> Outcome {
    try run(
        program, arguments: arguments, cwd: cwd, environment: environment, user: user, stdin: stdin, timeout: timeout)
}

/// Runs a program to its end, its arguments given as an array.
@discardableResult
public func run(
    _ program: String, arguments: [String], cwd: String? = nil, environment: [String: String] = [:],
    user: TestUser? = nil, stdin: [UInt8] = [], timeout: Double = 60
) throws -> Outcome {
    let running = try RunningProgram(
        program, arguments, cwd: cwd, environment: environment, user: user, stdin: stdin)
    return running.wait(timeout: timeout)
}

/// Runs a program that has to succeed.
///
/// - Throws: a `HarnessError` with its output where it does not end with status 0.
@discardableResult
public func require(
    _ program: String, _ arguments: String..., cwd: String? = nil, environment: [String: String] = [:],
    user: TestUser? = nil, stdin: [UInt8] = [], timeout: Double = 60
) throws -> Outcome {
    let outcome = try run(
        program, arguments: arguments, cwd: cwd, environment: environment, user: user, stdin: stdin, timeout: timeout)
    guard outcome.succeeded else { throw HarnessError(outcome.description) }
    return outcome
}

/// Runs a program that has to succeed, its arguments given as an array.
@discardableResult
public func require(
    _ program: String, arguments: [String], cwd: String? = nil, environment: [String: String] = [:],
    timeout: Double = 60
) throws -> Outcome {
    let outcome = try run(program, arguments: arguments, cwd: cwd, environment: environment, timeout: timeout)
    guard outcome.succeeded else { throw HarnessError(outcome.description) }
    return outcome
}
