import Foundation
import Glibc
import Platform
import Support
import Testing

@testable import cameraroll

@Suite struct OutputTests {
    /// What a writer wrote, by way of a file.
    private func written(_ body: (inout JSONWriter) throws -> Void) throws -> String {
        try withTemporaryPlace { place in
            let file = try Posix.open(place("out"), O_CREAT | O_RDWR)
            defer { try? Posix.close(file) }
            var json = JSONWriter(to: Output(descriptor: file))
            try body(&json)
            try json.finish()
            return try Files.text(place("out"))
        }
    }

    @Test func keysStayInOrder() throws {
        let text = try written { json in
            try json.beginObject()
            try json.member("b", "x")
            try json.member("a", 1 as Int64?)
            try json.key("list")
            try json.beginArray()
            try json.beginObject()
            try json.endObject()
            try json.value(true)
            try json.endArray()
            try json.member("none", nil as Double?)
            try json.member("texts", [])
            try json.endObject()
        }
        #expect(text == "{\"b\":\"x\",\"a\":1,\"list\":[{},true],\"none\":null,\"texts\":[]}\n")
    }

    @Test(arguments: [
        "plain", "", "\"quoted\" \\ back", "line\nfeed\ttab\r", "\u{00}\u{1F}\u{7F}\u{80}", "é e\u{301} 🎞️ 日本",
        "\u{2028}\u{202E}", "</script>",
    ])
    func textsComeBack(text: String) throws {
        let document = try written { json in
            try json.beginArray()
            try json.value(text)
            try json.endArray()
        }
        let read = try JSONDecoder().decode([String].self, from: Data(document.utf8))
        #expect(read.map { Array($0.utf8) } == [Array(text.utf8)])
        #expect(!document.dropLast().utf8.contains { $0 < 0x20 })
        // The command's own reader agrees.
        let values = try JSONParser.parse(Array(document.utf8), limit: 4096)
        #expect(values.elements?.first?.text.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test(arguments: [
        (0.0, "0.0"), (48.858222, "48.858222"), (-1.5e-7, "-1.5e-07"), (Double.nan, "null"), (Double.infinity, "null"),
    ])
    func numbers(number: Double, text: String) throws {
        let document = try written { json in
            try json.beginArray()
            try json.value(number)
            try json.endArray()
        }
        #expect(document == "[\(text)]\n")
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(document.utf8)) }
    }

    @Test(arguments: [
        ("plain name (1).jpg", "plain name (1).jpg"), ("-dash", "-dash"), ("日本 é", "日本 é"),
        ("a\nb", "$'a\\nb'"), ("it's\t\\", "$'it\\'s\\t\\\\'"), ("\u{1B}[31m", "$'\\u001b[31m'"),
        ("\u{202E}gpj", "$'\\u202egpj'"), ("\u{9B}31m", "$'\\u009b31m'"), ("$'x'", "$'$\\'x\\''"), ("it's", "it's"),
        ("a\r\nb", "$'a\\r\\nb'"),
    ])
    func names(name: String, shown: String) { #expect(DisplayText.name(name) == shown) }

    /// The shell reads the quoted form back.
    @Test(arguments: ["a\nb", "it's\t\\ x", "\u{1B}[31m\u{7F}", "\u{202E}gpj", "$'x'"])
    func shellReadsNamesBack(name: String) throws {
        let script = "export LC_ALL=C.UTF-8; printf %s \(DisplayText.name(name))"
        #expect(try require("bash", "-c", script).output == Array(name.utf8))
    }

    @Test(
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (999_949, "999.9 kB"),
            (999_951, "1.0 MB"),
            (1_500_000_000, "1.5 GB"), (Int64.max, "9.2 EB"),
        ] as [(Int64, String)])
    func byteCounts(bytes: Int64, text: String) { #expect(DisplayText.byteCount(bytes) == text) }

    @Test func messagesAreOneLine() {
        #expect(DisplayText.singleLine("a\nb\u{1B}") == "a\\nb\\u001b")
        #expect(DisplayText.excerpt(String(repeating: "é", count: 500)).count < 70)
    }
}
