/// Text from outside as a terminal can show it safely.
enum DisplayText {
    /// A name or path: as it is, or in the shell's `$'…'` form where it holds what would end the line, steer the
    /// terminal or turn the reading direction.
    static func name(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) || text.utf8.starts(with: "$'".utf8) else { return text }
        var result = "$'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case "\\": result += "\\\\"
            case "'": result += "\\'"
            default:
                if isUnsafe(scalar) {
                    result += "\\u" + hexadecimal(scalar.value, digits: 4)
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "'"
    }

    /// A message on one line.
    static func singleLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                result += scalar == "\n" ? "\\n" : "\\u" + hexadecimal(scalar.value, digits: 4)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// An argument inside a message, cut where it is long.
    static func excerpt(_ text: String) -> String {
        let limit = 60
        guard text.utf8.count > limit else { return name(text) }
        return name(String(text.unicodeScalars.prefix(limit))) + "…"
    }

    /// The text with spaces behind it, in characters.
    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// A number of bytes as a person reads it, in powers of 1000.
    static func byteCount(_ bytes: Int64) -> String {
        let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 999.95, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        if unit == 0 { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// Control characters of both ranges, line and paragraph separators, and marks that turn the direction.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C, 0xFEFF: true
        default: false
        }
    }

    private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
