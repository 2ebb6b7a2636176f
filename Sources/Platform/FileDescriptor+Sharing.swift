internal import CLinux
import Glibc

/// What others do with a file, and whether two hold the same.
extension FileDescriptor {
    /// Whether some process has the file open for writing.
    ///
    /// A read lease is granted only where nobody does (fcntl(2), F_SETLEASE); it is given back at once. Where the file
    /// system knows no leases, or the file belongs to somebody else, nobody can tell: true.
    public var mayBeWrittenElsewhere: Bool { cl_check_no_writers(rawValue) != 0 }

    /// Sets the permission bits. The corresponding C function is `fchmod`.
    public func setPermissions(_ bits: UInt32) throws(Errno) {
        _ = try retryingInterrupts { fchmod(rawValue, bits) }
    }

    /// Whether another file holds the same bytes.
    public func holdsSame(as other: FileDescriptor) throws(Errno) -> Bool {
        guard try status().size == other.status().size else { return false }
        var position: Int64 = 0
        while true {
            let mine = try readBytes(1 << 18, at: position)
            guard try mine == other.readBytes(1 << 18, at: position) else { return false }
            if mine.isEmpty { return true }
            position += Int64(mine.count)
        }
    }
}
