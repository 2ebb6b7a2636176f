/// Takes the text of a query apart into terms, `or` and hyphens.
struct QueryLexer {
    /// One piece of the text.
    struct Token: Sendable, Equatable {
        enum Kind: Sendable, Equatable {
            case or
            case word(String)
            /// `key:value`; the column is where the value begins.
            case pair(key: String, value: String, valueColumn: Int)
        }
        var kind: Kind
        var isNegated: Bool
        /// In characters from 1.
        var column: Int
    }

    private let text: String
    private let characters: [Character]
    private var position = 0

    /// The most that a query may hold.
    static let byteLimit = 4096
    static let termLimit = 64

    static func tokens(of text: String) throws(QueryError) -> [Token] {
        guard text.utf8.count <= byteLimit else {
            let shown = String(text.prefix(40))
            throw QueryError(reason: "it is longer than \(byteLimit) bytes.", column: 1, query: shown)
        }
        var lexer = QueryLexer(text: text, characters: Array(text))
        var tokens: [Token] = []
        while let token = try lexer.next() {
            guard tokens.count < termLimit else {
                throw QueryError(reason: "it has more than \(termLimit) terms.", column: token.column, query: text)
            }
            tokens.append(token)
        }
        return tokens
    }

    private mutating func next() throws(QueryError) -> Token? {
        while position < characters.count, characters[position].isWhitespace { position += 1 }
        guard position < characters.count else { return nil }
        let column = position + 1
        let isNegated = characters[position] == "-"
        if isNegated {
            position += 1
            guard position < characters.count, !characters[position].isWhitespace, characters[position] != "-" else {
                throw error("a hyphen excludes the term behind it; a hyphen itself stands in quotes.", column)
            }
        }
        if characters[position] == "\"" {
            return Token(kind: .word(try takeQuoted(column)), isNegated: isNegated, column: column)
        }
        let word = takeBare(stoppingAtColon: true)
        if position < characters.count, characters[position] == ":", Self.isKey(word) {
            position += 1
            let valueColumn = position + 1
            let isQuoted = position < characters.count && characters[position] == "\""
            let value = isQuoted ? try takeQuoted(valueColumn) : takeBare(stoppingAtColon: false)
            return Token(
                kind: .pair(key: word.lowercased(), value: value, valueColumn: valueColumn), isNegated: isNegated,
                column: column)
        }
        let whole = word + takeBare(stoppingAtColon: false)
        if !isNegated, whole.lowercased() == "or" { return Token(kind: .or, isNegated: false, column: column) }
        return Token(kind: .word(whole), isNegated: isNegated, column: column)
    }

    /// Letters alone: `12:30` and `C:` of a path with more before it are words.
    private static func isKey(_ word: String) -> Bool {
        !word.isEmpty && word.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }

    private mutating func takeBare(stoppingAtColon: Bool) -> String {
        let start = position
        while position < characters.count, !characters[position].isWhitespace {
            if stoppingAtColon, characters[position] == ":" { break }
            position += 1
        }
        return String(characters[start..<position])
    }

    private mutating func takeQuoted(_ column: Int) throws(QueryError) -> String {
        let opening = position
        position += 1
        let start = position
        while position < characters.count, characters[position] != "\"" { position += 1 }
        guard position < characters.count else {
            throw error("the quotes that begin here do not end.", opening + 1)
        }
        let content = String(characters[start..<position])
        position += 1
        guard !content.isEmpty else { throw error("there is nothing between the quotes.", column) }
        guard position == characters.count || characters[position].isWhitespace else {
            throw error("a space is missing behind the quotes.", position + 1)
        }
        return content
    }

    private func error(_ reason: String, _ column: Int) -> QueryError {
        QueryError(reason: reason, column: column, query: text)
    }
}
