internal import CFuse
import Glibc
internal import Platform

/// Tells the kernel what it keeps that is out of date.
///
/// Names and pages are dropped by a thread of its own: the kernel takes locks for them that a client may hold while it
/// waits for the very request that asks for the drop.
final class Notifier: KernelNotifier, Sendable {
    private let state = Monitor(State())
    private let thread = Lock<Thread?>(nil)

    private enum Notice: Hashable {
        case contents(UInt64)
        case entry(parent: UInt64, name: FileName)
    }

    private struct State {
        /// libfuse's session, which sends notices from any thread; valid until `close` returns.
        var session: OpaquePointer?
        /// Notices can be taken: the session serves.
        var isOpen = false
        /// The thread ends.
        var isClosed = false
        /// Calls of other threads that are inside libfuse.
        var callers = 0
        /// Waiting notices with their numbers, oldest first, and their numbers by notice.
        var queue: [Notice] = []
        var head = 0
        var numbers: [Notice: UInt64] = [:]
        /// Numbers count up from 1, in the order in which the notices are sent.
        var last: UInt64 = 0
        var sent: UInt64 = 0

        var waiting: Int { queue.count - head }
    }

    /// How many notices may wait before those who add to them are slowed down.
    private static let limit = 16384
    /// How long one who adds to a full queue waits for room, in nanoseconds. After that it adds all the same: a notice
    /// that is lost would leave a stale name or page for good.
    private static let patience: Int64 = 1_000_000_000

    /// Starts the thread. Notices are taken from `open` on.
    func start(on session: OpaquePointer) throws(Errno) {
        state.update { $0.session = session }
        let started = try Thread(name: "fuse-notify") { self.send() }
        thread.withLock { $0 = started }
    }

    func open() { state.update { $0.isOpen = true } }

    /// Drops what waits, lets a notice on its way arrive, and ends the thread. After that calls do nothing.
    ///
    /// To be called while requests are still served, or after the kernel closed the connection: a notice on its way may
    /// wait for a request's answer.
    func close() {
        state.update { state in
            state.isOpen = false
            state.isClosed = true
            state.queue = []
            state.head = 0
            state.numbers = [:]
            state.sent = state.last
        }
        _ = state.wait { $0.callers == 0 ? true : nil }
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    func dropAttributes(of inode: UInt64) {
        let session = state.update { state -> OpaquePointer? in
            guard state.isOpen, let session = state.session else { return nil }
            state.callers += 1
            return session
        }
        guard let session else { return }
        // A negative offset leaves the pages alone, and with them the locks. ENOENT: the kernel does not know the inode.
        _ = fuse_lowlevel_notify_inval_inode(session, inode, -1, 0)
        state.update { $0.callers -= 1 }
    }

    func dropContents(of inode: UInt64, waiting: Int64) { add(.contents(inode), waiting: waiting) }

    func dropEntry(_ name: FileName, in parent: UInt64, waiting: Int64) {
        add(.entry(parent: parent, name: name), waiting: waiting)
    }

    private func add(_ notice: Notice, waiting: Int64) {
        _ = state.wait(timeout: Self.patience) { state in
            !state.isOpen || state.waiting < Self.limit || state.numbers[notice] != nil ? true : nil
        }
        let number = state.update { state -> UInt64? in
            guard state.isOpen else { return nil }
            // One that has not been sent yet will tell of this change too.
            if let number = state.numbers[notice] { return number }
            state.last += 1
            state.queue.append(notice)
            state.numbers[notice] = state.last
            return state.last
        }
        guard waiting > 0, let number else { return }
        _ = state.wait(timeout: waiting) { $0.sent >= number ? true : nil }
    }

    /// The thread: sends one notice after the other until the notifier is closed.
    private func send() {
        SignalMask.blockAll()
        guard let session = state.update({ $0.session }) else { return }
        while let notice = next() {
            switch notice {
            case .contents(let inode):
                _ = fuse_lowlevel_notify_inval_inode(session, inode, 0, 0)
            case .entry(let parent, let name):
                // libfuse sends the terminator along, which it does not count.
                let text = name.bytes.map(CChar.init(bitPattern:)) + [0]
                _ = fuse_lowlevel_notify_inval_entry(session, parent, text, name.bytes.count)
            }
            state.update { if !$0.isClosed { $0.sent += 1 } }
        }
    }

    private func next() -> Notice? {
        let next: Notice?? = state.wait { state -> Notice?? in
            if state.isClosed { return .some(nil) }
            guard state.head < state.queue.count else { return nil }
            let notice = state.queue[state.head]
            state.head += 1
            state.numbers[notice] = nil
            if state.head > 1024, state.head * 2 > state.queue.count {
                state.queue.removeFirst(state.head)
                state.head = 0
            }
            return .some(notice)
        }
        return next ?? nil
    }
}
