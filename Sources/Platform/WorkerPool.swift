/// A few threads that run jobs in the order in which they came.
///
/// For work that goes on beside a request, such as a sync while the same file is hashed.
public final class WorkerPool: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let state: Monitor<State>
    private let threads: Lock<[Thread]>

    /// - Throws: `EAGAIN` where no thread can be made.
    public init(name: String, threads count: Int) throws(Errno) {
        let state = Monitor(State())
        self.state = state
        var made: [Thread] = []
        for _ in 0..<count {
            made.append(
                try Thread(name: name) {
                    while let job = Self.next(state) { job() }
                })
        }
        threads = Lock(made)
    }

    private static func next(_ state: Monitor<State>) -> (@Sendable () -> Void)? {
        let job = state.wait { (state) -> (@Sendable () -> Void)?? in
            if !state.jobs.isEmpty { return .some(state.jobs.removeFirst()) }
            return state.isClosed ? .some(nil) : nil
        }
        return job ?? nil
    }

    /// The result of a job, once it is there.
    public final class Pending<Result: Sendable>: Sendable {
        fileprivate let result = Monitor<Result?>(nil)
        /// Waits for the job to end.
        public func wait() -> Result {
            while true {
                if let result = result.wait(until: { $0 }) { return result }
            }
        }
    }

    /// Queues a job.
    public func submit<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Pending<Result> {
        let pending = Pending<Result>()
        state.update { state in
            state.jobs.append {
                let value = body()
                pending.result.update { $0 = value }
            }
        }
        return pending
    }

    /// Runs what is queued, then ends the threads and waits for them. To be called once.
    public func close() {
        state.update { $0.isClosed = true }
        let ending = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in ending { thread.join() }
    }
}
