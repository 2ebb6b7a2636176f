/// A JSON object of numbers and texts, as lines of logs and locks hold them. What is read comes from outside: the line
/// is bounded by the caller, nothing is nested, and nothing is believed that is not JSON (RFC 8259).
struct FlatJSON {
    enum Value: Equatable {
        case text(String)
        case integer(Int64)
        /// `true`, `false`, `null`, and numbers that are no 64-bit integer.
        case other
    }

    private(set) var values: [String: Value] = [:]

    func text(_ key: String) -> String? {
        if case .text(let text) = values[key] { text } else { nil }
    }

    func integer(_ key: String) -> Int64? {
        if case .integer(let number) = values[key] { number } else { nil }
    }

    /// Reads one object; nil for anything else.
    init?(_ bytes: some Collection<UInt8>) {
        var reader = Reader(rest: Array(bytes)[...])
        guard reader.take("{") else { return nil }
        if !reader.take("}") {
            repeat {
                guard let key = reader.takeText(), reader.take(":"), let value = reader.takeValue() else { return nil }
                values[key] = value
            } while reader.take(",")
            guard reader.take("}") else { return nil }
        }
        reader.skipSpace()
        guard reader.rest.isEmpty else { return nil }
    }
}

extension FlatJSON {
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func skipSpace() {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        }

        /// Takes a character after white space.
        mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func takeValue() -> Value? {
            skipSpace()
            guard let first = rest.first else { return nil }
            if first == UInt8(ascii: "\"") { return takeText().map { .text($0) } }
            let word = rest.prefix { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2B
                    || byte == 0x2E || byte == 0x45
            }
            guard !word.isEmpty else { return nil }
            rest = rest.dropFirst(word.count)
            let text = String(decoding: word, as: UTF8.self)
            if let number = Int64(text) { return .integer(number) }
            return Double(text) != nil || ["true", "false", "null"].contains(text) ? .other : nil
        }

        mutating func takeText() -> String? {
            guard take("\"") else { return nil }
            var bytes: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""): return String(validating: bytes, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let scalar = takeEscape() else { return nil }
                    bytes += String(Character(scalar)).utf8
                case 0..<0x20: return nil
                default: bytes.append(byte)
                }
            }
            return nil
        }

        private mutating func takeEscape() -> Unicode.Scalar? {
            switch rest.popFirst() {
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "b"): return "\u{08}"
            case UInt8(ascii: "f"): return "\u{0C}"
            case UInt8(ascii: "\""): return "\""
            case UInt8(ascii: "\\"): return "\\"
            case UInt8(ascii: "/"): return "/"
            case UInt8(ascii: "u"):
                guard let unit = takeUnit() else { return nil }
                guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
                // A character beyond 16 bits comes as two halves.
                guard rest.starts(with: [0x5C, 0x75]) else { return nil }
                rest = rest.dropFirst(2)
                guard let low = takeUnit(), (0xDC00..<0xE000).contains(low) else { return nil }
                return Unicode.Scalar(0x10000 + ((UInt32(unit) - 0xD800) << 10) + (UInt32(low) - 0xDC00))
            default: return nil
            }
        }

        private mutating func takeUnit() -> UInt16? {
            let digits = rest.prefix(4)
            guard digits.count == 4, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else {
                return nil
            }
            rest = rest.dropFirst(4)
            return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        }
    }
}
