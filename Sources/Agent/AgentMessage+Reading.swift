internal import PhotoLibrary
internal import Platform

/// From lines to messages. What is not exactly a message is refused.
extension AgentMessage.Answer {
    /// - Parameter line: without its line feed.
    public init(line: [UInt8]) throws(AgentMessage.Malformed) {
        let fields = try AgentMessage.Fields(line)
        guard try fields.text("type") == "answer" else {
            throw AgentMessage.Malformed(reason: "the type is not \"answer\"")
        }
        try fields.requireKeys(["type", "id", "decision", "scope"])
        id = try fields.identifier("id")
        decision = try fields.choice("decision")
        scope = try fields.choice("scope")
    }
}

extension AgentMessage.FromMount {
    /// - Parameter line: without its line feed.
    public init(line: [UInt8]) throws(AgentMessage.Malformed) {
        let fields = try AgentMessage.Fields(line)
        switch try fields.text("type") {
        case "hello": self = .hello(version: try fields.integer("version"), library: try fields.text("library"))
        case "question": self = .question(try fields.question())
        case "ready": self = .ready
        case "closed": self = .closed(id: try fields.identifier("id"), outcome: try fields.choice("outcome"))
        case "result":
            self = .result(
                id: try fields.identifier("id"), isAccepted: try fields.boolean("accepted"),
                reason: try fields.text("reason"))
        case "error": self = .error(reason: try fields.text("reason"))
        default: throw AgentMessage.Malformed(reason: "the type is unknown")
        }
    }
}

extension AgentMessage {
    /// The members of a message.
    fileprivate struct Fields {
        private let value: JSONValue

        init(_ line: [UInt8]) throws(Malformed) {
            do throws(JSONError) { value = try JSONParser.parse(line, limit: lineLimit) } catch {
                throw Malformed(reason: "the line is not JSON: column \(error.column): \(error.reason)")
            }
            guard value.members != nil else { throw Malformed(reason: "the line is not an object") }
        }

        func requireKeys(_ keys: [String]) throws(Malformed) {
            guard value.members?.count == keys.count, keys.allSatisfy({ value[$0] != nil }) else {
                throw Malformed(reason: "the keys have to be \(keys.joined(separator: ", "))")
            }
        }

        func text(_ key: String) throws(Malformed) -> String {
            guard let text = value[key]?.text else { throw Malformed(reason: "\(key) is not a text") }
            return text
        }

        func integer(_ key: String) throws(Malformed) -> Int64 {
            guard let number = value[key]?.integer else { throw Malformed(reason: "\(key) is not a whole number") }
            return number
        }

        func boolean(_ key: String) throws(Malformed) -> Bool {
            guard let boolean = value[key]?.boolean else { throw Malformed(reason: "\(key) is not true or false") }
            return boolean
        }

        func identifier(_ key: String) throws(Malformed) -> UInt64 {
            guard let number = UInt64(exactly: try integer(key)), number > 0 else {
                throw Malformed(reason: "\(key) is out of range")
            }
            return number
        }

        func number<Number: FixedWidthInteger>(_ key: String, _: Number.Type) throws(Malformed) -> Number {
            guard let number = Number(exactly: try integer(key)) else {
                throw Malformed(reason: "\(key) is out of range")
            }
            return number
        }

        func choice<Choice: RawRepresentable>(
            _ key: String
        ) throws(Malformed) -> Choice where Choice.RawValue == String {
            guard let choice = Choice(rawValue: try text(key)) else {
                throw Malformed(reason: "\(key) has a value that is unknown")
            }
            return choice
        }

        func question() throws(Malformed) -> AuthorizationQuestion {
            let levelName = try text("level")
            guard let level = AccessLevel.allCases.first(where: { $0.name == levelName }) else {
                throw Malformed(reason: "level has a value that is unknown")
            }
            guard let program = value["program"], program.text != nil || program.isNull else {
                throw Malformed(reason: "program is neither a text nor null")
            }
            return AuthorizationQuestion(
                id: try identifier("id"), uid: try number("user", UInt32.self), program: program.text,
                pid: try number("pid", Int32.self), level: level, operation: try text("operation"),
                path: try text("path"), asked: try integer("asked"), expires: try integer("expires"))
        }
    }
}

extension JSONValue {
    fileprivate var isNull: Bool { if case .null = content { true } else { false } }
}
