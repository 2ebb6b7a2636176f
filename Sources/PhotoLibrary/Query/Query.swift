/// A search for assets, as a person types it.
///
/// Terms stand one after the other and all have to hold; `or` between two means either; `-` before one means that it must
/// not hold. A term is a word, words in quotes, or `key:value`. `or` binds closer than standing side by side.
public struct Query: Sendable, Equatable {
    /// All of them hold. Empty matches everything.
    var conditions: [Alternatives]

    /// At least one of them holds.
    struct Alternatives: Sendable, Equatable {
        var terms: [Term]
    }

    struct Term: Sendable, Equatable {
        var isNegated = false
        var test: Test
    }

    /// What a term asks of an asset.
    enum Test: Sendable, Equatable {
        /// In a file name, the caption, a keyword, an album's name, or the camera's name.
        case word(String)
        /// In the name of an album that the asset is in, or of one around that.
        case album(String)
        /// A keyword of the asset, whole.
        case keyword(String)
        case type(AssetType)
        case camera(String)
        case lens(String)
        /// The day of capture in its own local time, as yyyymmdd.
        case days(ClosedRange<Int>)
        case near(latitude: Double, longitude: Double, metres: Double)
        case rating(Comparison, Int64)
        case state(State)
        /// Bytes.
        case size(Comparison, Int64)
        /// Milliseconds.
        case duration(Comparison, Int64)
    }

    enum Comparison: String, Sendable, Equatable {
        case less = "<"
        case lessOrEqual = "<="
        case equal = "="
        case greaterOrEqual = ">="
        case greater = ">"
    }

    enum State: String, Sendable, Equatable, CaseIterable {
        case favorite, hidden, edited, live, raw, unfiled, pending, deleted
    }

    /// A value of `type:`.
    enum AssetType: Sendable, Equatable {
        case photo
        case video
        /// Bits of `MediaSubtypes`, any of them.
        case subtype(UInt64)
        /// A kind of file, such as "heic".
        case kind(String)
    }

    /// Matches every asset.
    public static let everything = Query(conditions: [])

    /// Whether some term looks for a word or a place, for which the index has to be up to date.
    var usesIndex: Bool {
        conditions.contains { alternatives in
            alternatives.terms.contains { term in
                switch term.test {
                case .word, .near: true
                default: false
                }
            }
        }
    }

    /// Whether some term asks for this state, be it to exclude it.
    func mentions(_ state: State) -> Bool {
        conditions.contains { $0.terms.contains { $0.test == .state(state) } }
    }
}

/// Why a text is no query, and where.
public struct QueryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what would be right, for a person.
    public let reason: String
    /// The place in the text, in characters from 1.
    public let column: Int
    /// The text.
    public let query: String

    public var description: String { "The query is wrong at column \(column): \(reason)" }

    /// The text, and below it a mark at the place. Control characters are shown as spaces.
    public var marked: [String] {
        let shown = query.map { character in
            character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } ? character : " "
        }
        // A long text is cut around the place.
        let start = max(0, column - 60)
        let line = String(shown.dropFirst(start).prefix(76))
        return [line, String(repeating: " ", count: column - 1 - start) + "^"]
    }
}
