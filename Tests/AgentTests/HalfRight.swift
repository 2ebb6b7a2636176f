import Support

/// Lines that are nearly an answer to an open question, and none.
struct HalfRight {
    struct Message {
        var line: [UInt8]
        /// It is well formed, though it answers no open question.
        var isMessage = false

        init(_ text: String, isMessage: Bool = false) { self.init(Array(text.utf8), isMessage: isMessage) }
        init(_ bytes: [UInt8], isMessage: Bool = false) {
            line = bytes.filter { $0 != 0x0A } + [0x0A]
            self.isMessage = isMessage
        }
    }

    let id: UInt64
    private let right: String
    private let idMember: String

    init(id: UInt64) {
        self.id = id
        idMember = "\"id\":\(id)"
        right = "{\"type\":\"answer\",\"id\":\(id),\"decision\":\"full\",\"scope\":\"user\"}"
    }

    func message(_ generator: inout SeededGenerator) -> Message {
        switch Int.random(in: -6..<14, using: &generator) {
        case ...4: wrongQuestion(&generator)
        case 5: wrongNumber(&generator)
        case 6: wrongType(&generator)
        case 7: wrongDecision(&generator)
        case 8: Message(Array(right.utf8.prefix(Int.random(in: 0..<right.utf8.count, using: &generator))))
        case 9: oversized(&generator)
        case 10: nested(&generator)
        case 11: doubled(&generator)
        case 12: damaged(&generator)
        default: random(&generator)
        }
    }

    private func pick(_ texts: [String], _ generator: inout SeededGenerator) -> String {
        texts[Int.random(in: 0..<texts.count, using: &generator)]
    }

    private func wrongQuestion(_ generator: inout SeededGenerator) -> Message {
        let wrong = UInt64.random(in: (id + 1)...UInt64(Int64.max), using: &generator)
        return Message(right.replacing(idMember, with: "\"id\":\(wrong)"), isMessage: true)
    }

    private func wrongNumber(_ generator: inout SeededGenerator) -> Message {
        let numbers: [String] = [
            "0", "-1", "-\(id)", "\(id).0", "\(id)e0", "1e400", "9223372036854775808", "18446744073709551617", "01",
            "+1",
            "0x1", "NaN", "4294967297.5",
        ]
        return Message(right.replacing(idMember, with: "\"id\":" + pick(numbers, &generator)))
    }

    private func wrongType(_ generator: inout SeededGenerator) -> Message {
        let values: [String] = ["null", "true", "[]", "{}", "\"\(id)\"", "[\(id)]", "{\"id\":\(id)}", "\"\""]
        let value = pick(values, &generator)
        let members: [String] = ["\"answer\"", "\(id)", "\"full\"", "\"user\""]
        let member = pick(members, &generator)
        return Message(right.replacing(":" + member, with: ":" + value))
    }

    private func wrongDecision(_ generator: inout SeededGenerator) -> Message {
        let words: [String] = ["Full", "full ", "allow", "", "deny\\u0000", "authorized", "add only", "fulL", "3"]
        return Message(right.replacing("\"full\"", with: "\"" + pick(words, &generator) + "\""))
    }

    private func oversized(_ generator: inout SeededGenerator) -> Message {
        let padding = String(repeating: " ", count: Int.random(in: 4096...9000, using: &generator))
        return Message("{" + padding + right.dropFirst())
    }

    private func nested(_ generator: inout SeededGenerator) -> Message {
        let depth = Int.random(in: 1...600, using: &generator)
        if Bool.random(using: &generator) {
            return Message(String(repeating: "[", count: depth) + right + String(repeating: "]", count: depth))
        }
        return Message(right.replacing("\"user\"", with: String(repeating: "{\"a\":", count: depth)))
    }

    private func doubled(_ generator: inout SeededGenerator) -> Message {
        let members: [String] = [
            idMember, "\"decision\":\"full\"", "\"scope\":\"user\"", "\"more\":1", "\"\\u0069d\":\(id)",
        ]
        return Message("{" + pick(members, &generator) + "," + right.dropFirst())
    }

    /// A byte changed to one that no answer has.
    private func damaged(_ generator: inout SeededGenerator) -> Message {
        var bytes = Array(right.utf8)
        let others: [UInt8] = [0, 1, 0x1F, 0x80, 0xC0, 0xFF]
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[index] = others[Int.random(in: 0..<others.count, using: &generator)]
        return Message(bytes)
    }

    private func random(_ generator: inout SeededGenerator) -> Message {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0..<64, using: &generator) {
            bytes.append(UInt8.random(in: .min ... .max, using: &generator))
        }
        return Message(bytes)
    }
}
