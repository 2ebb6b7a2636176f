import Glibc
import PhotoLibrary
import Platform

extension Subcommand {
    static let album = Subcommand(
        name: "album", operands: "LIBRARY list|create|delete|rename|add|remove [ALBUM [NEW|PATH…]]",
        summary: "List, make, delete, rename and fill albums.",
        details: """
            list shows each album and how many photos and videos it holds. create makes albums, with those around them:
            ALBUM may be a path, such as Trips/Rome. delete removes an album; what is in it stays in the library, and one
            that holds albums is not removed. rename ALBUM NEW gives an album another path. add ALBUM PATH… puts photos and
            videos into an album, remove takes them out of it.

            PATH lies in a mount of the library, or is one as cameraroll find prints it; a directory of DCIM stands for
            all that lies below it.

            With --json one object: albums, an array of objects with id, path, count, modified.
            """,
        options: [.json], operandCount: 1...4096, run: AlbumCommand.run)
}

/// Albums.
enum AlbumCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let operands = arguments.operands
        let verb = operands.count > 1 ? operands[1] : "list"
        let rest = Array(operands.dropFirst(2))
        guard verb == "list" || !arguments.has("--json") else { throw .usage("--json belongs to list.") }
        let needed = [
            "list": 0...0, "create": 1...4096, "delete": 1...1, "rename": 2...2, "add": 2...4096, "remove": 2...4096,
        ]
        guard let count = needed[verb] else {
            throw .usage("\(DisplayText.excerpt(verb)) is none of list, create, delete, rename, add and remove.")
        }
        guard count.contains(rest.count) else {
            throw .usage("\(verb) has too few or too many operands. See: cameraroll album --help")
        }
        for name in rest.prefix(verb == "create" ? 4096 : verb == "rename" ? 2 : 1) { try check(name) }
        return try OpenLibrary.with(operands[0], forReading: verb == "list") { (library) throws(CommandFailure) in
            switch verb {
            case "create": return try create(rest, library)
            case "delete": return try delete(rest[0], library)
            case "rename": return try rename(rest[0], to: rest[1], library)
            case "add", "remove":
                let album = try album(rest[0], library)
                return try ItemSelection.change(Array(rest.dropFirst()), in: library) {
                    (library, node, _) throws(Errno) in
                    if verb == "add" { return try library.add(node, toAlbum: album.id) }
                    // What is not in it need not be taken out.
                    do throws(Errno) { try library.remove(node, fromAlbum: album.id) } catch .noEntry {}
                }
            default: return try list(library, asJSON: arguments.has("--json"))
            }
        }
    }

    private static func check(_ name: String) throws(CommandFailure) {
        do throws(Errno) { _ = try AlbumPath.names(name) } catch {
            throw .usage("No album can be called \(DisplayText.excerpt(name)).")
        }
    }

    private static func failure(_ error: Errno, _ library: Library, _ name: String) -> CommandFailure {
        switch error {
        case .exists:
            CommandFailure(
                .refused, "There is an album or a photo called \(DisplayText.name(name)) already. Nothing was changed.")
        case .notEmpty:
            CommandFailure(.refused, "\(DisplayText.name(name)) holds albums. Delete or rename those first.")
        case .invalid:
            CommandFailure(.refused, "An album cannot be put into itself. Nothing was changed.")
        default: OpenLibrary.failure(error, library, "The album \(DisplayText.name(name)) cannot be read or changed")
        }
    }

    private static func album(_ name: String, _ library: Library) throws(CommandFailure) -> AlbumRecord {
        do throws(Errno) {
            if let found = try AlbumPath.find(name, in: library) { return found }
        } catch { throw failure(error, library, name) }
        throw CommandFailure(
            .noSuchItem, "There is no album \(DisplayText.name(name)). See: cameraroll album \(library.path) list")
    }

    private static func create(_ names: [String], _ library: Library) throws(CommandFailure) -> ExitCode {
        let client = Client.user(getuid()).description
        for name in names {
            do throws(Errno) {
                guard try AlbumPath.find(name, in: library) == nil else { throw .exists }
                _ = try AlbumPath.make(name, in: library, client: client)
            } catch { throw failure(error, library, name) }
        }
        return try finish(library)
    }

    private static func delete(_ name: String, _ library: Library) throws(CommandFailure) -> ExitCode {
        let album = try album(name, library)
        do throws(Errno) { try library.deleteAlbum(album.id) } catch { throw failure(error, library, name) }
        return try finish(library)
    }

    private static func rename(
        _ name: String, to newName: String, _ library: Library
    ) throws(CommandFailure) -> ExitCode {
        let album = try album(name, library)
        do throws(Errno) {
            var names = try AlbumPath.names(newName)
            let last = names.removeLast()
            var parent: UInt64 = 0
            if !names.isEmpty {
                let around = names.map(\.description).joined(separator: "/")
                guard let found = try AlbumPath.find(around, in: library) else {
                    throw Errno.noEntry
                }
                parent = found.id
            }
            try library.moveAlbum(album.name, in: album.parent, to: last, in: parent, mayReplace: false)
        } catch .noEntry {
            throw CommandFailure(
                .noSuchItem, "There is no album around \(DisplayText.name(newName)). Create it first.")
        } catch { throw failure(error, library, newName) }
        return try finish(library)
    }

    private static func finish(_ library: Library) throws(CommandFailure) -> ExitCode {
        do throws(Errno) { try library.synchronize() } catch {
            throw OpenLibrary.failure(error, library, "\(library.path) cannot be written to the disk")
        }
        MountCaches.drop(of: library)
        return .done
    }

    private static func list(_ library: Library, asJSON: Bool) throws(CommandFailure) -> ExitCode {
        var albums: [(record: AlbumRecord, path: String, count: Int)] = []
        do throws(Errno) {
            var waiting: [(id: UInt64, path: String)] = [(0, "")]
            while let (id, path) = waiting.popLast() {
                var children: [AlbumRecord] = []
                try library.forEachAlbum(in: id, after: 0) {
                    children.append($0)
                    return true
                }
                for child in children {
                    let childPath = path.isEmpty ? child.name.description : "\(path)/\(child.name)"
                    albums.append((child, childPath, try library.assetCount(ofAlbum: child.id)))
                    waiting.append((child.id, childPath))
                }
            }
        } catch { throw OpenLibrary.failure(error, library, "The albums of \(library.path) cannot be read") }
        albums.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        if asJSON {
            var json = JSONWriter()
            try json.beginObject()
            try json.key("albums")
            try json.beginArray()
            for album in albums {
                try json.beginObject()
                try json.member("id", album.record.identifier)
                try json.member("path", album.path)
                try json.member("count", Int64(album.count))
                try json.member("modified", TimeText.utc(album.record.modified))
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
            try json.finish()
        } else {
            try Output.print(Columns.aligned(albums.map { (DisplayText.name($0.path), "\($0.count)") }))
        }
        return .done
    }
}
