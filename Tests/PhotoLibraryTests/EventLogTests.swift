import Foundation
import PhotoLibrary
import Platform
import Support
import Testing

@Suite struct EventLogTests {
    private struct Line: Decodable {
        var time: Int64
        var client: String
        var operation: String
        var path: String
        var errno: String
        var reason: String
    }

    @Test func everyLineIsJSONWhateverIsInIt() throws {
        try withLibrary { library in
            let awkward = (0..<0x250).compactMap { Unicode.Scalar($0) }.map { String($0) }.joined()
            let texts = [
                awkward, "a\"b\\c\nd\te\u{2028}\u{FEFF}📷", String(repeating: "x", count: 10_000), "", "{\"a\":1}",
            ]
            for text in texts {
                library.library.events.add(
                    EventLog.Event(client: text, operation: text, path: text, errno: .accessDenied, reason: text))
            }
            let lines = try Files.read("\(library.path)/logs/events.jsonl").split(separator: 0x0A)
            let decoded = try lines.map { try JSONDecoder().decode(Line.self, from: Data($0)) }
            #expect(decoded.map(\.path) == texts && decoded.map(\.reason) == texts)
            #expect(decoded.allSatisfy { $0.errno == "EACCES" && $0.time > 0 })
        }
    }

    @Test func theLogIsBounded() throws {
        try withLibrary { library in
            let text = String(repeating: "x", count: 10_000)
            for number in 0..<700 {
                library.library.events.add(
                    EventLog.Event(client: "", operation: "\(number)", path: "", errno: .ioError, reason: text))
            }
            let current = try Files.existing("\(library.path)/logs/events.jsonl").size
            let before = try Files.existing("\(library.path)/logs/events.1.jsonl").size
            #expect(current <= 2 << 20 + 20_000 && before <= (2 << 20) + 20_000 && before > 2 << 20)
            #expect(try Files.names(in: "\(library.path)/logs").filter { $0.hasPrefix("events") }.count == 2)
            let last = try Files.text("\(library.path)/logs/events.jsonl").split(separator: "\n").last ?? ""
            #expect(last.contains("\"699\""))
        }
    }

    @Test func severalThreadsAndProcessesWriteWholeLines() throws {
        try withLibrary { library in
            let other = try Library(path: library.path)
            defer { other.close() }
            let logs = [library.library.events, other.events]
            let threads = try (0..<4).map { thread in
                try Platform.Thread(name: "log") {
                    for number in 0..<250 {
                        logs[thread % 2].add(
                            EventLog.Event(
                                client: "\(thread)", operation: "\(number)", path: "", errno: .ioError,
                                reason: String(repeating: "r", count: 100)))
                    }
                }
            }
            for thread in threads { thread.join() }
            let lines = try Files.read("\(library.path)/logs/events.jsonl").split(separator: 0x0A)
            #expect(lines.count == 1000)
            for line in lines { _ = try JSONDecoder().decode(Line.self, from: Data(line)) }
        }
    }

    @Test func aLogThatCannotBeWrittenFailsNothing() throws {
        try withLibrary { library in
            try Files.makeDirectory("\(library.path)/logs/events.jsonl")
            library.library.events.add(
                EventLog.Event(client: "", operation: "x", path: "", errno: .ioError, reason: "y"))
            #expect(refusal { try library.add("DCIM/a.jpg", Picture.cutOff(1)) } == .invalid)
            try require("rmdir", "\(library.path)/logs/events.jsonl")
            library.library.events.add(
                EventLog.Event(client: "", operation: "x", path: "", errno: .ioError, reason: "y"))
            #expect(Files.exists("\(library.path)/logs/events.jsonl"))
        }
    }

    @Test func authorizationHasItsOwnLog() throws {
        try withLibrary { library in
            let gate = library.library.authorization
            try gate.set(.denied, of: .user(7), level: .addOnly)
            gate.noteRefusal(
                client: "user:7", level: .readWrite, operation: "open", path: "DCIM/a", errno: .accessDenied)
            let lines = try Files.text("\(library.path)/logs/authorization.jsonl").split(separator: "\n")
            #expect(lines.count == 2 && lines[1].contains("DCIM/a") && lines[1].contains("EACCES"))
        }
    }
}
