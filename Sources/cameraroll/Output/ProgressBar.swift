import Glibc
import Platform

/// One line at the foot of a terminal that tells how far a command is. Elsewhere it shows nothing.
struct ProgressBar {
    private let isShown: Bool
    private let files: Int
    private let bytes: Int64
    private var drawn: Int64 = 0
    private var isOnScreen = false
    /// Nanoseconds between two drawings.
    private static let interval: Int64 = 100_000_000

    /// Whether a person would see one.
    static var hasTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// - Parameters:
    ///   - files: how many there are to do.
    ///   - bytes: how many bytes these hold.
    init(files: Int, bytes: Int64) {
        isShown = Self.hasTerminal
        self.files = files
        self.bytes = bytes
    }

    /// Draws how far it is, where some time has passed since it last did.
    mutating func show(files done: Int, bytes doneBytes: Int64, name: String) {
        guard isShown else { return }
        let now = Clock.monotonic()
        if isOnScreen, now - drawn < Self.interval { return }
        drawn = now
        isOnScreen = true
        StandardError.writeText("\r\u{1B}[K" + line(done, doneBytes, name))
    }

    /// Takes the line away, so that others can be written.
    mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        drawn = 0
        StandardError.writeText("\r\u{1B}[K")
    }

    private func line(_ done: Int, _ doneBytes: Int64, _ name: String) -> String {
        let width = Self.columns
        let share = bytes > 0 ? min(1, Double(max(0, doneBytes)) / Double(bytes)) : 1
        let cells = 20
        let full = Int((share * Double(cells)).rounded(.down))
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: cells - full)
        let text =
            "\(bar) \(done)/\(files)  \(DisplayText.byteCount(doneBytes)) of \(DisplayText.byteCount(bytes))  "
            + DisplayText.name(name)
        // One column stays free, or some terminals begin another line.
        return String(text.prefix(max(cells, width - 1)))
    }

    private static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return 80 }
        return Int(size.ws_col)
    }
}
