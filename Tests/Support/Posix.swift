internal import CLinux
import Glibc
public import Platform

/// System calls as a C program makes them, each throwing the `errno` that it set.
public enum Posix {
    /// - Throws: `errno` where the result of a call is negative.
    @discardableResult
    public static func check<Value: BinaryInteger>(_ result: Value) throws(Errno) -> Value {
        if result < 0 { throw Errno.current }
        return result
    }

    /// `openat`, with `O_CLOEXEC` added.
    public static func open(_ path: String, _ flags: Int32, _ mode: UInt32 = 0o644) throws(Errno) -> Int32 {
        try check(cl_openat(AT_FDCWD, path, flags | O_CLOEXEC, mode))
    }

    /// Closes a descriptor. - Throws: what the file system said when the file was closed.
    public static func close(_ file: Int32) throws(Errno) { try check(Glibc.close(file)) }

    public static func write(_ file: Int32, _ bytes: some Collection<UInt8>) throws(Errno) -> Int {
        let bytes = Array(bytes)
        return try check(Glibc.write(file, bytes, bytes.count))
    }

    public static func pwrite(_ file: Int32, _ bytes: [UInt8], at offset: Int) throws(Errno) -> Int {
        try check(Glibc.pwrite(file, bytes, bytes.count, off_t(offset)))
    }

    /// Reads up to `count` bytes at `offset`, fewer at the end of the file.
    public static func pread(_ file: Int32, count: Int, at offset: Int) throws(Errno) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let done = try check(Glibc.pread(file, &buffer, count, off_t(offset)))
        return Array(buffer[..<done])
    }

    public static func truncate(_ file: Int32, to size: Int) throws(Errno) { try check(ftruncate(file, off_t(size))) }
    public static func sync(_ file: Int32) throws(Errno) { try check(fsync(file)) }

    /// What `fstat` tells of an open file.
    public static func status(_ file: Int32) throws(Errno) -> FileStatus {
        // A duplicate, because the descriptor object closes what it owns.
        let copy = try check(fcntl(file, F_DUPFD_CLOEXEC, 0))
        return try FileDescriptor(owning: copy).status()
    }

    public static func unlink(_ path: String) throws(Errno) { try check(Glibc.unlink(path)) }
    public static func makeDirectory(_ path: String, _ mode: UInt32 = 0o755) throws(Errno) {
        try check(mkdir(path, mode))
    }
    public static func removeDirectory(_ path: String) throws(Errno) { try check(rmdir(path)) }
    public static func link(_ old: String, _ new: String) throws(Errno) { try check(Glibc.link(old, new)) }
    public static func symlink(_ target: String, _ path: String) throws(Errno) {
        try check(Glibc.symlink(target, path))
    }

    /// How a rename treats what has the new name (renameat2(2)).
    public enum RenameMode: UInt32, Sendable, CaseIterable {
        case replace = 0
        case noReplace = 1
        case exchange = 2
        case whiteout = 4
    }

    public static func rename(_ old: String, _ new: String, _ mode: RenameMode = .replace) throws(Errno) {
        try check(cl_renameat2(AT_FDCWD, old, AT_FDCWD, new, mode.rawValue))
    }

    public static func setMode(_ path: String, _ mode: UInt32) throws(Errno) { try check(chmod(path, mode)) }

    /// Where a symbolic link points.
    public static func readLink(_ path: String) throws(Errno) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = try check(readlink(path, &buffer, buffer.count))
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// `fallocate`; `mode` holds `FALLOC_FL_…` bits.
    public static func allocate(_ file: Int32, mode: Int32 = 0, at offset: Int, count: Int) throws(Errno) {
        try check(cl_fallocate(file, mode, Int64(offset), Int64(count)))
    }

    /// `lseek` with `SEEK_DATA` or `SEEK_HOLE`.
    public static func seek(_ file: Int32, toHole: Bool, from offset: Int) throws(Errno) -> Int {
        Int(try check(lseek(file, off_t(offset), toHole ? cl_seek_hole : cl_seek_data)))
    }

    public static func copyRange(
        from source: Int32, at offset: Int, to target: Int32, at targetOffset: Int, count: Int
    ) throws(Errno) -> Int {
        var from = Int64(offset)
        var to = Int64(targetOffset)
        return Int(try check(cl_copy_file_range(source, &from, target, &to, count)))
    }
}

/// The errno that `body` throws, nil where it throws none. Any other error counts as the errno -1.
public func failure(of body: () throws -> Void) -> Errno? {
    do {
        try body()
        return nil
    } catch {
        return error as? Errno ?? Errno(rawValue: -1)
    }
}
