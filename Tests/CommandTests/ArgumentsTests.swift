import Testing

@testable import cameraroll

@Suite struct ArgumentsTests {
    private static let options: [Option] = [
        .flag("--json", help: ""), .flag("--null", short: "-0", help: ""),
        .valued("--limit", "NUMBER", help: ""),
        .valued("--level", "LEVEL", choices: ["read-write", "add-only"], help: ""),
        .valued("--options", short: "-o", "WORDS", isRepeatable: true, help: ""),
    ]

    private func parse(_ words: String...) throws(CommandFailure) -> Arguments {
        try Arguments(parsing: words, options: Self.options)
    }

    @Test func flagsAndOperandsInAnyOrder() throws {
        let arguments = try parse("library", "--json", "query", "-0")
        #expect(arguments.operands == ["library", "query"])
        #expect(arguments.has("--json"))
        #expect(arguments.has("--null"))
        #expect(!arguments.has("--limit"))
    }

    @Test(arguments: [["--limit", "5"], ["--limit=5"]])
    func values(words: [String]) throws {
        let arguments = try Arguments(parsing: words, options: Self.options)
        #expect(arguments.value("--limit") == "5")
        #expect(try arguments.number("--limit", in: 1...10) == 5)
        #expect(arguments.operands.isEmpty)
    }

    @Test func valuesMayLookLikeOptionsAndBeEmpty() throws {
        #expect(try parse("--limit", "--json").value("--limit") == "--json")
        #expect(try parse("--limit=").value("--limit") == "")
        #expect(try parse("--limit=a=b").value("--limit") == "a=b")
    }

    @Test func repeatedShortOption() throws {
        let arguments = try parse("-o", "a,b=c", "-oro", "--options=x")
        #expect(arguments.values("--options") == ["a,b=c", "ro", "x"])
    }

    @Test func everythingAfterTwoHyphensIsAnOperand() throws {
        let arguments = try parse("-", "--", "--json", "-x", "--")
        #expect(arguments.operands == ["-", "--json", "-x", "--"])
        #expect(!arguments.has("--json"))
    }

    static let mistakes: [(words: [String], named: String)] = [
        (["--frobnicate"], "--frobnicate"), (["--jso"], "--jso"), (["-x"], "-x"), (["-0x"], "-0x"),
        (["--json=yes"], "--json"), (["--limit"], "--limit"), (["-o"], "--options"), (["--level", "root"], "--level"),
        (["--limit", "1", "--limit", "2"], "--limit"), (["--=x"], "--"),
    ]

    @Test(arguments: mistakes)
    func mistakesNameTheOption(words: [String], named: String) {
        #expect {
            try Arguments(parsing: words, options: Self.options)
        } throws: { error in
            guard let failure = error as? CommandFailure else { return false }
            return failure.code == .usage && failure.message.contains(named)
        }
    }

    @Test(arguments: ["0", "11", "", "x", "1.5", "99999999999999999999", "5 "])
    func numbersOutOfBounds(text: String) throws {
        let arguments = try parse("--limit=\(text)")
        #expect(throws: CommandFailure.self) { try arguments.number("--limit", in: 1...10) }
    }

    /// What an argument holds neither floods the terminal nor steers it.
    @Test func longAndHostileOptionsAreCut() {
        let word = "--" + String(repeating: "x", count: 100_000)
        #expect {
            try Arguments(parsing: [word], options: Self.options)
        } throws: { error in ((error as? CommandFailure)?.message.utf8.count ?? .max) < 300 }
        #expect {
            try Arguments(parsing: ["--\u{1B}[31m"], options: Self.options)
        } throws: { error in (error as? CommandFailure)?.message.contains("\u{1B}") == false }
    }

    /// Every subcommand explains its options, but the internal ones.
    @Test(arguments: Subcommand.all.map(\.name))
    func help(name: String) throws {
        let subcommand = try #require(Subcommand.all.first { $0.name == name })
        let help = subcommand.help
        #expect(help.hasPrefix("Usage: cameraroll \(name)"))
        for option in subcommand.options { #expect(help.contains(option.name) == !option.isInternal) }
        for line in help.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
    }
}
