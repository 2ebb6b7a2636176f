import Foundation
import Glibc

/// A program on a terminal of its own (pty(7)), typed to and read from by the test.
public final class Terminal {
    private let controller: Int32
    public let pid: Int32
    private var ended: Int32?
    /// What the program has written, as far as it was read.
    public private(set) var output = ""

    public init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        // The C functions for this are not imported: ioctl_tty(2), TIOCSPTLCK and TIOCGPTN.
        controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var lock: Int32 = 0
        var number: Int32 = 0
        guard controller >= 0, ioctl(controller, 0x4004_5431, &lock) == 0, ioctl(controller, 0x8004_5430, &number) == 0
        else { throw HarnessError("no terminal: \(String(cString: strerror(errno)))") }
        let name = "/dev/pts/\(number)"
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // setsid(1) takes the terminal that it has as standard input as the controlling one.
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var settings = ProcessInfo.processInfo.environment
        settings["LC_ALL"] = "C.UTF-8"
        settings.merge(environment) { _, new in new }
        let words = ["setsid", "--ctty", program] + arguments
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = settings.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var child = pid_t()
        let code = posix_spawnp(&child, "setsid", &actions, nil, &argv, &envp)
        guard code == 0 else { throw HarnessError("setsid could not be started: \(String(cString: strerror(code)))") }
        pid = child
        _ = fcntl(controller, F_SETFL, O_RDWR | O_NONBLOCK)
    }

    deinit {
        if ended == nil {
            Glibc.kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
        close(controller)
    }

    /// Waits until the program has written a text after what was waited for before.
    public func expect(_ text: String, timeout: Double = 20) throws {
        let deadline = Date().addingTimeInterval(timeout)
        while true {
            if let range = output.range(of: text, range: seen..<output.endIndex) {
                seen = range.upperBound
                return
            }
            let offset = output.distance(from: output.startIndex, to: seen)
            guard Date() < deadline else { throw HarnessError("no \"\(text)\" on the terminal, but: \(output)") }
            if !take() { usleep(5000) }
            seen = output.index(output.startIndex, offsetBy: offset)
        }
    }

    private var seen = "".endIndex

    /// Types a line.
    public func type(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard write(controller, bytes, bytes.count) == bytes.count else {
            throw HarnessError("the terminal takes nothing")
        }
    }

    /// Ends the program as a crash would.
    public func kill() { Glibc.kill(pid, SIGKILL) }

    /// Presses Ctrl-C.
    public func interrupt() { _ = write(controller, [3], 1) }

    /// Waits until the program has ended. - Returns: its exit status; 128 and the number of a signal that ended it.
    public func wait(timeout: Double = 20) throws -> Int32 {
        let deadline = Date().addingTimeInterval(timeout)
        while true {
            _ = take()
            var status: Int32 = 0
            if waitpid(pid, &status, WNOHANG) == pid {
                let signal = status & 0x7F
                let result = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
                ended = result
                return result
            }
            guard Date() < deadline else { throw HarnessError("the program on the terminal goes on: \(output)") }
            usleep(5000)
        }
    }

    private func take() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(controller, &buffer, buffer.count)
        guard count > 0 else { return false }
        output += String(decoding: buffer[..<count], as: UTF8.self)
        return true
    }
}
