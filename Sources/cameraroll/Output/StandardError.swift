import Glibc
import Platform

/// Lines for a person, apart from the results.
enum StandardError {
    /// Writes lines in one call, so that those of several processes do not mix.
    static func write(_ lines: [String]) { writeText(lines.joined(separator: "\n") + "\n") }

    /// Writes a question; the answer follows it on the line.
    static func ask(_ question: String) { writeText(question) }

    /// Writes text as it is.
    static func writeText(_ text: String) {
        let file = FileDescriptor(owning: dup(STDERR_FILENO))
        guard file.rawValue >= 0 else { return }
        // Nobody can be told if that fails.
        try? file.append(text)
    }

    /// Something that a person may want to know, though it hinders nothing.
    static func note(_ text: String) { write([DisplayText.singleLine("cameraroll: \(text)")]) }
}
