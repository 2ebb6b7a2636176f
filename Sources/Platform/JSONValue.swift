/// A value of a JSON document (RFC 8259), with the line on which it begins.
public struct JSONValue: Sendable {
    /// What the value is.
    public enum Content: Sendable {
        case null
        case boolean(Bool)
        /// A number without fraction and exponent.
        case integer(Int64)
        /// A number with fraction or exponent, finite.
        case number(Double)
        case text(String)
        case array([JSONValue])
        /// Members in the order of the document; no key occurs twice.
        case object([JSONMember])
    }

    public var content: Content
    /// Counted from 1.
    public var line: Int

    public init(_ content: Content, line: Int = 1) {
        self.content = content
        self.line = line
    }

    /// The member of that name; nil where this is no object or has none.
    public subscript(key: String) -> JSONValue? {
        members?.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// The members of an object, nil for anything else.
    public var members: [JSONMember]? { if case .object(let members) = content { members } else { nil } }

    /// The elements of an array, nil for anything else.
    public var elements: [JSONValue]? { if case .array(let elements) = content { elements } else { nil } }

    /// The text of a string, nil for anything else.
    public var text: String? { if case .text(let text) = content { text } else { nil } }

    /// The number of an integer, nil for anything else.
    public var integer: Int64? { if case .integer(let integer) = content { integer } else { nil } }

    /// True or false, nil for anything else.
    public var boolean: Bool? { if case .boolean(let boolean) = content { boolean } else { nil } }

    /// What kind of value it is, in words for a person.
    public var kindName: String {
        switch content {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .integer, .number: "a number"
        case .text: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// A key of an object and its value.
public struct JSONMember: Sendable {
    public var key: String
    public var value: JSONValue
    /// The line of the key, counted from 1.
    public var line: Int
}

/// Why something is no JSON document that is taken.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1.
    public var line: Int
    /// In characters of Unicode, counted from 1.
    public var column: Int
    /// A sentence without a full stop.
    public var reason: String

    public var description: String { "line \(line), column \(column): \(reason)" }
}
