/// One of the command's verbs.
struct Subcommand: Sendable {
    var name: String
    /// The words that follow it, as help shows them.
    var operands: String
    /// One line for the list of subcommands.
    var summary: String
    /// Paragraphs for its own help.
    var details: String
    var options: [Option]
    /// How many operands it takes.
    var operandCount: ClosedRange<Int>
    var run: @Sendable (Arguments) throws(CommandFailure) -> ExitCode

    static let all: [Subcommand] = [
        .initialize, .mount, .unmount, .status, .importing, .export, .find, .info, .album,
        .favorite, .hide, .keyword, .revert, .pending, .trash, .authorization,
        .agent,
        .log,
    ]

    /// Its help, as `--help` prints it.
    var help: String {
        var text = "Usage: cameraroll \(name)"
        if !operands.isEmpty { text += " \(operands)" }
        let shown = (options + [.help]).filter { !$0.isInternal }
        text += " [OPTION…]\n\n\(summary)\n\n\(details)\n\nOptions:\n"
        for option in shown {
            var head = "  "
            if let short = option.short { head += short + ", " }
            head += option.name
            if let value = option.value { head += " \(value)" }
            text += DisplayText.padded(head, to: 30) + " " + option.help + "\n"
        }
        return text
    }

    /// Checks the number of operands and runs it.
    func run(words: some Collection<String>) throws(CommandFailure) -> ExitCode {
        let arguments = try Arguments(parsing: words, options: options + [.help])
        if arguments.has("--help") {
            try Output.print(help)
            return .done
        }
        guard operandCount.contains(arguments.operands.count) else {
            let problem = arguments.operands.count < operandCount.lowerBound ? "too few" : "too many"
            throw .usage("\(problem) operands. Usage: cameraroll \(name) \(operands). See: cameraroll \(name) --help")
        }
        return try run(arguments)
    }
}
