internal import CFuse
import Glibc
internal import Platform

/// What libfuse has to say, taken from its log so that it can be told in an error.
enum LibraryLog {
    private static let captured = Lock<[pthread_t: String]>([:])

    /// Runs `body` and returns what libfuse logged meanwhile on this thread.
    static func capturing<Result>(_ body: () -> Result) -> (result: Result, text: String) {
        _ = handler
        let thread = pthread_self()
        captured.withLock { $0[thread] = "" }
        let result = body()
        let text = captured.withLock { $0.removeValue(forKey: thread) } ?? ""
        return (result, text)
    }

    private static let handler: Void = fuse_set_log_func { _, format, arguments in
        guard let format, let arguments else { return }
        let line = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
            vsnprintf(buffer.baseAddress, buffer.count, format, arguments)
            return buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        write(line)
    }

    private static func write(_ line: String) {
        let thread = pthread_self()
        let isCaptured = captured.withLock { captured in
            if captured[thread] == nil { return false }
            captured[thread, default: ""] += line
            return true
        }
        guard !isCaptured else { return }
        // One call, so that lines of several threads do not mix. Nobody can be told if it fails.
        let bytes = Array(line.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
