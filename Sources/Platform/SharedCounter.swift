internal import CLinux
import Glibc

/// A 64-bit counter in a file, mapped by every process that has the library open.
///
/// It tells a process at the cost of one memory read that another one changed something. It is a hint for
/// freshness only: what changed is read from the catalogue.
public final class SharedCounter: @unchecked Sendable {
    // Sendable: the mapping is set once; its one word is read and incremented atomically.
    private let address: UnsafeMutableRawPointer

    /// Maps the counter in `file`, which is made eight bytes long where it is shorter.
    public init(file: FileDescriptor) throws(Errno) {
        if try file.status().size < 8 { try file.truncate(to: 8) }
        let mapping = mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
        guard let mapping, mapping != MAP_FAILED else { throw .current }
        address = mapping
    }

    deinit { munmap(address, 8) }

    public var value: UInt64 { cl_atomic_load(address) }

    /// Adds one; every process sees the new value at its next read.
    public func increment() { _ = cl_atomic_increment(address) }

    /// Adds one and wakes those who wait. - Returns: the value that it has at least then.
    public func announce() -> UInt64 {
        _ = cl_atomic_increment(address)
        cl_futex_wake(address)
        return value
    }

    /// Sets it to a value, unless it is higher already, and wakes those who wait.
    public func raise(to value: UInt64) {
        cl_atomic_raise(address, value)
        cl_futex_wake(address)
    }

    /// Waits until the value is another one than `value`, in any process, or the time is up.
    ///
    /// - Parameter timeout: in nanoseconds. It may return earlier without a change.
    public func wait(while value: UInt64, timeout: Int64) {
        if self.value == value, timeout > 0 { cl_futex_wait(address, value, timeout) }
    }
}
