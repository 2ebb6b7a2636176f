import Foundation
import Glibc
import Platform

/// How a library is mounted for a test.
public struct MountOptions: Sendable {
    /// What `--authorize` is given; nil leaves it out.
    public var authorize: String? = "read-write"
    /// What follows `-o`.
    public var options: [String] = []
    /// `TZ` of the mount process, the zone of dates that name none.
    public var zone = "UTC"
    /// Who makes and mounts the library; nil is the user who runs the test.
    public var user: TestUser?
    /// Where the library is made; nil is a temporary directory.
    public var libraryParent: String?
    /// What the mount process finds in `/etc/cameraroll/policy.json`; no other process of this machine does.
    public var policy: String?

    public init(
        authorize: String? = "read-write", options: [String] = [], zone: String = "UTC", user: TestUser? = nil,
        libraryParent: String? = nil, policy: String? = nil
    ) {
        self.authorize = authorize
        self.options = options
        self.zone = zone
        self.user = user
        self.libraryParent = libraryParent
        self.policy = policy
    }
}

/// A library of its own, mounted by the real command.
public final class MountedLibrary {
    public let place: TemporaryPlace
    /// The library's directory.
    public let library: String
    /// The mount point.
    public let root: String
    public var options: MountOptions
    /// The mount process, as found when the mount came up.
    public private(set) var pid: Int32 = 0

    public var dcim: String { root + "/DCIM" }

    /// Makes a library and mounts it.
    public init(_ options: MountOptions = MountOptions()) throws {
        self.options = options
        place = try TemporaryPlace()
        library = (options.libraryParent ?? place.path) + "/library"
        root = place("mount")
        try Files.makeDirectory(root)
        if let user = options.user {
            for path in [place.path, root, options.libraryParent].compactMap(\.self) {
                try Posix.check(chown(path, user.uid, user.gid))
            }
        }
        do {
            let made = try Product.run("init", library, user: options.user)
            guard made.succeeded else { throw HarnessError(made.description) }
            try preparePolicy()
            try mount()
        } catch {
            clear()
            removePolicy()
            place.remove()
            throw error
        }
    }

    /// Mounts the library again.
    public func mount() throws {
        var arguments = ["mount", library, root]
        if let level = options.authorize { arguments += ["--authorize", level] }
        if !options.options.isEmpty { arguments += ["-o", options.options.joined(separator: ",")] }
        let words = mountPrefix + [Product.command] + arguments
        let outcome = try run(
            words[0], arguments: Array(words.dropFirst()), environment: ["TZ": options.zone], user: options.user)
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
        guard Self.isMountPoint(root) else { throw HarnessError("\(outcome)\nbut nothing is mounted at \(root)") }
        pid = try mountProcess()
    }

    /// Unmounts with the product's own command.
    public func unmount() throws {
        let outcome = try Product.run("unmount", root, user: options.user)
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
        guard !Self.isMountPoint(root) else { throw HarnessError("\(outcome)\nbut \(root) is still mounted") }
        guard processes().isEmpty else { throw HarnessError("\(outcome)\nbut a mount process lives on") }
    }

    /// Unmounts and mounts again, perhaps in another zone.
    public func remount(zone: String? = nil) throws {
        try unmount()
        if let zone { options.zone = zone }
        try mount()
    }

    /// Ends the mount process as a crash would; the mount point stays behind.
    public func kill9() {
        kill(pid, SIGKILL)
        let deadline = Date().addingTimeInterval(10)
        while !processes().isEmpty, Date() < deadline { usleep(2000) }
    }

    /// The most memory that the mount process ever held, in bytes (`VmHWM`).
    public func peakMemory() throws -> Int64 {
        let status = try Files.text("/proc/\(pid)/status")
        for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
            if let kibibytes = Int64(line.filter(\.isNumber)) { return kibibytes * 1024 }
        }
        throw HarnessError("no VmHWM for process \(pid)")
    }

    public func assets(_ query: String...) throws -> [AssetRecord] {
        let outcome = try run(
            Product.command, arguments: ["find", library] + query + ["--json"], user: options.user)
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
        do {
            return try JSONDecoder().decode(AssetList.self, from: Data(outcome.output)).assets
        } catch {
            throw HarnessError("\(outcome.description)\nis not the JSON that is documented: \(error)")
        }
    }
    public func pendingFiles() throws -> [PendingList.File] {
        try Product.json("pending", library, as: PendingList.self, user: options.user).pending
    }
    public func trash() throws -> [TrashList.Item] {
        try Product.json("trash", library, "list", as: TrashList.self, user: options.user).trash
    }
    public func status() throws -> LibraryStatus { try Product.json("status", library, user: options.user) }

    /// Runs SQL on the catalogue with the `sqlite3` program.
    public func sql(_ statements: String) throws -> [String] {
        try require("sqlite3", "-batch", library + "/catalog.sqlite", statements).lines
    }

    /// Checks that the catalogue is sound. - Throws: what is wrong with it.
    public func requireWhole() throws {
        let outcome = try Product.run("status", library, "--json", user: options.user)
        guard outcome.succeeded else { throw HarnessError("the library is not sound: \(outcome)") }
        let found = try sql("PRAGMA integrity_check; PRAGMA foreign_key_check;")
        guard found == ["ok"] else {
            throw HarnessError("the catalogue is not sound: \(found.joined(separator: "; "))")
        }
    }

    /// Unmounts, checks that the library is whole, and removes it.
    public func close() throws {
        defer {
            clear()
            removePolicy()
            if ProcessInfo.processInfo.environment["CAMERAROLL_KEEP"] == nil { place.remove() }
        }
        if Self.isMountPoint(root) { try unmount() }
        try requireWhole()
    }

    /// Takes away what is left of the mount, by force where that is needed.
    public func clear() {
        for process in processes() { kill(process, SIGKILL) }
        var tries = 0
        while Self.isMountPoint(root), tries < 5 {
            _ = try? run("umount", "-l", root)
            tries += 1
        }
    }

    /// Whether a file system is mounted there, a dead one included.
    ///
    /// Asks for the device, since the kernel's table of mounts skips entries when it changes while it is read.
    public static func isMountPoint(_ path: String) -> Bool {
        do {
            let above = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
            guard let status = try Files.status(path), let parent = try Files.status(above) else { return false }
            return status.device != parent.device
        } catch {
            // A dead mount, or another user's: what is not mounted can be looked at.
            return true
        }
    }

    /// The processes whose command line names this mount point, by `/proc`.
    public func processes() -> [Int32] {
        guard let names = try? Files.names(in: "/proc") else { return [] }
        return names.compactMap { name in
            guard let process = Int32(name), let line = try? Files.read("/proc/\(name)/cmdline") else { return nil }
            let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            guard words.first?.hasSuffix("cameraroll") == true, words.contains(root) else { return nil }
            // A process that has ended but was not waited for serves nobody.
            guard let state = try? Files.text("/proc/\(name)/stat"), !state.contains(") Z ") else { return nil }
            return process
        }
    }

    private func mountProcess() throws -> Int32 {
        let found = processes()
        if found.count == 1 { return found[0] }
        if let mount = try status().mounts.first(where: { $0.mountpoint == root }) { return mount.pid }
        throw HarnessError("no single process serves \(root): \(found)")
    }
}

/// Runs `body` with a mounted library of its own, and cleans up whatever happens.
///
/// A mount that does not answer cannot hang the test: after `limit` seconds its process is killed, which makes every
/// waiting system call fail. Afterwards the library has to be whole, and nothing may be left mounted or running.
public func withMountedLibrary<Value>(
    _ options: MountOptions = MountOptions(), limit: Double = 180, _ body: (MountedLibrary) throws -> Value
) throws -> Value {
    let roll = try MountedLibrary(options)
    let watch = try Watchdog(limit: limit, roll: roll)
    let result: Value
    do {
        result = try body(roll)
    } catch {
        let expired = watch.stop()
        roll.printLog()
        try? roll.close()
        if expired { throw HarnessError("the mount did not answer for \(limit) seconds, then: \(error)") }
        throw error
    }
    let expired = watch.stop()
    if expired {
        roll.clear()
        roll.removePolicy()
        roll.place.remove()
        throw HarnessError("the test took more than \(limit) seconds: the mount process was killed")
    }
    try roll.close()
    return result
}

extension MountedLibrary {
    /// Shows what the library's own log says, for the reader of a failed test.
    func printLog() {
        guard let outcome = try? Product.run("log", library, user: options.user, timeout: 10) else { return }
        let last = outcome.lines.suffix(10)
        if !last.isEmpty { print("the log of \(library) ends with\n" + last.joined(separator: "\n")) }
    }
}

/// Kills a mount process when its time is up.
private final class Watchdog {
    private let monitor: Monitor<Bool>
    private let expired: Lock<Bool>
    private let thread: Platform.Thread

    init(limit: Double, roll: MountedLibrary) throws {
        let monitor = Monitor(false)
        let expired = Lock(false)
        let root = roll.root
        self.monitor = monitor
        self.expired = expired
        thread = try Platform.Thread(name: "watchdog") {
            let done: Bool? = monitor.wait(timeout: Int64(limit * 1e9)) { $0 ? true : nil }
            if done != nil { return }
            expired.withLock { $0 = true }
            Watchdog.killServers(of: root)
        }
    }

    /// Ends the watch. - Returns: whether the time had run out.
    func stop() -> Bool {
        monitor.update { $0 = true }
        thread.join()
        return expired.withLock { $0 }
    }

    private static func killServers(of root: String) {
        for name in (try? Files.names(in: "/proc")) ?? [] {
            guard let process = Int32(name), let line = try? Files.read("/proc/\(name)/cmdline") else { continue }
            let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            if words.first?.hasSuffix("cameraroll") == true, words.contains(root) { kill(process, SIGKILL) }
        }
    }
}
