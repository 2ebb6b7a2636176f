/// A command line, taken apart: which options were given, and what remains.
struct Arguments: Sendable {
    /// What is neither an option nor its value.
    var operands: [String] = []
    private var flags: Set<String> = []
    private var values: [String: [String]] = [:]

    /// Whether a flag was given.
    func has(_ name: String) -> Bool { flags.contains(name) }

    /// An option's value, nil where it was not given.
    func value(_ name: String) -> String? { values[name]?.last }

    /// All values of an option that may be repeated.
    func values(_ name: String) -> [String] { values[name] ?? [] }

    /// A whole number, within bounds.
    func number(_ name: String, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .usage(
                "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound),"
                    + " not \(DisplayText.excerpt(text)).")
        }
        return number
    }

    /// Takes the words of a command line apart.
    ///
    /// Options may stand anywhere before `--`; what follows that is an operand whatever it looks like. A value follows
    /// its option as the next word or after `=`; after a short one also directly.
    init(parsing words: some Collection<String>, options: [Option]) throws(CommandFailure) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            }
            if word.utf8.starts(with: "--".utf8) {
                try takeLong(word, options, &rest)
            } else if word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 {
                try takeShort(word, options, &rest)
            } else {
                operands.append(word)
            }
        }
    }

    private mutating func takeLong<Words: Collection<String>>(
        _ word: String, _ options: [Option], _ rest: inout Words
    ) throws(CommandFailure) where Words.SubSequence == Words {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = options.first(where: { $0.name == name }) else { throw Self.unknown(name) }
        if parts.count > 1 {
            guard option.value != nil else { throw .usage("\(name) takes no value.") }
            try store(String(parts[1]), of: option)
        } else if option.value == nil {
            flags.insert(option.name)
        } else {
            guard let value = rest.popFirst() else { throw Self.missingValue(option) }
            try store(value, of: option)
        }
    }

    private mutating func takeShort<Words: Collection<String>>(
        _ word: String, _ options: [Option], _ rest: inout Words
    ) throws(CommandFailure) where Words.SubSequence == Words {
        let short = String(word.prefix(2))
        guard let option = options.first(where: { $0.short == short }) else { throw Self.unknown(word) }
        let attached = word.dropFirst(2)
        guard option.value != nil else {
            guard attached.isEmpty else { throw Self.unknown(word) }
            flags.insert(option.name)
            return
        }
        if !attached.isEmpty {
            try store(String(attached), of: option)
        } else {
            guard let value = rest.popFirst() else { throw Self.missingValue(option) }
            try store(value, of: option)
        }
    }

    private mutating func store(_ value: String, of option: Option) throws(CommandFailure) {
        guard option.choices.isEmpty || option.choices.contains(value) else {
            throw .usage(
                "\(option.name) takes \(option.choices.joined(separator: ", ")), not \(DisplayText.excerpt(value)).")
        }
        guard option.isRepeatable || values[option.name] == nil else {
            throw .usage("\(option.name) is given twice.")
        }
        values[option.name, default: []].append(value)
    }

    private static func unknown(_ word: String) -> CommandFailure {
        .usage("unknown option \(DisplayText.excerpt(word)). An operand that begins with a hyphen stands after --.")
    }

    private static func missingValue(_ option: Option) -> CommandFailure {
        .usage("\(option.name) needs a value: \(option.name) \(option.value ?? "")")
    }
}
