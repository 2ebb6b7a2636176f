import Glibc
public import Platform

/// Files by direct system calls, for what a test prepares or looks at.
///
/// Every descriptor is closed on exec: one that leaked into a program of another test would keep a mount busy.
public enum Files {
    /// Makes a file that holds `bytes`, or replaces its contents.
    ///
    /// - Throws: the first error, that of `close` included.
    public static func write(_ bytes: [UInt8], to path: String, append: Bool = false) throws(Errno) {
        let flags = O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC)
        let file = try Posix.open(path, flags, 0o644)
        do {
            var done = 0
            while done < bytes.count { done += try Posix.write(file, bytes[done...]) }
        } catch {
            _ = try? Posix.close(file)
            throw error
        }
        try Posix.close(file)
    }

    /// The whole contents of a small file.
    public static func read(_ path: String) throws(Errno) -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly)
        var bytes: [UInt8] = []
        while true {
            let next = try file.readBytes(1 << 20, at: Int64(bytes.count))
            if next.isEmpty { return bytes }
            bytes += next
        }
    }

    /// The contents of a small text file.
    public static func text(_ path: String) throws(Errno) -> String {
        String(decoding: try read(path), as: UTF8.self)
    }

    /// What `lstat` tells; nil where there is no such file.
    public static func status(_ path: String) throws(Errno) -> FileStatus? {
        do {
            return try Directory("/").status(of: path)
        } catch .notDirectory {
            return nil
        }
    }

    /// `lstat` of a file that has to be there.
    public static func existing(_ path: String) throws -> FileStatus {
        guard let status = try status(path) else { throw HarnessError("\(path) is not there") }
        return status
    }

    /// Whether there is a file of that name (symbolic links not followed).
    public static func exists(_ path: String) -> Bool { (try? status(path)) ?? nil != nil }

    /// The names in a directory, sorted by their bytes, without `.` and `..`.
    public static func names(in path: String) throws(Errno) -> [String] {
        var names: [String] = []
        try Directory(path).forEachName { name throws(Errno) in names.append(name) }
        return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    }

    /// The paths of all that is no directory below `path`, relative to it, sorted.
    public static func tree(_ path: String) throws(Errno) -> [String] {
        var found: [String] = []
        for name in try names(in: path) {
            let status = try status("\(path)/\(name)")
            if status?.kind == .directory {
                found += try tree("\(path)/\(name)").map { "\(name)/\($0)" }
            } else {
                found.append(name)
            }
        }
        return found
    }

    /// Makes a directory; one that is there already is no error.
    public static func makeDirectory(_ path: String, permissions: UInt32 = 0o755) throws(Errno) {
        do {
            try Posix.check(mkdir(path, permissions))
        } catch .exists {}
    }

    /// Whether two files hold the same bytes; neither is read whole into memory.
    public static func sameContents(_ one: String, _ other: String) throws(Errno) -> Bool {
        let first = try FileDescriptor.open(one, .readOnly)
        let second = try FileDescriptor.open(other, .readOnly)
        var position: Int64 = 0
        while true {
            let left = try first.readBytes(1 << 20, at: position)
            let right = try second.readBytes(1 << 20, at: position)
            if left != right { return false }
            if left.isEmpty { return true }
            position += Int64(left.count)
        }
    }

    /// The text of an extended attribute, nil where there is none.
    public static func attribute(_ name: String, of path: String) throws(Errno) -> String? {
        let value = try FileDescriptor.open(path, .readOnly).attribute(name)
        return value.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Sets modification and access time, nanoseconds since 1970 UTC.
    public static func setTimes(_ path: String, to nanoseconds: Int64) throws(Errno) {
        let time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        try Posix.check(utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW))
    }

    /// The space that a directory tree takes on the disk, in bytes, each inode counted once.
    public static func spaceUsed(by path: String) throws -> Int64 {
        let outcome = try require("du", "-s", "-B1", path)
        guard let field = outcome.stdout.split(separator: "\t").first, let bytes = Int64(field) else {
            throw HarnessError(outcome.description)
        }
        return bytes
    }
}

/// A directory of its own for one test, removed with everything in it by `remove`.
public struct TemporaryPlace: Sendable {
    public let path: String

    /// Makes a new directory in `parent`.
    public init(in parent: String = temporaryRoot) throws {
        var template = Array((parent + "/cameraroll-test-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw HarnessError("no temporary directory in \(parent): \(Errno.current)")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        chmod(path, 0o755)
    }

    /// The path of `name` in it.
    public func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes the directory; never descends into a file system mounted in it.
    public func remove() { _ = try? run("rm", "-rf", "--one-file-system", path) }
}

/// Runs `body` with a directory of its own.
public func withTemporaryPlace<Result>(_ body: (TemporaryPlace) throws -> Result) throws -> Result {
    let place = try TemporaryPlace()
    defer { place.remove() }
    return try body(place)
}
