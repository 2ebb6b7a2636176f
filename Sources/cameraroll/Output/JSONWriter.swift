import PhotoLibrary

/// Writes one JSON document (RFC 8259) to the output as it goes; keys come in the order in which they are written.
struct JSONWriter: ~Copyable {
    private var output: Output
    /// For each open object or array: whether something stands in it already.
    private var levels: [Bool] = []
    private var isAfterKey = false

    init(to output: consuming Output = Output()) { self.output = output }

    mutating func beginObject() throws(CommandFailure) { try open("{") }
    mutating func endObject() throws(CommandFailure) { try close("}") }
    mutating func beginArray() throws(CommandFailure) { try open("[") }
    mutating func endArray() throws(CommandFailure) { try close("]") }

    mutating func key(_ name: String) throws(CommandFailure) {
        try separate()
        try output.write(JSONText.quoted(name) + ":")
        isAfterKey = true
    }

    mutating func value(_ text: String?) throws(CommandFailure) {
        try scalar(text.map { JSONText.quoted($0) } ?? "null")
    }

    mutating func value(_ number: Double?) throws(CommandFailure) {
        // JSON has neither infinity nor "not a number".
        try scalar(number.flatMap { $0.isFinite ? "\($0)" : nil } ?? "null")
    }

    mutating func value(_ truth: Bool) throws(CommandFailure) { try scalar(truth ? "true" : "false") }
    mutating func null() throws(CommandFailure) { try scalar("null") }

    mutating func member(_ name: String, _ text: String?) throws(CommandFailure) {
        try key(name)
        try value(text)
    }

    mutating func member(_ name: String, _ number: Int64?) throws(CommandFailure) {
        try key(name)
        try scalar(number.map { "\($0)" } ?? "null")
    }

    mutating func member(_ name: String, _ number: Double?) throws(CommandFailure) {
        try key(name)
        try value(number)
    }

    mutating func member(_ name: String, _ truth: Bool) throws(CommandFailure) {
        try key(name)
        try value(truth)
    }

    mutating func member(_ name: String, _ texts: [String]) throws(CommandFailure) {
        try key(name)
        try beginArray()
        for text in texts { try value(text) }
        try endArray()
    }

    /// Ends the document with a line feed and writes out what is left.
    consuming func finish() throws(CommandFailure) {
        try output.write("\n")
        try output.finish()
    }

    private mutating func open(_ bracket: String) throws(CommandFailure) {
        try separate()
        try output.write(bracket)
        levels.append(false)
    }

    private mutating func close(_ bracket: String) throws(CommandFailure) {
        _ = levels.popLast()
        try output.write(bracket)
    }

    private mutating func scalar(_ text: String) throws(CommandFailure) {
        try separate()
        try output.write(text)
    }

    private mutating func separate() throws(CommandFailure) {
        if isAfterKey {
            isAfterKey = false
            return
        }
        guard let last = levels.indices.last else { return }
        if levels[last] { try output.write(",") }
        levels[last] = true
    }
}
