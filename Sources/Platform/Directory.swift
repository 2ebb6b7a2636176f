internal import CLinux
import Glibc

/// A directory held open, so that what is done in it cannot be led astray by a rename of its parents.
public struct Directory: Sendable {
    public let descriptor: FileDescriptor

    public init(descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// Opens a directory by path, relative to `parent` where that is given.
    public init(_ path: String, in parent: Directory? = nil) throws(Errno) {
        descriptor = try FileDescriptor.open(path, [.readOnly, .directory], in: parent?.descriptor)
    }

    /// Opens a file in it. The corresponding C function is `openat`.
    public func open(
        _ path: String, _ mode: FileDescriptor.Mode, permissions: UInt32 = 0o600
    ) throws(Errno) -> FileDescriptor {
        try FileDescriptor.open(path, mode, permissions: permissions, in: descriptor)
    }

    /// Makes a directory in it; one that is there already is no error.
    public func makeDirectory(_ path: String, permissions: UInt32 = 0o700) throws(Errno) {
        do throws(Errno) {
            _ = try retryingInterrupts { mkdirat(descriptor.rawValue, path, permissions) }
        } catch .exists {}
    }

    /// Renames in it, replacing what has the new name. The corresponding C function is `renameat`.
    public func rename(_ old: String, to new: String) throws(Errno) {
        _ = try retryingInterrupts { renameat(descriptor.rawValue, old, descriptor.rawValue, new) }
    }

    /// Renames in it, failing with `EEXIST` where the new name is taken. The corresponding C function is `renameat2`.
    public func renameExclusively(_ old: String, to new: String) throws(Errno) {
        _ = try retryingInterrupts {
            cl_renameat2(descriptor.rawValue, old, descriptor.rawValue, new, UInt32(CL_RENAME_NOREPLACE))
        }
    }

    /// Gives a file a second name. The corresponding C function is `linkat`.
    public func link(_ old: String, to new: String) throws(Errno) {
        _ = try retryingInterrupts { linkat(descriptor.rawValue, old, descriptor.rawValue, new, 0) }
    }

    /// Gives a file that lies in another directory a name in this one; a symbolic link itself, not what it leads to.
    /// The corresponding C function is `linkat`.
    public func link(_ old: String, of other: Directory, as new: String) throws(Errno) {
        _ = try retryingInterrupts { linkat(other.descriptor.rawValue, old, descriptor.rawValue, new, 0) }
    }

    /// Removes a name of a file. The corresponding C function is `unlinkat`.
    public func unlink(_ path: String) throws(Errno) {
        _ = try retryingInterrupts { unlinkat(descriptor.rawValue, path, 0) }
    }

    /// Removes an empty directory in it.
    public func removeDirectory(_ path: String) throws(Errno) {
        _ = try retryingInterrupts { unlinkat(descriptor.rawValue, path, AT_REMOVEDIR) }
    }

    /// What the kernel knows of a name in it, symbolic links not followed; nil where there is none.
    public func status(of path: String) throws(Errno) -> FileStatus? {
        var status = stat()
        do throws(Errno) {
            _ = try retryingInterrupts { fstatat(descriptor.rawValue, path, &status, AT_SYMLINK_NOFOLLOW) }
            return FileStatus(status)
        } catch .noEntry {
            return nil
        }
    }

    /// Writes the directory's own entries to the disk, so that names made or removed in it last.
    public func sync() throws(Errno) { try descriptor.sync() }

    /// Calls `body` with each name in the directory but `.` and `..`, in the order of the disk.
    ///
    /// Names that are no UTF-8 are passed over: nothing in a library makes them.
    public func forEachName(_ body: (String) throws(Errno) -> Void) throws(Errno) {
        try forEachNameBytes { (bytes) throws(Errno) in
            if let name = String(validating: bytes, as: UTF8.self) { try body(name) }
        }
    }

    /// Calls `body` with the bytes of each name in the directory but `.` and `..`, in the order of the disk.
    public func forEachNameBytes(_ body: ([UInt8]) throws(Errno) -> Void) throws(Errno) {
        let copy = try FileDescriptor.open(".", [.readOnly, .directory], in: descriptor)
        // fdopendir takes the descriptor over; duplicate it so that both owners close their own.
        let number = try retryingInterrupts { fcntl(copy.rawValue, F_DUPFD_CLOEXEC, 0) }
        guard let stream = fdopendir(number) else {
            let error = Errno.current
            close(number)
            throw error
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw .current }
                return
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { try body(name) }
        }
    }
}
