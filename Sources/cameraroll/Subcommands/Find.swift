import PhotoLibrary
import Platform

extension Subcommand {
    static let find = Subcommand(
        name: "find", operands: "LIBRARY [QUERY…]", summary: "List the photos and videos that a query matches.",
        details: """
            One path for each, in the order in which they were added; deleted ones show with is:deleted, hidden ones
            with is:hidden, files that are no photo or video yet with is:pending. Without QUERY: all. A path with
            control characters is printed in the shell's $'…' form.

            Query: words match file names, captions and the camera; several terms must all hold; quotes keep words
            together; - excludes a term (put -- before a query that begins with it); or stands between two terms.
              type:photo|video|live|raw|panorama|screenshot|animated|motion|portrait|selfie|burst|slomo|timelapse|jpeg|heic|…
              camera:TEXT  lens:TEXT
              after:2024-05  before:2024  on:2024-05-17   days in the capture's own local time
              near:48.85,2.35,5km                         degrees north, east, and a distance
              rating:>=4  size:>1GB  duration:<5s         with <, <=, =, >=, >
              is:favorite|hidden|edited|pending|deleted

            With --json one object: assets, an array of objects with id, name, path, paths, type, uti, width, height,
            orientation, captured, captured_source, latitude, longitude, altitude, make, model, lens, duration (seconds),
            size, sha256, added, deleted, favorite, hidden, edited, links.
            """,
        options: [
            .json, .flag("--null", short: "-0", help: "End each path with a zero byte; print it as it is."),
        ],
        operandCount: 1...64, run: FindCommand.run)
}

/// Lists what a query matches.
enum FindCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let query = try query(arguments.operands.dropFirst().joined(separator: " "))
        return try OpenLibrary.with(arguments.operands[0], forReading: true) { (library) throws(CommandFailure) in
            if arguments.has("--json") {
                try writeJSON(query, library)
            } else {
                try writePaths(query, library, isRaw: arguments.has("--null"))
            }
            return .done
        }
    }

    static func query(_ text: String) throws(CommandFailure) -> Query {
        do throws(QueryError) { return try Query(text) } catch {
            throw CommandFailure(.usage, error.description, details: error.marked)
        }
    }

    private static func failure(_ library: Library) -> (Errno) -> CommandFailure {
        { OpenLibrary.failure($0, library, "The library \(library.path) cannot be read") }
    }

    private static func writeJSON(_ query: Query, _ library: Library) throws(CommandFailure) {
        var json = JSONWriter()
        try json.beginObject()
        try json.key("assets")
        try json.beginArray()
        try library.forEachMatch(of: query, mapping: failure(library)) { (match) throws(CommandFailure) in
            try AssetText.write(match.asset, paths: match.paths, &json)
            return true
        }
        if query.mentionsPendingFiles {
            try library.forEachPending(matching: query, mapping: failure(library)) { (file) throws(CommandFailure) in
                try AssetText.write(file, &json)
                return true
            }
        }
        try json.endArray()
        try json.endObject()
        try json.finish()
    }

    private static func writePaths(_ query: Query, _ library: Library, isRaw: Bool) throws(CommandFailure) {
        var output = Output()
        let line = { (path: String) in isRaw ? path + "\0" : DisplayText.name(path) + "\n" }
        try library.forEachMatch(of: query, mapping: failure(library)) { (match) throws(CommandFailure) in
            try output.write(line(AssetText.path(of: match.asset, match.paths)))
            return true
        }
        if query.mentionsPendingFiles {
            try library.forEachPending(matching: query, mapping: failure(library)) { (file) throws(CommandFailure) in
                try output.write(line(file.path))
                return true
            }
        }
        try output.finish()
    }
}
