import PhotoLibrary
import Platform

extension Subcommand {
    static let importing = Subcommand(
        name: "import", operands: "LIBRARY PATH…", summary: "Add files and folders without a mount.",
        details: """
            Each PATH is a file or a folder; a folder comes with all that lies in it, under the names that
            cp -r PATH DCIM/ would give (PATH/. brings what is in it alone). Symbolic links in folders are not followed.
            What a file is, its content decides; what is no whole photo or video is refused and stays where it is.

            For each file a line says what became of it: added; same as one that the library has already, as it is or as
            the original of an edit, and then nothing is changed; or restored, where that one was in Recently Deleted.
            A name that another picture has stays with that: the new one is NAME~1.EXT. Nothing in the library is written
            over. Dates, and keywords, captions and ratings that file managers keep in extended attributes, come along;
            so do sidecars (.xmp, .aae, .thm, .lrv, .wav, .json) of what is imported. What tools drop beside photos is
            passed over and counted.

            With --move each file goes from where it was once it is on the disk in the library. On the library's own
            file system nothing is copied then.

            The library may be mounted meanwhile. Interrupted with Ctrl-C it ends between two files, or drops the one
            that it is copying (exit status 130).

            With --json one object: library, items (source, outcome: added, same, restored, sidecar or refused, path,
            reason), added, same, restored, sidecars, refused, passed_over, removed, bytes, interrupted.
            """,
        options: [
            .flag("--move", help: "Remove each file once it is in the library."),
            .valued("--album", "NAME", help: "Put all of them into this album; it is made if need be."), .json,
        ],
        operandCount: 2...4096, run: ImportCommand.run)
}

/// Adds files and folders.
enum ImportCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let paths = Array(arguments.operands.dropFirst())
        guard !paths.contains("") else { throw .usage("PATH is empty.") }
        let album = arguments.value("--album")
        if let album {
            do throws(Errno) { _ = try AlbumPath.names(album) } catch {
                throw .usage("--album: no album can be called \(DisplayText.excerpt(album)).")
            }
        }
        if paths.count == 1, (try? FileStatus(linkAt: paths[0])) == nil {
            throw CommandFailure(.noSuchItem, "\(DisplayText.name(paths[0])) does not exist or cannot be reached.")
        }
        let location = try LibraryLocation.resolve(arguments.operands[0])
        Interruption.hold()
        let library = try OpenLibrary.open(location, forReading: false)
        defer { library.close() }
        var run = try ImportRun(library, isMove: arguments.has("--move"), album: album)
        return try run.run(paths, asJSON: arguments.has("--json"))
    }
}
