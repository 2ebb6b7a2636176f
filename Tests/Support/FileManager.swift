import Foundation

/// A file manager on a test's desktop, driven by its keys.
///
/// Nothing tells when a file manager has drawn what it shows, and keys that come before are lost: what is done is done
/// again until the file system shows it.
public final class FileManagerWindow {
    private let session: DesktopSession
    private let program: RunningProgram
    private let title: (String) -> String

    /// Starts a file manager and waits until it shows a directory.
    ///
    /// - Parameter title: what its window is called when it shows a directory of a name; a regular expression.
    public init(
        _ command: String, showing directory: String, on session: DesktopSession, title: @escaping (String) -> String
    ) throws {
        self.session = session
        self.title = title
        program = try RunningProgram(command, [directory], environment: session.environment)
        try focus(directory)
    }

    public var isRunning: Bool { program.isRunning }

    private func focus(_ directory: String) throws {
        let name = String(directory.split(separator: "/").last ?? "")
        var window = ""
        try session.wait("\(name) is shown", timeout: 60) {
            window = try session.windows(title(name)).last ?? ""
            return !window.isEmpty
        }
        try session.focus(window)
    }

    /// Shows another directory, by the location bar.
    public func go(to directory: String) throws {
        try session.keys("ctrl+l", "ctrl+a")
        try session.type(directory)
        try session.keys("Return")
        try focus(directory)
        // What it lists is read and drawn after its name.
        usleep(400_000)
    }

    /// Selects a file by the first letters of its name.
    public func select(_ name: String) throws {
        try session.type(name)
        try session.keys("Escape")
    }

    /// Copies or cuts a file in one directory and pastes it in another, until it is there.
    public func paste(
        _ name: String, from source: String, into target: String, by key: String, until condition: () throws -> Bool
    ) throws {
        try session.wait("\(name) is in \(target)", timeout: 60) {
            try go(to: source)
            try select(name)
            try session.keys(key)
            try go(to: target)
            try session.keys("ctrl+v")
            return try session.soon { try condition() }
        }
    }

    /// Selects a file and presses a key; where that opens a window, answers it.
    ///
    /// - Parameter answer: what is typed into the window, before Return; nil where none opens.
    public func apply(
        _ key: String, to name: String, window: String? = nil, answer: String? = nil, until condition: () throws -> Bool
    ) throws {
        try session.wait("\(key) on \(name) is done", timeout: 60) {
            try select(name)
            try session.keys(key)
            if let window {
                let isAsked = try session.soon(within: 3) { try !session.windows(window).isEmpty }
                guard isAsked else { return try condition() }
                if let answer {
                    try session.keys("ctrl+a")
                    try session.type(answer)
                }
                try session.keys("Return")
            }
            return try session.soon { try condition() }
        }
    }

    public func close() {
        program.kill(SIGTERM)
        _ = program.wait(timeout: 10)
    }
}
