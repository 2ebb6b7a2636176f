import Glibc
import PhotoLibrary
import Platform

extension Subcommand {
    static let trash = Subcommand(
        name: "trash", operands: "LIBRARY list|restore|empty [NAME|ID…]",
        summary: "List, restore, or delete for good what was deleted.",
        details: """
            Deleted photos and videos stay for 30 days. list shows them, the last deleted first. restore brings some back to
            where they were, by the name or the id that list shows, and prints where. empty deletes all of them for
            good; it asks first, or takes --yes.

            With --json one object: trash, an array of objects with id, name, from, deleted, size.
            """,
        options: [.json, .flag("--yes", short: "-y", help: "Do not ask (empty).")],
        operandCount: 1...4096, run: TrashCommand.run)
}

/// Recently Deleted.
enum TrashCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let operands = arguments.operands
        let verb = operands.count > 1 ? operands[1] : "list"
        let rest = operands.dropFirst(2)
        guard verb == "list" || !arguments.has("--json") else { throw .usage("--json belongs to list.") }
        guard verb == "empty" || !arguments.has("--yes") else { throw .usage("--yes belongs to empty.") }
        switch verb {
        case "list":
            guard rest.isEmpty else { throw .usage("list takes no further operand.") }
            return try OpenLibrary.with(operands[0], forReading: true) { (library) throws(CommandFailure) in
                try list(library, asJSON: arguments.has("--json"))
            }
        case "restore":
            guard !rest.isEmpty else { throw .usage("restore needs names or ids. See: cameraroll trash LIBRARY list") }
            return try OpenLibrary.with(operands[0], forReading: false) { (library) throws(CommandFailure) in
                try restore(Array(rest), library)
            }
        case "empty":
            guard rest.isEmpty else { throw .usage("empty takes no further operand: it deletes everything.") }
            return try OpenLibrary.with(operands[0], forReading: false) { (library) throws(CommandFailure) in
                try empty(library, isConfirmed: arguments.has("--yes"))
            }
        default:
            throw .usage("\(DisplayText.excerpt(verb)) is none of list, restore and empty.")
        }
    }

    private static func contents(_ library: Library) throws(CommandFailure) -> [Library.TrashedAsset] {
        do throws(Errno) { return try library.trash() } catch {
            throw OpenLibrary.failure(error, library, "The trash of \(library.path) cannot be read")
        }
    }

    private static func list(_ library: Library, asJSON: Bool) throws(CommandFailure) -> ExitCode {
        let assets = try contents(library)
        if asJSON {
            var json = JSONWriter()
            try json.beginObject()
            try json.key("trash")
            try json.beginArray()
            for asset in assets {
                try json.beginObject()
                try json.member("id", asset.identifier)
                try json.member("name", asset.name.description)
                try json.member("from", asset.origin)
                try json.member("deleted", TimeText.utc(asset.deleted))
                try json.member("size", asset.node.size)
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
            try json.finish()
        } else {
            var output = Output()
            for asset in assets {
                let origin = asset.origin.map { ", from \(DisplayText.name($0))" } ?? ""
                try output.write(
                    "\(asset.identifier)  \(TimeText.local(asset.deleted))  \(DisplayText.name(asset.name.description))"
                        + "  (\(DisplayText.byteCount(asset.node.size))\(origin))\n")
            }
            try output.finish()
        }
        return .done
    }

    private static func restore(_ wanted: [String], _ library: Library) throws(CommandFailure) -> ExitCode {
        let assets = try contents(library)
        var paths: [String] = []
        var failures = 0
        for word in wanted {
            let identifier = word.uppercased()
            guard
                let asset = assets.first(where: {
                    $0.identifier == identifier || $0.name.bytes.elementsEqual(word.utf8)
                })
            else {
                StandardError.note("\(word) is not in the trash. See: cameraroll trash \(library.path) list")
                failures += 1
                continue
            }
            do throws(Errno) {
                paths += try library.restore(asset.node.id)
            } catch {
                let failure = OpenLibrary.failure(error, library, "\(word) cannot be restored")
                if failure.code == .damaged { throw failure }
                StandardError.note(failure.message)
                failures += 1
            }
        }
        MountCaches.drop(of: library)
        try Output.print(paths.map { DisplayText.name($0) + "\n" }.joined())
        if failures == 0 { return .done }
        return failures == wanted.count && wanted.count == 1 ? .noSuchItem : .someFailed
    }

    private static func empty(_ library: Library, isConfirmed: Bool) throws(CommandFailure) -> ExitCode {
        // What is deleted while the question stands is not part of the answer.
        let deadline = Clock.now()
        let count = try contents(library).count
        if count > 0, !isConfirmed {
            guard isatty(STDIN_FILENO) == 1 else {
                throw .usage("empty asks before it deletes, and there is no terminal to ask at. Give --yes.")
            }
            guard confirm("Delete \(count == 1 ? "1 item" : "\(count) items") for good? [y/N] ") else {
                throw CommandFailure(.refused, "Nothing was deleted.")
            }
        }
        do throws(Errno) { _ = try library.purgeTrash(deletedBefore: deadline) } catch {
            throw OpenLibrary.failure(error, library, "The trash of \(library.path) cannot be emptied")
        }
        MountCaches.drop(of: library)
        return .done
    }

    private static func confirm(_ question: String) -> Bool {
        StandardError.ask(question)
        let answer = readLine(strippingNewline: true)?.lowercased() ?? ""
        return answer == "y" || answer == "yes"
    }
}
