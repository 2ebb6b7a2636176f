import PhotoLibrary
import Platform

extension Subcommand {
    static let export = Subcommand(
        name: "export", operands: "LIBRARY [QUERY…] --to DIR",
        summary: "Copy photos and videos out, with dates and sidecars.",
        details: """
            What QUERY matches (see cameraroll find --help; without it all but what is hidden or deleted) is copied into
            DIR, in the folders in which it lies in DCIM; DIR is made if need be. Times are those that the mount shows.
            Keywords, captions, ratings, and a date or place that somebody set, go into an XMP file NAME.EXT.xmp beside
            the file, as darktable, digiKam and exiftool read it; where there is nothing of that kind, there is none.

            Nothing in DIR is written over: a file that is there with the same bytes is left, and where another has the
            name the new one is NAME~1.EXT. Files appear whole or not at all, also when Ctrl-C ends the export (exit
            status 130). Exported again, only what is new is copied.

            An edited photo comes as it was edited last; with --originals as it was before any edit.

            With --json one object: library, directory, items (path, outcome: exported, same or failed, to, sidecar,
            reason), exported, same, sidecars, failed, bytes, interrupted.
            """,
        options: [
            .valued("--to", "DIR", help: "Where the copies go."),
            .flag("--originals", help: "The bytes before any edit."), .json,
        ],
        operandCount: 1...64, run: ExportCommand.run)
}

/// Copies what a query matches out of a library.
enum ExportCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let query = try FindCommand.query(arguments.operands.dropFirst().joined(separator: " "))
        guard let directory = arguments.value("--to"), !directory.isEmpty else {
            throw .usage("--to DIR is missing: where the copies go.")
        }
        let location = try LibraryLocation.resolve(arguments.operands[0])
        Interruption.hold()
        let library = try OpenLibrary.open(location, forReading: true)
        defer { library.close() }
        var run = try ExportRun(library, query, to: directory, wantsOriginals: arguments.has("--originals"))
        return try run.run(asJSON: arguments.has("--json"))
    }
}
