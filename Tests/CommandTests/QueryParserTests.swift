import PhotoLibrary
import Testing

@Suite struct QueryParserTests {
    /// Two ways to write one query.
    static let synonyms: [(String, String)] = [
        ("", "   "), ("a b", "  a \t b "), ("TYPE:Photo", "type:photos"), ("a OR b", "a or b"), ("\"a\"", "a"),
        ("size:>1GB", "size:>1000000kB"),
        ("size:>1MiB", "size:>1048576"), ("duration:<5", "duration:<5s"), ("duration:<=1.5min", "duration:<=90s"),
        ("rating:4", "rating:=4"), ("near:48.85,2.35,5", "near:48.85,2.35,5km"), ("near:0,0,300m", "near:0,0,0.3km"),
    ]

    @Test(arguments: synonyms)
    func sameMeaning(first: String, second: String) throws { #expect(try Query(first) == Query(second)) }

    @Test(
        arguments: [
            ("a b", "a or b"), ("a", "-a"), ("a b", "\"a b\""), ("after:2024", "before:2024"), ("or", "\"or\"x"),
        ].filter { $0.0 != "or" })
    func differentMeaning(first: String, second: String) throws { #expect(try Query(first) != Query(second)) }

    /// What looks special and is a word.
    @Test(arguments: [
        "12:30", "C4:5", "1:b:c\u{301}", "(1).jpg", "IMG_0001.JPG", "50%", "*",
        "'; DROP TABLE asset; \\",
        "\"type:photo\"", "\"-\"", "\"or\"", "-\"a b\"", "日本", "🎞️", "-or", "x-y", "a\"b",
    ])
    func words(text: String) throws { _ = try Query(text) }

    /// Mistakes, and the column that the message points to.
    static let wrong: [(String, Int)] = [
        ("or", 1), ("or a", 1), ("a or", 3), ("a or or b", 6), ("a \"b", 3), ("\"\"", 1), ("\"a\"b", 4), ("-", 1),
        ("a -", 3), ("--a", 1), ("a - b", 3), ("foo:bar", 1), ("a foo:bar", 3), ("type:", 6), ("type:banana", 6),
        ("x type:banana", 8), ("camera:", 8), ("camera:\"x", 8), ("lens:", 6), ("after:", 7), ("after:24", 7),
        ("after:2024-13", 7), ("on:2023-02-29", 4), ("on:2024-1-1", 4), ("on:1799", 4), ("on:2024-", 4),
        ("on:2024-05-17-01", 4), ("on:+024", 4), ("near:", 6), ("near:1,2", 6), ("near:91,0,1km", 6),
        ("near:0,181,1km", 6), ("near:nan,0,1km", 6), ("near:0,0,-1km", 10), ("near:0,0,1furlong", 10),
        ("near:0,0,99999km", 10), ("near:0x1,0,1km", 6), ("rating:x", 8), ("rating:>=x", 10), ("rating:11", 8),
        ("rating:-1", 8), ("is:", 4), ("is:nice", 4), ("size:>1XB", 7), ("size:", 6),
        ("size:>", 7), ("size:>-5", 7), ("size:>1e5", 7), ("size:>99999999999999999999999TB", 7), ("size:1.2.3MB", 6),
        ("duration:<5y", 11), ("album:", 7), ("keyword:", 9), ("a é foo:x", 5),
    ]

    @Test(arguments: wrong)
    func mistakes(text: String, column: Int) {
        #expect {
            try Query(text)
        } throws: { error in
            guard let error = error as? QueryError else { return false }
            #expect(error.column == column, "\(error)")
            return !error.reason.isEmpty && error.marked.count == 2
                && error.marked[1].count == min(column, error.marked[0].count + 1)
        }
    }

    @Test func bounds() throws {
        _ = try Query(String(repeating: "a ", count: 64))
        #expect(throws: QueryError.self) { try Query(String(repeating: "a ", count: 65)) }
        _ = try Query(String(repeating: "a", count: 4096))
        #expect(throws: QueryError.self) { try Query(String(repeating: "a", count: 4097)) }
        _ = try Query(Array(repeating: "a", count: 32).joined(separator: " or "))
    }

    /// The mark stays on the line and below the place, also in a long text; control characters do nothing.
    @Test func mark() throws {
        #expect {
            try Query("\u{1B}[31m\n" + String(repeating: "a ", count: 50) + "type:x")
        } throws: { error in
            guard let marked = (error as? QueryError)?.marked else { return false }
            let place = marked[0].index(marked[0].startIndex, offsetBy: marked[1].count - 1)
            return marked[0][place] == "x" && marked[0].count <= 80
                && !marked[0].unicodeScalars.contains { $0.value < 0x20 }
        }
    }
}
