import Foundation

/// A file manager on a test's desktop, driven by its keys.
///
/// Nothing tells when a file manager has drawn what it shows, and keys that come before are lost: what is done is done
/// again until the file system shows it.
public final class FileManagerWindow {
    /// How a file manager is told what to show.
    public enum Steering: Sendable {
        /// A path typed into its location bar, and the first letters of a name.
        case typing
        /// A call of `org.freedesktop.FileManager1`, as programs make it to show a file in its folder. Nautilus completes
        /// what is typed into its location bar while more comes, and opens `DCIMIM`; letters make it search.
        case bus
    }

    private let session: DesktopSession
    private let program: RunningProgram
    private let title: (String) -> String
    private let steering: Steering
    /// What is shown now.
    private var directory: String

    /// Starts a file manager and waits until it shows a directory.
    ///
    /// - Parameter title: what its window is called when it shows a directory of a name; a regular expression.
    public init(
        _ command: String, showing directory: String, on session: DesktopSession, steering: Steering = .typing,
        title: @escaping (String) -> String
    ) throws {
        self.session = session
        self.steering = steering
        self.title = title
        self.directory = directory
        program = try RunningProgram(
            command, [directory],
            environment: session.environment.merging(Self.plainDrawing, uniquingKeysWith: { $1 }))
        try focus(directory)
    }

    public var isRunning: Bool { program.isRunning }

    /// GTK 4 draws with OpenGL, which takes seconds without a graphics card, and looks for a bus for accessibility.
    private static let plainDrawing = [
        "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "LIBGL_ALWAYS_SOFTWARE": "1", "GTK_A11Y": "none",
        "NO_AT_BRIDGE": "1",
    ]

    /// Calls the file manager by the interface that the desktops share.
    private func call(_ method: String, _ path: String) throws {
        let address = URL(fileURLWithPath: path).absoluteString
        let outcome = try session.call(
            "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1." + method,
            "['\(address)']", "")
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
    }

    private func focus(_ directory: String) throws {
        let name = String(directory.split(separator: "/").last ?? "")
        var window = ""
        try session.wait("\(name) is shown", timeout: 150) {
            window = try session.windows(title(name)).last ?? ""
            return !window.isEmpty
        }
        try session.focus(window)
    }

    /// Shows another directory: in the same window, or, where it is called by the bus, in one for each directory.
    public func go(to directory: String) throws {
        switch steering {
        case .typing:
            try session.keys("ctrl+l", "ctrl+a")
            try session.type(directory)
            try session.keys("Return")
        case .bus: try call("ShowFolders", directory)
        }
        self.directory = directory
        try focus(directory)
        // What it lists is read and drawn after its name.
        usleep(400_000)
    }

    /// Selects a file in the directory that is shown.
    public func select(_ name: String) throws {
        switch steering {
        case .typing:
            try session.type(name)
            try session.keys("Escape")
        case .bus:
            try call("ShowItems", directory + "/" + name)
            try focus(directory)
            // Nothing tells when it is selected.
            usleep(500_000)
        }
    }

    /// Copies or cuts a file in one directory and pastes it in another, until it is there.
    public func paste(
        _ name: String, from source: String, into target: String, by key: String, until condition: () throws -> Bool
    ) throws {
        try session.wait("\(name) is in \(target)", timeout: 150) {
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
        try session.wait("\(key) on \(name) is done", timeout: 150) {
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
