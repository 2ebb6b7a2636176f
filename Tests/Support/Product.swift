import Foundation

/// The command under test.
public enum Product {
    /// The path of the built `cameraroll`: `CAMERAROLL_COMMAND`, else the one beside the running test.
    public static let command: String = {
        if let path = ProcessInfo.processInfo.environment["CAMERAROLL_COMMAND"] { return path }
        var candidates: [URL] = Bundle.allBundles.map(\.bundleURL)
        candidates.append(URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath())
        candidates += CommandLine.arguments.filter { $0.contains(".build") || $0.hasPrefix("/") }
            .map { URL(fileURLWithPath: $0) }
        for candidate in candidates {
            var directory = candidate
            for _ in 0..<4 {
                directory.deleteLastPathComponent()
                let path = directory.appendingPathComponent("cameraroll").path
                var isDirectory: ObjCBool = false
                if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue,
                    FileManager.default.isExecutableFile(atPath: path)
                {
                    return path
                }
            }
        }
        return packageRoot + "/.build/debug/cameraroll"
    }()

    /// The directory that holds Package.swift.
    public static let packageRoot: String = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// Runs the command to its end.
    @discardableResult
    public static func run(
        _ arguments: String..., environment: [String: String] = [:], user: TestUser? = nil, stdin: [UInt8] = [],
        timeout: Double = 60
    ) throws -> Outcome {
        try Support.run(
            command, arguments: arguments, environment: environment, user: user, stdin: stdin, timeout: timeout)
    }

    /// Runs a reading subcommand and takes its JSON document apart.
    public static func json<Document: Decodable>(
        _ arguments: String..., as type: Document.Type = Document.self, user: TestUser? = nil
    ) throws -> Document {
        let outcome = try Support.run(command, arguments: arguments + ["--json"], user: user)
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
        do {
            return try JSONDecoder().decode(Document.self, from: Data(outcome.output))
        } catch {
            throw HarnessError("\(outcome.description)\nis not the JSON that is documented: \(error)")
        }
    }
}
