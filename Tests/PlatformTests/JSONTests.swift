import Foundation
import Platform
import Support
import Testing

@Suite struct JSONTests {
    private func parse(_ text: String, limit: Int = 1 << 16) throws(JSONError) -> JSONValue {
        try JSONParser.parse(Array(text.utf8), limit: limit)
    }

    private func failure(_ bytes: [UInt8], limit: Int = 1 << 16) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONParser.parse(bytes, limit: limit)
            return nil
        } catch { return error }
    }

    @Test func document() throws {
        let value = try parse(
            """
            {"a": [1, -0, 2.5, 1e3, true, false, null],
             "b": {"c": "x\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\ude00ü"},
             "d": -9223372036854775808, "": 9223372036854775807}
            """)
        let elements = try #require(value["a"]?.elements)
        #expect(elements.count == 7)
        #expect(elements[0].integer == 1)
        #expect(elements[1].integer == 0)
        if case .number(let number) = elements[2].content { #expect(number == 2.5) } else { Issue.record("no number") }
        if case .number(let number) = elements[3].content { #expect(number == 1000) } else { Issue.record("no number") }
        #expect(elements[4].boolean == true)
        #expect(elements[5].boolean == false)
        #expect(elements[6].kindName == "null")
        #expect(value["b"]?["c"]?.text == "x\"\\/\u{08}\u{0C}\n\r\tä😀ü")
        #expect(value["b"]?.line == 2)
        #expect(value["d"]?.integer == .min)
        #expect(value[""]?.integer == .max)
        #expect(value["none"] == nil)
        #expect(elements[0]["a"] == nil)
        #expect(value.members?.map(\.line) == [1, 2, 3, 3])
        #expect(try parse(" \t\r\n\"x\" ").text == "x")
    }

    @Test(arguments: [
        ("", 1, 1), (" ", 1, 2), ("{", 1, 2), ("[1,]", 1, 4), ("[1 2]", 1, 4), ("{\"a\":1,}", 1, 8), ("{a:1}", 1, 2),
        ("{\"a\" 1}", 1, 6), ("{\"a\":1}x", 1, 8), ("nul", 1, 1), ("True", 1, 1), ("01", 1, 2), ("-", 1, 2),
        ("+1", 1, 1),
        ("1.", 1, 3), (".5", 1, 1), ("1e", 1, 3), ("1e+", 1, 4), ("NaN", 1, 1), ("Infinity", 1, 1),
        ("9223372036854775808", 1, 1), ("-9223372036854775809", 1, 1), ("1e999", 1, 1),
        ("[\n \"ä\", x]", 2, 7), ("\"abc", 1, 5), ("\"a\nb\"", 1, 3), ("\"\\x\"", 1, 2), ("\"\\u12\"", 1, 2),
        ("\"\\u+123\"", 1, 2), ("\"\\ud800\"", 1, 2), ("\"\\ud800\\u0041\"", 1, 2), ("\"\\udc00\"", 1, 2),
        ("\"\\", 1, 2), ("\"\\u", 1, 2), ("'a'", 1, 1), ("/* */ 1", 1, 1), ("\u{FEFF}1", 1, 1), ("1\u{0}", 1, 2),
        ("{\"a\":1,\n\"a\":2}", 2, 1), ("{\"a\":1,\"\\u0061\":2}", 1, 8),
    ])
    func whatIsNoJSON(text: String, line: Int, column: Int) throws {
        let error = try #require(failure(Array(text.utf8)))
        #expect((error.line, error.column) == (line, column), "\(error)")
        #expect(error.description.hasPrefix("line \(line), column \(column): "))
    }

    /// Two spellings of one letter are two keys: readers that compare bytes see two.
    @Test func keysAreBytes() throws {
        #expect(try parse("{\"\\u00e4\":1,\"a\\u0308\":2}").members?.count == 2)
    }

    @Test func bounds() throws {
        let deep = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        _ = try parse(deep)
        #expect(failure(Array(("[" + deep + "]").utf8))?.reason.contains("16") == true)
        #expect(failure([UInt8](repeating: UInt8(ascii: "["), count: 1 << 20), limit: 1 << 20) != nil)
        let objects = String(repeating: "{\"a\":", count: 100_000)
        #expect(failure(Array(objects.utf8), limit: 1 << 20) != nil)
        #expect(try parse("\"abc\"", limit: 5).text == "abc")
        #expect(failure(Array("\"abc\"".utf8), limit: 4) != nil)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80], [0x80],
        ] as [[UInt8]])
    func badEncoding(bytes: [UInt8]) {
        #expect(failure([0x22] + bytes + [0x22])?.reason.contains("UTF-8") == true)
        #expect(failure(bytes) != nil)
    }

    /// Whatever is taken, another reader takes as well; nothing crashes.
    @Test func randomBytes() {
        let seed = UInt64.random(in: .min ... .max)
        print("JSONTests.randomBytes: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "\"a\"", "\"b\"", "1", "-1", "0.5", "1e9", "true", "null", "\\u",
            "d83d",
            "\\ud83d\\ude00", " ", "\n", "\u{1}", "ä",
        ]
        var taken = 0
        for _ in 0..<50_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                if Int.random(in: 0..<20, using: &generator) == 0 {
                    bytes.append(.random(in: .min ... .max, using: &generator))
                } else {
                    bytes += Array((pieces.randomElement(using: &generator) ?? "").utf8)
                }
            }
            guard failure(bytes) == nil else { continue }
            taken += 1
            let other = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            #expect(other != nil, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(taken > 100)
    }
}
