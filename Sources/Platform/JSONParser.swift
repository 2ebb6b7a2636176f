/// Reads JSON (RFC 8259) that comes from outside: size, depth and numbers are bounded, and nothing is taken that two
/// readers could understand in two ways (a key given twice, half of a surrogate pair, bytes that are no UTF-8).
public struct JSONParser {
    /// Objects and arrays inside each other, at most.
    public static let depthLimit = 16

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0

    /// Reads one document.
    ///
    /// - Parameter limit: the most bytes that are looked at.
    /// - Throws: a `JSONError` that names the place.
    public static func parse(_ bytes: [UInt8], limit: Int) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        guard bytes.count <= limit else { throw parser.error("longer than \(limit) bytes") }
        parser.skipSpace()
        let value = try parser.takeValue(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.error("something follows the end of the document") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    // MARK: Characters

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next {
            switch byte {
            case 0x20, 0x09, 0x0D: position += 1
            case 0x0A:
                position += 1
                line += 1
                lineStart = position
            default: return
            }
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// - Parameter place: a byte of the current line; nil is where the reader stands.
    private func error(_ reason: String, at place: Int? = nil) -> JSONError {
        // Bytes that continue a character count as none.
        let before = bytes[lineStart..<max(lineStart, place ?? position)]
        return JSONError(line: line, column: before.count { $0 & 0xC0 != 0x80 } + 1, reason: reason)
    }

    private func unexpected(_ wanted: String) -> JSONError {
        guard let byte = next else { return error("the document ends where \(wanted) should stand") }
        let found =
            (0x21..<0x7F).contains(byte)
            ? "'\(Character(Unicode.Scalar(byte)))'" : "the byte \(String(byte, radix: 16))"
        return error("\(found) stands where \(wanted) should stand")
    }

    // MARK: Values

    private mutating func takeValue(depth: Int) throws(JSONError) -> JSONValue {
        let start = line
        guard let first = next else { throw unexpected("a value") }
        switch first {
        case UInt8(ascii: "{"): return JSONValue(.object(try takeObject(depth: depth + 1)), line: start)
        case UInt8(ascii: "["): return JSONValue(.array(try takeArray(depth: depth + 1)), line: start)
        case UInt8(ascii: "\""): return JSONValue(.text(try takeText()), line: start)
        case UInt8(ascii: "-"), 0x30...0x39: return JSONValue(try takeNumber(), line: start)
        case UInt8(ascii: "t"): return JSONValue(try takeWord("true", .boolean(true)), line: start)
        case UInt8(ascii: "f"): return JSONValue(try takeWord("false", .boolean(false)), line: start)
        case UInt8(ascii: "n"): return JSONValue(try takeWord("null", .null), line: start)
        default: throw unexpected("a value")
        }
    }

    private mutating func takeWord(
        _ word: String, _ content: JSONValue.Content
    ) throws(JSONError) -> JSONValue.Content {
        guard bytes[position...].starts(with: word.utf8) else { throw unexpected("a value") }
        position += word.utf8.count
        return content
    }

    private mutating func takeArray(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= Self.depthLimit else { throw error("nested more than \(Self.depthLimit) deep") }
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return elements }
        while true {
            skipSpace()
            elements.append(try takeValue(depth: depth))
            skipSpace()
            if take(",") { continue }
            if take("]") { return elements }
            throw unexpected("a comma or ]")
        }
    }

    private mutating func takeObject(depth: Int) throws(JSONError) -> [JSONMember] {
        guard depth <= Self.depthLimit else { throw error("nested more than \(Self.depthLimit) deep") }
        position += 1
        var members: [JSONMember] = []
        var keys: Set<[UInt8]> = []
        skipSpace()
        if take("}") { return members }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
            let start = position
            let key = try takeText()
            // Compared by their bytes: to Swift two ways to write an accent are one key.
            guard keys.insert(Array(key.utf8)).inserted else { throw error("a key is given twice", at: start) }
            let keyLine = line
            skipSpace()
            guard take(":") else { throw unexpected("a colon") }
            skipSpace()
            members.append(JSONMember(key: key, value: try takeValue(depth: depth), line: keyLine))
            skipSpace()
            if take(",") { continue }
            if take("}") { return members }
            throw unexpected("a comma or }")
        }
    }

    // MARK: Numbers

    private mutating func takeNumber() throws(JSONError) -> JSONValue.Content {
        let start = position
        _ = take("-")
        if !take("0") { try takeDigits() }
        var isInteger = true
        if take(".") {
            isInteger = false
            try takeDigits()
        }
        if take("e") || take("E") {
            isInteger = false
            if !take("+") { _ = take("-") }
            try takeDigits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let number = Int64(text) { return .integer(number) }
        if !isInteger, let number = Double(text), number.isFinite { return .number(number) }
        throw error("the number is too large", at: start)
    }

    private mutating func takeDigits() throws(JSONError) {
        guard let first = next, (0x30...0x39).contains(first) else { throw unexpected("a digit") }
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
    }

    // MARK: Texts

    private mutating func takeText() throws(JSONError) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let result = String(validating: text, as: UTF8.self) else {
                    throw error("the text is not UTF-8", at: start)
                }
                return result
            case UInt8(ascii: "\\"):
                let scalar = try takeEscape()
                text += Array(String(Character(scalar)).utf8)
            case 0..<0x20:
                throw error(
                    "a control character stands in a text; write it as \\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
                )
            default:
                text.append(byte)
                position += 1
            }
        }
        throw error("the document ends inside a text")
    }

    private mutating func takeEscape() throws(JSONError) -> Unicode.Scalar {
        let start = position
        position += 1
        let byte = next
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "u"):
            let unit = try takeUnit(start)
            if let scalar = Unicode.Scalar(unit) { return scalar }
            // A character beyond 16 bits comes as two halves.
            guard unit < 0xDC00, bytes[position...].starts(with: [0x5C, 0x75]) else {
                throw error("half of a surrogate pair", at: start)
            }
            position += 2
            let low = try takeUnit(start)
            guard (0xDC00..<0xE000).contains(low),
                let scalar = Unicode.Scalar(0x10000 + ((UInt32(unit) - 0xD800) << 10) + (UInt32(low) - 0xDC00))
            else { throw error("half of a surrogate pair", at: start) }
            return scalar
        default: throw error("no escape that JSON knows", at: start)
        }
    }

    private mutating func takeUnit(_ start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw error("\\u needs four hexadecimal digits", at: start)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
