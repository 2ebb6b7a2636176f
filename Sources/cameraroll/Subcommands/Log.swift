import PhotoLibrary

extension Subcommand {
    static let log = Subcommand(
        name: "log", operands: "LIBRARY", summary: "Show what was refused and what failed.",
        details: """
            The last events, oldest first: files that were refused and why, who was refused access, and failures. With
            --authorization only what is about access, with the answers that were stored.

            With --json one object: events, an array of objects with time, client, operation, path, errno, reason and
            level (of what is about access: add-only, read-write, or both; else empty).
            """,
        options: [
            .json, .flag("--authorization", help: "Show answers and refusals about access."),
            .valued("--limit", "NUMBER", help: "Show the last NUMBER events (1000)."),
        ],
        operandCount: 1...1, run: LogCommand.run)
}

/// Shows events.
enum LogCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let limit = try arguments.number("--limit", in: 1...100_000) ?? 1000
        let library = try LibraryLocation.resolve(arguments.operands[0])
        guard Library.isLibrary(library) else {
            // Says what it is instead.
            try OpenLibrary.open(library, forReading: true).close()
            return .noSuchItem
        }
        let (events, broken) = try events(limit, library, onlyAccess: arguments.has("--authorization"))
        if broken > 0 { StandardError.note("\(broken) lines of the log could not be read and are left out.") }
        if arguments.has("--json") {
            try writeJSON(events)
        } else {
            try writeLines(events)
        }
        return .done
    }

    private static func events(
        _ limit: Int, _ library: String, onlyAccess: Bool
    ) throws(CommandFailure) -> (events: [EventReader.Event], broken: Int) {
        let access = try EventReader.last(
            limit, of: ["authorization.1.jsonl", "authorization.jsonl"], library: library)
        if onlyAccess { return access }
        let others = try EventReader.last(limit, of: ["events.1.jsonl", "events.jsonl"], library: library)
        // A stored answer is neither a refusal nor a failure.
        let merged = (others.events + access.events.filter { !$0.errno.isEmpty }).sorted { $0.time < $1.time }
        return (Array(merged.suffix(limit)), access.broken + others.broken)
    }

    private static func writeJSON(_ events: [EventReader.Event]) throws(CommandFailure) {
        var json = JSONWriter()
        try json.beginObject()
        try json.key("events")
        try json.beginArray()
        for event in events {
            try json.beginObject()
            try json.member("time", TimeText.utc(event.time))
            try json.member("client", event.client)
            try json.member("operation", event.operation)
            try json.member("path", event.path)
            try json.member("errno", event.errno)
            try json.member("reason", event.reason)
            try json.member("level", event.level)
            try json.endObject()
        }
        try json.endArray()
        try json.endObject()
        try json.finish()
    }

    private static func writeLines(_ events: [EventReader.Event]) throws(CommandFailure) {
        var output = Output()
        for event in events {
            let client = event.client.isEmpty ? "library" : DisplayText.name(event.client)
            let path = event.path.isEmpty ? "" : " " + DisplayText.name(event.path)
            let errno = event.errno.isEmpty ? "" : " \(DisplayText.singleLine(event.errno))"
            try output.write(
                "\(TimeText.local(event.time))  \(client)  \(DisplayText.singleLine(event.operation))\(path)\(errno)"
                    + "  \(DisplayText.singleLine(event.reason))\n")
        }
        try output.finish()
    }
}
