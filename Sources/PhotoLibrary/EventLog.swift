public import Platform

/// What went wrong or was refused, kept in the library as lines of JSON, bounded in size.
///
/// Two files of at most 2 MiB: `NAME.jsonl` and the one before it, `NAME.1.jsonl`.
public final class EventLog: Sendable {
    /// One refusal or failure.
    public struct Event: Sendable {
        /// Nanoseconds since 1970 UTC.
        public var time: Int64
        /// Who asked, such as "user:1000"; empty for the library itself.
        public var client: String
        /// What was asked, such as "create".
        public var operation: String
        public var path: String
        /// A symbolic name such as "EACCES".
        public var errno: String
        /// A sentence for a person.
        public var reason: String
        /// Of refusals of the gate: the access level that was missing, such as "add-only".
        public var level: String?
        public init(
            time: Int64 = Clock.now(), client: String, operation: String, path: String, errno: Errno, reason: String,
            level: String? = nil
        ) {
            self.level = level
            self.time = time
            self.client = client
            self.operation = operation
            self.path = path
            self.errno = errno.name
            self.reason = reason
        }
    }

    private struct State {
        var file: FileDescriptor?
        var size: Int64 = 0
    }

    private let directory: Directory
    private let name: String
    private let state = Lock(State())
    private static let limit: Int64 = 2 << 20

    /// - Parameter directory: where the log's files lie.
    init(directory: Directory, name: String) {
        self.directory = directory
        self.name = name
    }

    /// Adds an event. A log that cannot be written is no reason to fail what is logged.
    public func add(_ event: Event) {
        let line = Self.line(of: event)
        state.withLock { state in
            do throws(Errno) {
                if state.file == nil || state.size > Self.limit { try open(&state) }
                try state.file?.append(line)
                state.size += Int64(line.utf8.count)
            } catch {
                state.file = nil
            }
        }
    }

    /// The files of the log, oldest first, relative to the library's `logs` directory.
    public var fileNames: [String] { ["\(name).1.jsonl", "\(name).jsonl"] }

    private func open(_ state: inout State) throws(Errno) {
        let current = "\(name).jsonl"
        if let size = try directory.status(of: current)?.size, size > Self.limit {
            try directory.rename(current, to: "\(name).1.jsonl")
        }
        let file = try directory.open(current, [.writeOnly, .create, .append, .noFollow])
        state.size = try file.status().size
        state.file = file
    }

    private static func line(of event: Event) -> String {
        var line = "{\"time\":\(event.time)"
        for (key, value) in [
            ("client", event.client), ("operation", event.operation), ("path", event.path), ("errno", event.errno),
            ("reason", event.reason), ("level", event.level),
        ] {
            guard let value else { continue }
            line += ",\"\(key)\":\(JSONText.quoted(value))"
        }
        return line + "}\n"
    }
}

/// Text as JSON writes it (RFC 8259).
public enum JSONText {
    /// The text in quotes, with what JSON does not take written as escapes.
    public static func quoted(_ text: String) -> String {
        // Most texts hold nothing to escape.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }) { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{00}"..<"\u{20}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
