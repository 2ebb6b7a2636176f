internal import CLinux
import Glibc

/// A thread of the operating system.
///
/// File-system requests block, so they are served by threads, not by tasks.
public final class Thread: @unchecked Sendable {
    // Sendable: `handle` is set once before the initializer returns and read only by `join`.
    private var handle = pthread_t()

    /// Starts a thread that runs `body` and ends with it.
    ///
    /// - Parameter name: what the kernel's tools show, 15 bytes at most.
    /// - Throws: `EAGAIN` where no further thread can be made.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        let box = Unmanaged.passRetained(Start(name: String(name.prefix(15)), body: body))
        let code = pthread_create(&handle, nil, Self.entry, box.toOpaque())
        if code != 0 {
            box.release()
            throw Errno(code)
        }
    }

    /// Waits until the thread has ended. To be called once.
    public func join() { pthread_join(handle, nil) }

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        guard let argument else { return nil }
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        cl_set_thread_name(start.name)
        start.body()
        return nil
    }
}
