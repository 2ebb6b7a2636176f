/// Reads a query.
struct QueryParser {
    private let text: String

    static func parse(_ text: String) throws(QueryError) -> Query {
        try QueryParser(text: text).query(try QueryLexer.tokens(of: text))
    }

    private func query(_ tokens: [QueryLexer.Token]) throws(QueryError) -> Query {
        var conditions: [Query.Alternatives] = []
        // The column of an `or` that still waits for what follows it.
        var openOr: Int?
        for token in tokens {
            if token.kind == .or {
                guard openOr == nil, !conditions.isEmpty else {
                    throw error("or stands between two terms; the word itself stands in quotes.", token.column)
                }
                openOr = token.column
                continue
            }
            let term = try term(token)
            if openOr != nil, let last = conditions.indices.last {
                conditions[last].terms.append(term)
                openOr = nil
            } else {
                conditions.append(Query.Alternatives(terms: [term]))
            }
        }
        if let openOr { throw error("nothing follows this or; the word itself stands in quotes.", openOr) }
        return Query(conditions: conditions)
    }

    private func term(_ token: QueryLexer.Token) throws(QueryError) -> Query.Term {
        switch token.kind {
        case .or: throw error("or stands between two terms.", token.column)
        case .word(let word): return Query.Term(isNegated: token.isNegated, test: .word(word))
        case .pair(let key, let value, let column):
            return Query.Term(
                isNegated: token.isNegated,
                test: try test(key, QueryValue(text: value, column: column, query: text), keyColumn: token.column))
        }
    }

    private static let keys = "type, camera, lens, album, keyword, after, before, on, near, rating, is, size, duration"

    private func test(_ key: String, _ value: QueryValue, keyColumn: Int) throws(QueryError) -> Query.Test {
        switch key {
        case "type": return .type(try value.assetType())
        case "camera": return .camera(try value.words())
        case "lens": return .lens(try value.words())
        case "on": return .days(try value.days())
        case "after": return .days(try value.days().upperBound + 1...QueryValue.lastDay)
        case "before": return .days(0...(try value.days().lowerBound - 1))
        case "near": return try value.place()
        case "is": return .state(try value.state())
        case "rating":
            let (comparison, rest) = value.comparison()
            return .rating(comparison, try rest.rating())
        case "size":
            let (comparison, rest) = value.comparison()
            return .size(comparison, try rest.byteCount())
        case "duration":
            let (comparison, rest) = value.comparison()
            return .duration(comparison, try rest.milliseconds())
        case "album": return .album(try value.words())
        case "keyword": return .keyword(try value.words())
        default:
            throw error(
                "there is no \(key): here. Known are \(Self.keys); a word with a colon stands in quotes.", keyColumn)
        }
    }

    private func error(_ reason: String, _ column: Int) -> QueryError {
        QueryError(reason: reason, column: column, query: text)
    }
}
