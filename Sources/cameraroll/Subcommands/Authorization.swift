import PhotoLibrary
import Platform

extension Subcommand {
    static let authorization = Subcommand(
        name: "authorization", operands: "LIBRARY list|allow|deny|reset [CLIENT]",
        summary: "Show and change who may use the library's mount.",
        details: """
            CLIENT is user:1000, user:NAME, or program:/usr/bin/rsync@1000 (a program run by a user; its record comes
            before the user's). allow and deny store an answer for both levels, or for the one that --level names; reset
            forgets the answers of a client. Only the library's owner and root may change anything.

            Levels: read-write sees, adds, changes and deletes everything; add-only adds, and sees what it has just
            added.

            With --json one object: records, an array of objects with client, level, status, changed.
            """,
        options: [
            .json,
            .valued("--level", "LEVEL", choices: ["read-write", "add-only"], help: "read-write or add-only (both)."),
        ],
        operandCount: 1...3, run: AuthorizationCommand.run)
}

/// The user's own switchboard.
enum AuthorizationCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let operands = arguments.operands
        let verb = operands.count > 1 ? operands[1] : "list"
        let level = arguments.value("--level")
        guard ["list", "allow", "deny", "reset"].contains(verb) else {
            throw .usage("\(DisplayText.excerpt(verb)) is none of list, allow, deny and reset.")
        }
        guard verb == "allow" || verb == "deny" || level == nil else {
            throw .usage("--level belongs to allow and deny.")
        }
        if verb == "list" {
            guard operands.count < 3 else { throw .usage("list takes no further operand.") }
            return try OpenLibrary.with(operands[0], forReading: true) { (library) throws(CommandFailure) in
                try list(library, asJSON: arguments.has("--json"))
            }
        }
        guard !arguments.has("--json") else { throw .usage("--json belongs to list.") }
        guard operands.count == 3 else {
            throw .usage("\(verb) needs a CLIENT, such as user:1000. See: cameraroll authorization --help")
        }
        let client = try ClientText.client(operands[2])
        return try OpenLibrary.with(operands[0], forReading: false) { (library) throws(CommandFailure) in
            try AuthorizationChange.requireOwner(of: library.path)
            if verb == "reset" {
                try AuthorizationChange.reset(client, in: library)
            } else {
                let levels = AccessLevel.allCases.filter { level == nil || $0.name == level }
                let status: AuthorizationStatus = verb == "allow" ? .authorized : .denied
                let statuses = levels.map { ($0, status) }
                try AuthorizationChange.apply(
                    Dictionary(uniqueKeysWithValues: statuses), to: client, in: library)
            }
            return .done
        }
    }

    private static func list(_ library: Library, asJSON: Bool) throws(CommandFailure) -> ExitCode {
        let records: [AuthorizationRecord]
        do throws(Errno) { records = try library.authorization.records() } catch {
            throw OpenLibrary.failure(error, library, "The authorizations of \(library.path) cannot be read")
        }
        if asJSON {
            var json = JSONWriter()
            try json.beginObject()
            try json.key("records")
            try json.beginArray()
            for record in records {
                try json.beginObject()
                try json.member("client", record.client)
                try json.member("level", record.level.name)
                try json.member("status", record.status.name)
                try json.member("changed", TimeText.utc(record.changed))
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
            try json.finish()
        } else {
            let width = records.map { DisplayText.name($0.client).count }.max() ?? 0
            try Output.print(
                records.map { record in
                    DisplayText.padded(DisplayText.name(record.client), to: width) + "  "
                        + DisplayText.padded(record.level.name, to: 10) + "  "
                        + DisplayText.padded(record.status.name, to: 14) + "  " + TimeText.local(record.changed) + "\n"
                }.joined())
        }
        return .done
    }
}
