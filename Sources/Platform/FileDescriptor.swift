internal import CLinux
import Glibc

/// An open file, closed when the last reference to it goes.
///
/// Shared by the threads that serve requests on one file; every operation names its own offset, so that
/// no two of them race for the descriptor's position.
public final class FileDescriptor: Sendable {
    /// The kernel's number of this open file, valid for as long as this object lives.
    public let rawValue: Int32

    /// Takes over an open descriptor.
    public init(owning rawValue: Int32) { self.rawValue = rawValue }

    deinit { close(rawValue) }

    /// How a file is opened (`open(2)`); `O_CLOEXEC` is always added.
    public struct Mode: OptionSet, Sendable {
        public let rawValue: Int32
        public init(rawValue: Int32) { self.rawValue = rawValue }
        public static let readOnly = Mode(rawValue: O_RDONLY)
        public static let writeOnly = Mode(rawValue: O_WRONLY)
        public static let readWrite = Mode(rawValue: O_RDWR)
        public static let create = Mode(rawValue: O_CREAT)
        public static let exclusive = Mode(rawValue: O_EXCL)
        public static let truncate = Mode(rawValue: O_TRUNC)
        public static let append = Mode(rawValue: O_APPEND)
        public static let directory = Mode(rawValue: O_DIRECTORY)
        public static let noFollow = Mode(rawValue: O_NOFOLLOW)
        public static let nonBlocking = Mode(rawValue: O_NONBLOCK)
        public static let pathOnly = Mode(rawValue: cl_o_path)
    }

    /// Opens a file by path, relative to `directory` where that is given. The corresponding C function is `openat`.
    public static func open(
        _ path: String, _ mode: Mode, permissions: UInt32 = 0o600, in directory: FileDescriptor? = nil
    ) throws(Errno) -> FileDescriptor {
        let base = directory?.rawValue ?? AT_FDCWD
        let number = try retryingInterrupts { cl_openat(base, path, mode.rawValue | O_CLOEXEC, permissions) }
        return FileDescriptor(owning: number)
    }

    /// Reads up to the buffer's size at `offset`; 0 at or past the end. May return less than asked for.
    /// The corresponding C function is `pread`.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        try retryingInterrupts { pread(rawValue, buffer.baseAddress, buffer.count, off_t(offset)) }
    }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Returns: the number of bytes read; less than the buffer's size only at the end of the file.
    public func readFully(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try read(into: rest, at: offset + Int64(done))
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// A file without a name that holds some bytes, for reading.
    public static func temporary(holding bytes: [UInt8]) throws(Errno) -> FileDescriptor {
        guard let stream = tmpfile() else { throw .current }
        defer { fclose(stream) }
        let copy = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .current }
        let file = FileDescriptor(owning: copy)
        try file.append(String(decoding: bytes, as: UTF8.self))
        return file
    }

    /// A file in memory that has no name, for bytes that find no place on the disk. The corresponding C function is
    /// `memfd_create`.
    public static func inMemory(holding bytes: [UInt8]) throws(Errno) -> FileDescriptor {
        let file = FileDescriptor(owning: try retryingInterrupts { cl_memfd("cameraroll") })
        try file.write(bytes, at: 0)
        return file
    }

    /// Writes all bytes at `offset`.
    public func write(_ bytes: [UInt8], at offset: Int64) throws(Errno) {
        var failure: Errno?
        bytes.withUnsafeBytes { buffer in
            do throws(Errno) { try writeFully(buffer, at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Reads up to `count` bytes at `offset` into an array; shorter at the end of the file.
    ///
    /// For headers and records of a bounded size, never for whole files.
    public func readBytes(_ count: Int, at offset: Int64) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(Errno) {
                initialized = try readFully(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
                initialized = 0
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes the whole buffer at `offset`. The corresponding C function is `pwrite`, repeated.
    public func writeFully(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
            let count = try retryingInterrupts {
                pwrite(rawValue, rest.baseAddress, rest.count, off_t(offset + Int64(done)))
            }
            if count == 0 { throw .ioError }
            done += count
        }
    }

    /// Writes the text at the descriptor's position, or at its end where it was opened to append, in one call.
    public func append(_ text: String) throws(Errno) {
        var text = text
        var failure: Errno?
        text.withUTF8 { bytes in
            do throws(Errno) {
                var done = 0
                while done < bytes.count {
                    done += try retryingInterrupts {
                        Glibc.write(rawValue, bytes.baseAddress! + done, bytes.count - done)
                    }
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// What the kernel knows of the file. The corresponding C function is `fstat`.
    public func status() throws(Errno) -> FileStatus {
        var status = stat()
        _ = try retryingInterrupts { fstat(rawValue, &status) }
        return FileStatus(status)
    }

    /// Sets the length in bytes; a longer file is filled with a hole. The corresponding C function is `ftruncate`.
    public func truncate(to size: Int64) throws(Errno) {
        _ = try retryingInterrupts { ftruncate(rawValue, off_t(size)) }
    }

    /// Reserves or punches space. `mode` holds `FALLOC_FL_…` bits (fallocate(2)).
    public func allocate(mode: Int32, at offset: Int64, count: Int64) throws(Errno) {
        _ = try retryingInterrupts { cl_fallocate(rawValue, mode, offset, count) }
    }

    /// Writes data and metadata to the disk. The corresponding C function is `fsync`.
    public func sync() throws(Errno) { _ = try retryingInterrupts { fsync(rawValue) } }

    /// Writes data, and the metadata needed to read it, to the disk. The corresponding C function is `fdatasync`.
    public func syncData() throws(Errno) { _ = try retryingInterrupts { fdatasync(rawValue) } }

    /// Starts writing dirty pages of a range out, without waiting; a hint, so that a later sync is short.
    public func startWriteback(at offset: Int64, count: Int64) {
        _ = cl_sync_file_range(rawValue, offset, count, UInt32(CL_SYNC_RANGE_WRITE))
    }

    /// Tells the kernel that the file is about to be read from start to end.
    public func adviseSequential() { _ = posix_fadvise(rawValue, 0, 0, POSIX_FADV_SEQUENTIAL) }

    /// Where the next data at or after `offset` begins; `ENXIO` where there is none (lseek(2), SEEK_DATA).
    public func nextData(after offset: Int64) throws(Errno) -> Int64 {
        Int64(try retryingInterrupts { lseek(rawValue, off_t(offset), cl_seek_data) })
    }

    /// Where the next hole at or after `offset` begins, the end counting as one (lseek(2), SEEK_HOLE).
    public func nextHole(after offset: Int64) throws(Errno) -> Int64 {
        Int64(try retryingInterrupts { lseek(rawValue, off_t(offset), cl_seek_hole) })
    }

    /// Copies a range to another file inside the kernel, sharing blocks where the file system can.
    ///
    /// - Returns: the number of bytes copied; 0 at the end of the file.
    public func copyRange(
        at offset: Int64, to target: FileDescriptor, at targetOffset: Int64, count: Int
    ) throws(Errno) -> Int {
        var from = offset
        var to = targetOffset
        return try retryingInterrupts { cl_copy_file_range(rawValue, &from, target.rawValue, &to, count) }
    }

    /// Makes this empty file hold what `source` holds: shared blocks where the file system can, else a copy
    /// inside the kernel, else by reading and writing; holes kept.
    public func copyContents(of source: FileDescriptor) throws(Errno) {
        try copyContents(of: source, step: 64 << 20) { (_) throws(Errno) in }
    }

    /// The same in steps.
    ///
    /// - Parameters:
    ///   - step: the most bytes between two calls of `progress`.
    ///   - progress: called with the number of bytes done so far; what it throws ends the copy.
    public func copyContents(
        of source: FileDescriptor, step largest: Int, progress: (Int64) throws(Errno) -> Void
    ) throws(Errno) {
        if cl_clone(rawValue, source.rawValue) == 0 { return }
        let size = try source.status().size
        var position: Int64 = 0
        while position < size {
            let start: Int64
            do throws(Errno) {
                start = try source.nextData(after: position)
            } catch .noDevice {
                break
            }
            let end = try source.nextHole(after: start)
            position = start
            while position < end {
                let step = Int(min(end - position, Int64(largest)))
                let count = try copySome(of: source, at: position, count: step)
                if count == 0 { break }
                position += Int64(count)
                try progress(position)
            }
            if position < end { break }
        }
        try truncate(to: size)
    }

    /// Copies up to `count` bytes to the same place. - Returns: how many; 0 only at the end of the source.
    private func copySome(of source: FileDescriptor, at position: Int64, count: Int) throws(Errno) -> Int {
        do throws(Errno) {
            let copied = try source.copyRange(at: position, to: self, at: position, count: count)
            if copied > 0 { return copied }
        } catch {
            // Two file systems, or one that has no such call: copy_file_range(2).
            guard [.crossDevice, .notSupported, .notImplemented, .invalid].contains(error) else { throw error }
        }
        let bytes = try source.readBytes(min(count, 1 << 20), at: position)
        var failure: Errno?
        bytes.withUnsafeBytes { buffer in
            do throws(Errno) { try writeFully(buffer, at: position) } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes.count
    }

    /// The value of an extended attribute, nil where the file has none of that name.
    public func attribute(_ name: String) throws(Errno) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        do throws(Errno) {
            let count = try retryingInterrupts { cl_fgetxattr(rawValue, name, &buffer, buffer.count) }
            return Array(buffer[..<count])
        } catch .noData {
            return nil
        }
    }

    /// Sets an extended attribute. The corresponding C function is `fsetxattr`.
    public func setAttribute(_ name: String, to value: [UInt8]) throws(Errno) {
        _ = try retryingInterrupts { cl_fsetxattr(rawValue, name, value, value.count, 0) }
    }

    /// Removes an extended attribute; one that is not there is no error. The corresponding C function is `fremovexattr`.
    public func removeAttribute(_ name: String) throws(Errno) {
        do throws(Errno) {
            _ = try retryingInterrupts { cl_fremovexattr(rawValue, name) }
        } catch .noData {}
    }

    /// Sets access and modification time, nanoseconds since 1970 UTC. The corresponding C function is `futimens`.
    public func setTimes(access: Int64, modification: Int64) throws(Errno) {
        let times = [timespec(nanoseconds: access), timespec(nanoseconds: modification)]
        _ = try retryingInterrupts { futimens(rawValue, times) }
    }

    /// Takes an advisory lock on the whole file; returns false where another process has it (flock(2), without waiting).
    public func tryLock(shared: Bool = false) throws(Errno) -> Bool {
        do throws(Errno) {
            _ = try retryingInterrupts { flock(rawValue, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
            return true
        } catch .wouldBlock {
            return false
        }
    }

    /// Space and limits of the file system that the file lies on. The corresponding C function is `fstatfs`.
    public func fileSystem() throws(Errno) -> FileSystemStatus {
        var status = cl_filesystem()
        _ = try retryingInterrupts { cl_fstatfs(rawValue, &status) }
        return FileSystemStatus(
            type: status.type, blockSize: status.block_size, fragmentSize: status.fragment_size,
            blocks: status.blocks, blocksFree: status.blocks_free, blocksAvailable: status.blocks_available,
            files: status.files, filesFree: status.files_free)
    }
}

/// Space of a file system. Blocks count in units of `fragmentSize` bytes.
public struct FileSystemStatus: Sendable {
    public var type: UInt64
    /// The size of a good read or write, in bytes.
    public var blockSize: UInt64
    public var fragmentSize: UInt64
    public var blocks: UInt64
    public var blocksFree: UInt64
    /// Blocks that an ordinary user may still fill.
    public var blocksAvailable: UInt64
    public var files: UInt64
    public var filesFree: UInt64

    public init(
        type: UInt64, blockSize: UInt64, fragmentSize: UInt64, blocks: UInt64, blocksFree: UInt64,
        blocksAvailable: UInt64, files: UInt64, filesFree: UInt64
    ) {
        self.type = type
        self.blockSize = blockSize
        self.fragmentSize = fragmentSize
        self.blocks = blocks
        self.blocksFree = blocksFree
        self.blocksAvailable = blocksAvailable
        self.files = files
        self.filesFree = filesFree
    }
}

extension timespec {
    /// A time as the kernel takes it, from nanoseconds since 1970 UTC; times before that round down.
    init(nanoseconds: Int64) {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let borrow = remainder < 0
        self.init(
            tv_sec: Int(borrow ? quotient - 1 : quotient),
            tv_nsec: Int(borrow ? remainder + 1_000_000_000 : remainder))
    }
}
