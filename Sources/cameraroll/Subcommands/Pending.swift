import PhotoLibrary
import Platform

extension Subcommand {
    static let pending = Subcommand(
        name: "pending", operands: "LIBRARY [list|discard PATH]",
        summary: "List files that are no photos or videos yet, and why.",
        details: """
            A file that was refused, or that nobody finished, stays in DCIM as it was written. Write the whole file
            over it and it becomes a photo or video; remove it there, or with discard. PATH is as list prints it, or
            lies in a mount.

            State: refused (no whole photo or video; the reason follows), temporary (a name that programs use while they
            write), empty, unfinished (being written, or never closed).

            With --json one object: pending, an array of objects with path, size, state, reason.
            """,
        options: [.json], operandCount: 1...3, run: PendingCommand.run)
}

/// Lists and removes pending files.
enum PendingCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let operands = arguments.operands
        switch operands.count > 1 ? operands[1] : "list" {
        case "list":
            guard operands.count <= 2 else { throw .usage("list takes no further operand.") }
            return try OpenLibrary.with(operands[0], forReading: true) { (library) throws(CommandFailure) in
                try list(library, asJSON: arguments.has("--json"))
            }
        case "discard":
            guard operands.count == 3 else { throw .usage("discard needs a PATH. See: cameraroll pending --help") }
            guard !arguments.has("--json") else { throw .usage("--json belongs to list.") }
            return try OpenLibrary.with(operands[0], forReading: false) { (library) throws(CommandFailure) in
                try discard(operands[2], library)
            }
        default:
            throw .usage("\(DisplayText.excerpt(operands[1])) is neither list nor discard.")
        }
    }

    private static func list(_ library: Library, asJSON: Bool) throws(CommandFailure) -> ExitCode {
        let mapping = { (error: Errno) in
            OpenLibrary.failure(error, library, "The pending files of \(library.path) cannot be read")
        }
        if asJSON {
            var json = JSONWriter()
            try json.beginObject()
            try json.key("pending")
            try json.beginArray()
            try library.forEachPending(mapping: mapping) { (file) throws(CommandFailure) in
                try json.beginObject()
                try json.member("path", file.path)
                try json.member("size", file.size)
                try json.member("state", file.state.rawValue)
                try json.member("reason", file.reason)
                try json.endObject()
                return true
            }
            try json.endArray()
            try json.endObject()
            try json.finish()
        } else {
            var output = Output()
            try library.forEachPending(mapping: mapping) { (file) throws(CommandFailure) in
                let reason = file.reason.isEmpty ? "" : ": " + DisplayText.singleLine(file.reason)
                try output.write(
                    "\(DisplayText.name(file.path))  (\(DisplayText.byteCount(file.size)), \(file.state.rawValue))"
                        + reason + "\n")
                return true
            }
            try output.finish()
        }
        return .done
    }

    private static func discard(_ argument: String, _ library: Library) throws(CommandFailure) -> ExitCode {
        let path = try AssetSelection.treePath(argument, library)
        do throws(Errno) { try library.discardPending(atPath: path) } catch {
            switch error {
            case .noEntry, .nameTooLong, .illegalSequence:
                throw CommandFailure(
                    .noSuchItem, "There is no file \(argument) in the library. See: cameraroll pending \(library.path)")
            case .invalid:
                throw CommandFailure(
                    .refused,
                    "\(argument) is no pending file. Nothing was removed. Remove it in a mount if you mean it.")
            default: throw OpenLibrary.failure(error, library, "\(argument) cannot be removed")
            }
        }
        MountCaches.drop(of: library)
        return .done
    }
}
