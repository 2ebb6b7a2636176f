internal import CLinux
import Glibc

/// Waiting for several descriptors at once (poll(2)).
public enum Poll {
    /// What is waited for at a descriptor.
    public struct Interest: OptionSet, Sendable {
        public let rawValue: Int16
        public init(rawValue: Int16) { self.rawValue = rawValue }
        public static let reading = Interest(rawValue: Int16(POLLIN))
        public static let writing = Interest(rawValue: Int16(POLLOUT))
    }

    /// A descriptor to wait for, and then what it is ready for.
    public struct Entry: Sendable {
        public var descriptor: FileDescriptor
        public var interest: Interest
        /// A read returns at once: with data, the end, or an error.
        public fileprivate(set) var isReadable = false
        public fileprivate(set) var isWritable = false

        public init(_ descriptor: FileDescriptor, _ interest: Interest) {
            self.descriptor = descriptor
            self.interest = interest
        }
    }

    /// Waits until one is ready, or until the time is up.
    ///
    /// - Parameter timeout: nanoseconds; nil waits for ever.
    /// - Returns: whether one is ready.
    @discardableResult
    public static func wait(_ entries: inout [Entry], timeout: Int64?) throws(Errno) -> Bool {
        let deadline = timeout.map { Clock.monotonic() &+ $0 }
        var list = entries.map { pollfd(fd: $0.descriptor.rawValue, events: $0.interest.rawValue, revents: 0) }
        var count: Int32 = 0
        while true {
            var milliseconds: Int32 = -1
            if let deadline {
                // Rounded up: a wait that ends too early would be made again and again.
                let left = max(0, deadline - Clock.monotonic())
                milliseconds = Int32(clamping: (left &+ 999_999) / 1_000_000)
            }
            count = poll(&list, nfds_t(list.count), milliseconds)
            if count >= 0 { break }
            let error = Errno.current
            if error != .interrupted { throw error }
        }
        for index in entries.indices {
            let found = Int32(list[index].revents)
            let isBroken = found & (Int32(POLLERR) | Int32(POLLHUP) | Int32(POLLNVAL)) != 0
            entries[index].isReadable = found & Int32(POLLIN) != 0 || isBroken
            entries[index].isWritable = found & Int32(POLLOUT) != 0
        }
        return count > 0
    }
}

/// Wakes a thread that waits in `Poll.wait` (eventfd(2)).
public final class WakeUp: Sendable {
    /// Readable once it was signalled.
    public let descriptor: FileDescriptor

    public init() throws(Errno) {
        descriptor = FileDescriptor(owning: try retryingInterrupts { cl_eventfd() })
    }

    /// Wakes the thread, now or when it next waits. May be called from any thread.
    public func signal() {
        var one: UInt64 = 1
        // It fails only where it was signalled 2^64 - 2 times before.
        _ = write(descriptor.rawValue, &one, 8)
    }

    /// Takes the signals that have come.
    public func clear() {
        var count: UInt64 = 0
        _ = read(descriptor.rawValue, &count, 8)
    }
}
