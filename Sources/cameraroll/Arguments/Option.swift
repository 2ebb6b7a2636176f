/// An option that a subcommand takes.
struct Option: Sendable {
    /// As it is written, such as `--json`.
    var name: String
    /// One hyphen and one character, such as `-o`.
    var short: String?
    /// What help calls its value, such as `NUMBER`; nil for a flag.
    var value: String?
    /// The values that it takes, empty for any.
    var choices: [String] = []
    /// It may be given several times.
    var isRepeatable = false
    /// For the command's own use: no help shows it.
    var isInternal = false
    /// A sentence for the help.
    var help: String

    static func flag(_ name: String, short: String? = nil, help: String) -> Option {
        Option(name: name, short: short, value: nil, help: help)
    }

    static func valued(
        _ name: String, short: String? = nil, _ value: String, choices: [String] = [], isRepeatable: Bool = false,
        help: String
    ) -> Option {
        Option(
            name: name, short: short, value: value, choices: choices, isRepeatable: isRepeatable, help: help)
    }

    static let json = Option.flag("--json", help: "Print one JSON document.")
    static let help = Option.flag("--help", short: "-h", help: "Print this help.")
}
