import Glibc
import Platform

/// Standard output, buffered; what cannot be written is a failure and no silence.
struct Output: ~Copyable {
    private var buffer: [UInt8] = []
    private let descriptor: Int32
    private static let flushSize = 1 << 16

    init(descriptor: Int32 = STDOUT_FILENO) { self.descriptor = descriptor }

    /// Whether a person looks at standard output.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes a whole text.
    static func print(_ text: String) throws(CommandFailure) {
        var output = Output()
        try output.write(text)
        try output.finish()
    }

    mutating func write(_ text: String) throws(CommandFailure) {
        buffer += text.utf8
        if buffer.count >= Self.flushSize { try flush() }
    }

    mutating func write(_ bytes: [UInt8]) throws(CommandFailure) {
        buffer += bytes
        if buffer.count >= Self.flushSize { try flush() }
    }

    /// Writes what is left.
    consuming func finish() throws(CommandFailure) { try flush() }

    private mutating func flush() throws(CommandFailure) {
        var done = 0
        while done < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            }
            if count < 0 {
                let error = Errno.current
                if error == .interrupted { continue }
                // The reader has seen enough, as with a pipe to head(1).
                if error.rawValue == EPIPE { throw CommandFailure(.outputFailed, "") }
                throw CommandFailure(.outputFailed, "the output could not be written: \(error).")
            }
            done += count
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
