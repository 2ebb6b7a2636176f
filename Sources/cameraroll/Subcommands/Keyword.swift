import PhotoLibrary
import Platform

extension Subcommand {
    static let keyword = Subcommand(
        name: "keyword", operands: "LIBRARY list|add|remove [WORD [PATH…]]",
        summary: "List keywords, give them to photos and videos, take them away.",
        details: """
            list shows each keyword and how many photos and videos have it. add gives WORD to what the PATHs name, remove
            takes it away; remove without a PATH removes a keyword that nothing has. PATH lies in a mount of the library,
            or is one as cameraroll find prints it; a directory of DCIM stands for all that lies below it.

            With --json one object: keywords, an array of objects with name, count.
            """,
        options: [.json], operandCount: 1...4096, run: KeywordCommand.run)
}

/// Keywords of assets.
enum KeywordCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let operands = arguments.operands
        let verb = operands.count > 1 ? operands[1] : "list"
        guard verb == "list" || !arguments.has("--json") else { throw .usage("--json belongs to list.") }
        switch verb {
        case "list":
            guard operands.count <= 2 else { throw .usage("list takes no further operand.") }
            return try OpenLibrary.with(operands[0], forReading: true) { (library) throws(CommandFailure) in
                try list(library, asJSON: arguments.has("--json"))
            }
        case "add", "remove":
            guard operands.count > (verb == "add" ? 3 : 2) else {
                throw .usage(
                    "\(verb) needs a WORD\(verb == "add" ? " and a PATH" : ""). See: cameraroll keyword --help")
            }
            let word = try word(operands[2])
            let paths = Array(operands.dropFirst(3))
            return try OpenLibrary.with(operands[0], forReading: false) { (library) throws(CommandFailure) in
                if verb == "add" { return try add(word, paths, library) }
                return try paths.isEmpty ? drop(word, library) : remove(word, paths, library)
            }
        default: throw .usage("\(DisplayText.excerpt(verb)) is none of list, add and remove.")
        }
    }

    private static func word(_ text: String) throws(CommandFailure) -> FileName {
        do throws(Errno) {
            // A comma separates keywords where file managers write them.
            guard !text.utf8.contains(UInt8(ascii: ",")) else { throw .invalid }
            return try FileName(text)
        } catch {
            throw .usage("\(DisplayText.excerpt(text)) cannot be a keyword: no commas, slashes or control characters.")
        }
    }

    private static func failure(_ library: Library) -> (Errno) -> CommandFailure {
        { OpenLibrary.failure($0, library, "The keywords of \(library.path) cannot be read or changed") }
    }

    private static func list(_ library: Library, asJSON: Bool) throws(CommandFailure) -> ExitCode {
        var keywords: [(name: String, count: Int)] = []
        do throws(Errno) {
            var records: [KeywordRecord] = []
            try library.forEachKeyword(after: 0) {
                records.append($0)
                return true
            }
            for record in records {
                keywords.append((record.name.description, try library.assetCount(ofKeyword: record.id)))
            }
        } catch { throw failure(library)(error) }
        keywords.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        if asJSON {
            var json = JSONWriter()
            try json.beginObject()
            try json.key("keywords")
            try json.beginArray()
            for keyword in keywords {
                try json.beginObject()
                try json.member("name", keyword.name)
                try json.member("count", Int64(keyword.count))
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
            try json.finish()
        } else {
            try Output.print(Columns.aligned(keywords.map { (DisplayText.name($0.name), "\($0.count)") }))
        }
        return .done
    }

    private static func add(
        _ word: FileName, _ paths: [String], _ library: Library
    ) throws(CommandFailure) -> ExitCode {
        try ItemSelection.change(paths, in: library) { (library, node, _) throws(Errno) in
            let keyword: KeywordRecord
            if let known = try library.keyword(named: word) {
                keyword = known
            } else {
                keyword = try library.makeKeyword(word)
            }
            try library.addKeyword(keyword.id, to: node)
        }
    }

    private static func missing(_ word: FileName, _ library: Library) -> CommandFailure {
        CommandFailure(
            .noSuchItem,
            "There is no keyword \(DisplayText.name(word.description)). See: cameraroll keyword \(library.path) list")
    }

    private static func remove(
        _ word: FileName, _ paths: [String], _ library: Library
    ) throws(CommandFailure) -> ExitCode {
        let keyword: KeywordRecord?
        do throws(Errno) { keyword = try library.keyword(named: word) } catch { throw failure(library)(error) }
        guard let keyword else { throw missing(word, library) }
        return try ItemSelection.change(paths, in: library) { (library, node, _) throws(Errno) in
            try library.removeKeyword(keyword.id, from: node)
        }
    }

    private static func drop(_ word: FileName, _ library: Library) throws(CommandFailure) -> ExitCode {
        do throws(Errno) { try library.removeKeyword(word) } catch .noEntry {
            throw missing(word, library)
        } catch .notEmpty {
            throw CommandFailure(
                .refused,
                "Some photos or videos have the keyword \(DisplayText.name(word.description)). Name those that are to lose it."
            )
        } catch { throw failure(library)(error) }
        MountCaches.drop(of: library)
        return .done
    }
}
