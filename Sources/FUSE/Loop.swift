internal import CFuse
import Glibc
internal import Platform

/// The threads that take requests from the kernel and serve them.
///
/// It starts with a few and makes another whenever all are busy, up to a limit, since a handler may block for seconds.
/// Threads are kept: making and ending them under load costs nearly half the speed.
final class Loop: @unchecked Sendable {
    // Sendable: libfuse's session takes and answers requests on any thread; `pool` and `progress` protect themselves.
    private let session: OpaquePointer
    private let limit: Int
    private let pool = Lock(Pool())
    private let progress = Monitor(Progress())

    private struct Pool {
        var workers: [Worker] = []
        /// Workers whose thread could not be made.
        var vacant: [Int] = []
        var threads: [Thread] = []
        /// How many wait for a request.
        var receiving = 0
        var isStopping = false
    }

    private struct Worker {
        var thread = pthread_t()
        var isReceiving = false
    }

    /// Apart from the pool, so that a request wakes nobody.
    private struct Progress {
        var live = 0
        var isStopRequested = false
        var isDisconnected = false
        var failure: Errno?
    }

    /// Why the loop has to end.
    enum Event {
        /// Every thread has ended, since the kernel closed the connection.
        case disconnected
        /// Somebody asked for it, or taking requests failed.
        case stopRequested
    }

    private static let initialCount = 4

    init(session: OpaquePointer, limit: Int) {
        self.session = session
        self.limit = max(1, limit)
    }

    /// Starts the first threads.
    ///
    /// - Throws: `EAGAIN` where not even one could be made.
    func start() throws(Errno) {
        for index in 0..<min(Self.initialCount, limit) {
            do throws(Errno) {
                try addWorker()
            } catch  where index > 0 {
                return
            }
        }
    }

    /// Asks for the end. May be called from any thread, before the start too.
    func requestStop() { progress.update { $0.isStopRequested = true } }

    func waitForEvent() -> Event {
        progress.wait { progress in
            if progress.isStopRequested { return .stopRequested }
            return progress.live == 0 ? .disconnected : nil
        } ?? .stopRequested
    }

    /// The kernel has closed the connection: nothing is mounted any more, or the connection was cut.
    var isDisconnected: Bool { progress.update { $0.isDisconnected } }

    /// What went wrong with taking requests, if that ended the loop.
    var failure: Errno? { progress.update { $0.failure } }

    /// Waits until every thread has ended by itself; false after `timeout` nanoseconds.
    func waitUntilEnded(timeout: Int64) -> Bool {
        progress.wait(timeout: timeout) { $0.live == 0 ? true : nil } ?? false
    }

    /// Makes every thread end once its present request is answered, and waits for that.
    func stop() {
        var pause: Int64 = 1_000_000
        while true {
            pool.withLock { pool in
                pool.isStopping = true
                for worker in pool.workers where worker.isReceiving { SignalMask.wake(worker.thread) }
            }
            // The signal is lost on a thread that is just about to wait: again, until all have gone.
            if waitUntilEnded(timeout: pause) { return }
            pause = min(pause * 2, 50_000_000)
        }
    }

    /// Joins the threads, which have ended or are about to.
    func join() {
        let threads = pool.withLock { pool in
            defer { pool.threads = [] }
            return pool.threads
        }
        for thread in threads { thread.join() }
    }

    /// Adds a thread, where the limit allows it.
    private func addWorker() throws(Errno) {
        let reserved = pool.withLock { pool -> Int? in
            if let index = pool.vacant.popLast() { return index }
            guard pool.workers.count < limit else { return nil }
            pool.workers.append(Worker())
            return pool.workers.count - 1
        }
        guard let index = reserved else { return }
        progress.update { $0.live += 1 }
        do throws(Errno) {
            let thread = try Thread(name: "fuse-\(index)") { self.work(index) }
            pool.withLock { $0.threads.append(thread) }
        } catch {
            pool.withLock { $0.vacant.append(index) }
            progress.update { $0.live -= 1 }
            throw error
        }
    }

    /// One thread: takes and serves requests until the loop stops or the connection is closed.
    private func work(_ index: Int) {
        SignalMask.blockAllButWake()
        pool.withLock { $0.workers[index].thread = pthread_self() }
        var buffer = fuse_buf()
        while beginReceiving(index) {
            let result = fuse_session_receive_buf(session, &buffer)
            if endReceiving(index, gotRequest: result > 0) {
                // Without a further thread requests wait for the present ones; they are not lost.
                try? addWorker()
            }
            if result > 0 {
                fuse_session_process_buf(session, &buffer)
            } else if result == 0 {
                progress.update { $0.isDisconnected = true }
                break
            } else if result != -EINTR, result != -EAGAIN {
                progress.update { progress in
                    progress.failure = Errno(-result)
                    progress.isStopRequested = true
                }
                break
            }
        }
        free(buffer.mem)
        progress.update { $0.live -= 1 }
    }

    /// False where the thread has to end.
    private func beginReceiving(_ index: Int) -> Bool {
        pool.withLock { pool in
            if pool.isStopping { return false }
            pool.workers[index].isReceiving = true
            pool.receiving += 1
            return true
        }
    }

    /// - Returns: true where this thread has a request and no other waits for the next one, so that one more is needed.
    private func endReceiving(_ index: Int, gotRequest: Bool) -> Bool {
        pool.withLock { pool in
            pool.workers[index].isReceiving = false
            pool.receiving -= 1
            return gotRequest && pool.receiving == 0 && !pool.isStopping
                && (pool.workers.count < limit || !pool.vacant.isEmpty)
        }
    }
}
