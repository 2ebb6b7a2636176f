import Foundation

/// Runs other programs that tests judge by.
enum Command {
    /// Whether a program is on the path.
    static func isThere(_ name: String) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        let found = folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
        if !found { print("SKIPPED: \(name) is not installed") }
        return found
    }

    /// Runs a program and returns what it wrote to its standard output.
    @discardableResult
    static func run(_ name: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return data
    }
}
