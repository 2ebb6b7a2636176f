import PhotoLibrary
import Platform

extension Subcommand {
    static let authorization = Subcommand(
        name: "authorization", operands: "LIBRARY list|allow|deny|limit|reset|pending|answer [CLIENT]",
        summary: "Show and change who may use the library's mount.",
        details: """
            CLIENT is user:1000, user:NAME, or program:/usr/bin/rsync@1000 (a program run by a user; its record comes
            before the user's). Only the library's owner and root may change anything. Levels: read-write sees, adds,
            changes and deletes everything; add-only adds, and sees what it has just added.

              list                       what is stored
              allow CLIENT, deny CLIENT  store an answer for both levels, or for the one that --level names
              limit CLIENT --to WHAT…    let a client see and change only what is chosen, and what it adds itself. WHAT
                                         is a query (see cameraroll find --help), or paths: what has a slash is the path
                                         of a photo, or of a directory of DCIM with all that lies in it. It is added to
                                         what was chosen before; reset begins anew.
              reset CLIENT               forget the answers: it is asked for again
              pending                    who was refused since nobody answered
              answer CLIENT full|add-only|deny
                                         answer as an agent does: who waits for it goes on

            With --json: list and pending print one object, records (objects with client, level, status, changed,
            selected) or pending (objects with client, program, level, operation, path, asked, count). The others print
            client and records, which it has now; limit also chosen, how many assets WHAT is, answer also answered,
            how many open questions that was.
            """,
        options: [
            .json,
            .valued("--level", "LEVEL", choices: ["read-write", "add-only"], help: "read-write or add-only (both)."),
            .valued("--to", "WHAT…", isRepeatable: true, help: "A query or paths, up to the next option (limit)."),
        ],
        operandCount: 1...4096, run: AuthorizationCommand.run)
}

/// The user's own switchboard.
enum AuthorizationCommand {
    private enum Verb: String, CaseIterable {
        case list, allow, deny, limit, reset, pending, answer

        /// How many operands stand behind it.
        var operands: ClosedRange<Int> {
            switch self {
            case .list, .pending: 0...0
            case .allow, .deny, .reset: 1...1
            case .limit: 1...4094
            case .answer: 2...2
            }
        }
    }

    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let operands = arguments.operands
        let word = operands.count > 1 ? operands[1] : "list"
        guard let verb = Verb(rawValue: word) else {
            let names = Verb.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("\(DisplayText.excerpt(word)) is none of \(names).")
        }
        let rest = Array(operands.dropFirst(2))
        try check(verb, rest, arguments)
        let isReading = verb == .list || verb == .pending
        // What is wrong with the words is told before anything is opened.
        let client = isReading ? nil : try ClientText.client(rest[0])
        return try OpenLibrary.with(operands[0], forReading: isReading) { (library) throws(CommandFailure) in
            let output = AuthorizationOutput(library: library, isJSON: arguments.has("--json"))
            guard let client else {
                if verb == .list { try output.list() } else { try output.pending() }
                return .done
            }
            try AuthorizationChange.requireOwner(of: library.path)
            var count: (key: String, value: Int)?
            switch verb {
            case .allow: try AuthorizationChange.apply(statuses(.authorized, arguments), to: client, in: library)
            case .deny: try AuthorizationChange.apply(statuses(.denied, arguments), to: client, in: library)
            case .reset: try AuthorizationChange.reset(client, in: library)
            case .limit:
                let assets = try AssetSelection.assets(
                    arguments.values("--to") + rest.dropFirst(), in: library)
                try AuthorizationChange.limit(client, to: assets, in: library)
                count = ("chosen", assets.count)
            case .answer:
                guard let decision = AuthorizationDecision(rawValue: rest[1]) else { return .usage }
                count = ("answered", try AuthorizationAnswer.give(decision, for: client, in: library))
            case .list, .pending: break
            }
            if verb != .deny, verb != .reset { AuthorizationChange.notePolicy(on: client) }
            try output.changed(client, count)
            return .done
        }
    }

    private static func check(_ verb: Verb, _ rest: [String], _ arguments: Arguments) throws(CommandFailure) {
        guard verb.operands.contains(rest.count) else {
            switch verb {
            case .list, .pending: throw .usage("\(verb.rawValue) takes no further operand.")
            case .answer:
                throw .usage("answer needs a CLIENT and full, add-only or deny. See: cameraroll authorization --help")
            default:
                throw .usage(
                    "\(verb.rawValue) needs \(rest.isEmpty ? "a" : "one") CLIENT, such as user:1000."
                        + " See: cameraroll authorization --help")
            }
        }
        guard verb == .allow || verb == .deny || arguments.value("--level") == nil else {
            throw .usage("--level belongs to allow and deny.")
        }
        let hasSelection = arguments.values("--to").contains { !$0.isEmpty }
        guard hasSelection == (verb == .limit) else {
            throw .usage(
                verb == .limit
                    ? "limit needs what to limit the client to: --to followed by a query or paths."
                    : "--to belongs to limit.")
        }
        if verb == .answer, AuthorizationDecision(rawValue: rest[1]) == nil {
            throw .usage("\(DisplayText.excerpt(rest[1])) is no answer. Write full, add-only or deny.")
        }
    }

    private static func statuses(
        _ status: AuthorizationStatus, _ arguments: Arguments
    ) -> [AccessLevel: AuthorizationStatus] {
        let name = arguments.value("--level")
        var statuses: [AccessLevel: AuthorizationStatus] = [:]
        for level in AccessLevel.allCases where name == nil || level.name == name { statuses[level] = status }
        return statuses
    }
}
