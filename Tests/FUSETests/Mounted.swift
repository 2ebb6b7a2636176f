import Foundation
import Platform

@testable import FUSE

/// A file system mounted in a temporary directory and served, for one test.
final class Mounted: @unchecked Sendable {
    // Sendable: everything is set once but `end`, a monitor.
    let directory: String
    let fileSystem: ScratchFileSystem
    let session: Session
    private let end = Monitor<Session.End?>(nil)
    private let thread: Platform.Thread

    init(_ fileSystem: ScratchFileSystem, threads: Int = 32) throws {
        directory = try temporaryDirectory(named: "fuse mount")
        self.fileSystem = fileSystem
        var options = MountOptions(source: "scratch,roll", subtype: "scratch")
        options.flags = ["noatime"]
        options.threadLimit = threads
        let session = try Session(fileSystem: fileSystem, mountPoint: directory, options: options)
        self.session = session
        let end = end
        thread = try Platform.Thread(name: "session") {
            let result = session.run()
            end.update { $0 = result }
        }
    }

    /// What `run` returned; nil where it did not within `seconds`.
    func waitForEnd(seconds: Double) -> Session.End? {
        end.wait(timeout: Int64(seconds * 1e9)) { $0 }
    }

    /// Stops and cleans up.
    func finish() {
        fileSystem.openGate()
        session.stop()
        thread.join()
        rmdir(directory)
    }

    /// Runs a shell script in the mount.
    @discardableResult
    func shell(_ script: String) throws -> Output { try run("/bin/bash", ["-c", script], in: directory) }

    /// Runs a Python program in the mount.
    @discardableResult
    func python(_ program: String) throws -> Output { try run("/usr/bin/python3", ["-c", program], in: directory) }
}

struct Output {
    var status: Int32
    var text: String
}

/// A program that runs, with both of its outputs taken together.
struct Client {
    private let process = Process()
    private let pipe = Pipe()

    init(_ program: String, _ arguments: [String], in directory: String) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    func terminate() { process.terminate() }

    /// Waits for something to read.
    func someOutput() -> String { String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) }

    /// Waits for its end. The text is what was not read yet.
    @discardableResult
    func finish() -> Output {
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Output(
            status: process.terminationStatus,
            text: String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines))
    }
}

/// Runs a program to its end.
func run(_ program: String, _ arguments: [String], in directory: String) throws -> Output {
    try Client(program, arguments, in: directory).finish()
}

/// Serves `fileSystem` while `body` runs.
func withMount(
    _ fileSystem: ScratchFileSystem = ScratchFileSystem(), threads: Int = 32, _ body: (Mounted) throws -> Void
) throws {
    let mounted = try Mounted(fileSystem, threads: threads)
    defer { mounted.finish() }
    try body(mounted)
}

/// Waits up to `seconds` for a condition.
func eventually(seconds: Double = 5, _ condition: () -> Bool) -> Bool {
    let end = Clock.monotonic() + Int64(seconds * 1e9)
    while Clock.monotonic() < end {
        if condition() { return true }
        Clock.sleep(5_000_000)
    }
    return condition()
}

/// Makes a directory with a name of its own.
func temporaryDirectory(named name: String = "fuse") throws -> String {
    var template = Array("/tmp/\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Errno.current }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}
