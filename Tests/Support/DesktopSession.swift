import Foundation
import Glibc

/// A desktop of its own for a test: an X server without a screen, a session bus, and a notification daemon that shows
/// buttons (the one of the MATE desktop).
public final class DesktopSession {
    public let environment: [String: String]
    private let display: RunningProgram
    private let bus: RunningProgram
    private var daemon: RunningProgram?
    /// What file managers rely on.
    private var services: [RunningProgram] = []

    private static let daemonPath = "/usr/lib/mate-notification-daemon/mate-notification-daemon"
    /// A bus that starts nothing by itself: what else is installed on this machine stays out of the test.
    private static let busSettings = """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:dir=%</listen>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
          </policy>
        </busconfig>
        """

    public init(in place: TemporaryPlace, hasDaemon: Bool = true) throws {
        display = try RunningProgram(
            "Xvfb", ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"])
        let settings = place("bus.conf")
        try Files.write(
            Array(Self.busSettings.replacingOccurrences(of: "%", with: place.path).utf8), to: settings)
        bus = try RunningProgram("dbus-daemon", ["--config-file=\(settings)", "--nofork", "--print-address=1"])
        let number = try Self.line(of: display, "Xvfb")
        environment = [
            "DISPLAY": ":" + number, "DBUS_SESSION_BUS_ADDRESS": try Self.line(of: bus, "dbus-daemon"),
            "HOME": place.path, "XDG_RUNTIME_DIR": place.path, "GSETTINGS_BACKEND": "memory",
        ]
        if hasDaemon { try startDaemon() }
    }

    /// Ends everything.
    public func close() {
        stopDaemon()
        for program in services.reversed() + [bus, display] {
            program.kill(SIGTERM)
            _ = program.wait(timeout: 10)
        }
    }

    /// Starts a notification daemon and waits until the bus knows it.
    public func startDaemon() throws {
        daemon = try RunningProgram(Self.daemonPath, [], environment: environment)
        try wait("the notification daemon is on the bus") {
            try call("org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", "org.freedesktop.Notifications")
                .stdout.contains("true")
        }
    }

    /// Starts what file managers rely on: a window manager, the desktop's trash, and a service that makes thumbnails.
    public func startFileManagerServices() throws {
        services.append(try RunningProgram("xfwm4", ["--compositor=off"], environment: environment))
        services.append(try RunningProgram("/usr/libexec/gvfsd", ["--no-fuse"], environment: environment))
        for directory in try Files.names(in: "/usr/lib") {
            let thumbnailer = "/usr/lib/\(directory)/tumbler-1/tumblerd"
            guard Files.exists(thumbnailer) else { continue }
            services.append(try RunningProgram(thumbnailer, [], environment: environment))
        }
        for name in ["org.gtk.vfs.Daemon", "org.freedesktop.thumbnails.Thumbnailer1"] {
            try wait("\(name) is on the bus") {
                try call("org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", name).stdout
                    .contains("true")
            }
        }
    }

    /// The visible windows whose name matches a regular expression, as the X server numbers them.
    public func windows(_ name: String) throws -> [String] {
        try run("xdotool", "search", "--onlyvisible", "--name", name, environment: environment, timeout: 10).lines
    }

    /// Gives a window the keyboard.
    public func focus(_ window: String) throws {
        _ = try run("xdotool", "windowfocus", "--sync", window, environment: environment, timeout: 5)
    }

    /// Presses keys, one after the other, such as `ctrl+c`.
    public func keys(_ keys: String...) throws { try self.keys(keys) }

    public func keys(_ keys: [String]) throws {
        try require("xdotool", arguments: ["key", "--delay", "40"] + keys, environment: environment)
    }

    public func type(_ text: String) throws {
        try require("xdotool", arguments: ["type", "--delay", "25", text], environment: environment)
    }

    /// Whether something becomes so within a few seconds.
    public func soon(within seconds: Double = 4, _ condition: () throws -> Bool) throws -> Bool {
        let deadline = Date().addingTimeInterval(seconds)
        while try !condition() {
            guard Date() < deadline else { return false }
            usleep(30_000)
        }
        return true
    }

    public func stopDaemon() {
        daemon?.kill(SIGTERM)
        _ = daemon?.wait(timeout: 10)
        daemon = nil
    }

    /// Calls a method on the bus.
    @discardableResult
    public func call(_ destination: String, _ path: String, _ method: String, _ arguments: String...) throws -> Outcome
    {
        try run(
            "gdbus",
            arguments: ["call", "--session", "--dest", destination, "--object-path", path, "--method", method]
                + arguments,
            environment: environment)
    }

    /// The notifications on the screen, as the X server numbers their windows.
    public func notifications() throws -> [String] {
        try run("xdotool", "search", "--onlyvisible", "--name", "^Critical Notification$", environment: environment)
            .lines
    }

    /// Waits for a notification and returns its window.
    public func notification() throws -> String {
        var found: [String] = []
        try wait("a notification is on the screen") {
            found = try notifications()
            return !found.isEmpty
        }
        // Its size is final once it is drawn.
        usleep(300_000)
        return found[0]
    }

    /// Presses a button in the row at the lower edge of a notification.
    ///
    /// - Parameter distance: how far its middle lies from the right edge, in pixels.
    public func press(at distance: Int, in window: String) throws {
        let geometry = try require("xdotool", "getwindowgeometry", "--shell", window, environment: environment).lines
        func number(_ key: String) -> Int {
            geometry.first { $0.hasPrefix(key + "=") }.flatMap { Int($0.dropFirst(key.count + 1)) } ?? 0
        }
        let x = number("WIDTH") - distance
        try require(
            "xdotool", "mousemove", "--window", window, "\(x)", "\(number("HEIGHT") - 27)", environment: environment)
        usleep(100_000)
        try require("xdotool", "click", "1", environment: environment)
    }

    /// Writes what is on the screen to a file in `CAMERAROLL_SCREENSHOTS`, where that is set (needs ImageMagick).
    public func takeScreenshot(_ name: String) {
        guard let directory = ProcessInfo.processInfo.environment["CAMERAROLL_SCREENSHOTS"] else { return }
        _ = try? run("import", "-window", "root", "\(directory)/\(name).png", environment: environment)
    }

    /// Waits until something is so.
    public func wait(_ what: String, timeout: Double = 20, _ condition: () throws -> Bool) throws {
        let deadline = Date().addingTimeInterval(timeout)
        while try !condition() {
            guard Date() < deadline else { throw HarnessError("waited in vain until \(what)") }
            usleep(20_000)
        }
    }

    private static func line(of program: RunningProgram, _ name: String) throws -> String {
        let deadline = Date().addingTimeInterval(20)
        while true {
            let output = program.outputSoFar
            if let end = output.firstIndex(of: "\n") { return String(output[..<end]) }
            guard Date() < deadline, program.isRunning else { throw HarnessError("\(name) did not start") }
            usleep(10_000)
        }
    }
}
