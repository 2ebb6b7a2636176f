import Glibc
public import Platform

/// Makes thumbnails in helper processes that are kept small and few.
///
/// Whoever asks waits on its own thread. A worker that dies or takes too long fails the picture it was at, and nothing else.
public final class ThumbnailService: Sendable {
    /// How many and how long.
    public struct Limits: Sendable {
        /// Processes at once.
        public var workers = 2
        /// Requests that wait for a process; more are answered `busy`.
        public var waiting = 32
        /// For one picture, in nanoseconds.
        public var time: Int64 = 20_000_000_000
        /// How long a worker without work is kept, in nanoseconds.
        public var idle: Int64 = 30_000_000_000
        /// Pictures after which a worker makes room for a fresh one.
        public var pictures = 500
        public init() {}
    }

    private struct Idle {
        var worker: WorkerProcess
        var served: Int
        var since: Int64
    }

    private struct State {
        var idle: [Idle] = []
        /// Workers that are at a picture or about to be started.
        var busy = 0
        /// Numbers of those who wait, in the order in which they came.
        var queue: [UInt64] = []
        var nextNumber: UInt64 = 0
        var isClosed = false
        var keeper: Thread?
    }

    private let executable: String
    private let arguments: [String]
    private let limits: Limits
    private let state = Monitor(State())

    /// - Parameters:
    ///   - executable: the program that is a worker when it is started with `arguments`.
    ///   - arguments: the program's name first.
    public init(
        executable: String = "/proc/self/exe", arguments: [String] = ["cameraroll", "thumbnail-worker"],
        limits: Limits = Limits()
    ) {
        self.executable = executable
        self.arguments = arguments
        self.limits = limits
    }

    /// Makes a thumbnail and waits for it.
    ///
    /// - Parameters:
    ///   - file: the picture, open for reading.
    ///   - isCancelled: asked about every 50 ms.
    /// - Returns: an upright file of the kind that was asked for.
    public func make(
        _ request: ThumbnailRequest, from file: FileDescriptor, isCancelled: () -> Bool
    ) throws(ThumbnailError) -> [UInt8] {
        var place = try waitForWorker(isCancelled)
        // The time does not begin before it is this picture's turn.
        let deadline = Clock.monotonic() &+ limits.time
        var isKept = false
        defer { leave(place, keeping: isKept) }
        do {
            let isUnwanted = { isCancelled() || self.state.update { $0.isClosed } }
            let isFresh = place == nil
            let worker = try place?.worker ?? start()
            place = Idle(worker: worker, served: (place?.served ?? 0) + 1, since: 0)
            if isFresh { try worker.waitUntilReady(deadline: deadline, isCancelled: isUnwanted) }
            let answer = try worker.make(request, from: file, deadline: deadline, isCancelled: isUnwanted)
            isKept = true
            switch answer.outcome {
            case .thumbnail: return answer.bytes
            case .refusal: throw ThumbnailError.refused(reason: String(decoding: answer.bytes, as: UTF8.self))
            case .failure: throw ThumbnailError.system(.notSupported)
            }
        } catch {
            throw Self.explain(error)
        }
    }

    private static func explain(_ failure: any Error) -> ThumbnailError {
        switch failure {
        case let error as ThumbnailError: error
        case WorkerProcess.Failure.cancelled: .cancelled
        case WorkerProcess.Failure.timedOut:
            .refused(reason: "Making a thumbnail took too long and was given up. The picture itself is kept as it is.")
        case WorkerProcess.Failure.died:
            .refused(
                reason: "The process that makes thumbnails ended at this picture. The picture itself is kept as it is.")
        case WorkerProcess.Failure.system(let error): .system(error)
        default: .system(.ioError)
        }
    }

    private func start() throws(WorkerProcess.Failure) -> WorkerProcess {
        do throws(Errno) { return try WorkerProcess(executable: executable, arguments: arguments) } catch {
            throw .system(error)
        }
    }

    /// Waits until it is this caller's turn. - Returns: a worker that has nothing to do; nil where one is to be started.
    private func waitForWorker(_ isCancelled: () -> Bool) throws(ThumbnailError) -> Idle? {
        let number = try state.update { (state) throws(ThumbnailError) -> UInt64 in
            if state.isClosed { throw .cancelled }
            let isFull = state.busy >= limits.workers || !state.queue.isEmpty
            if isFull, state.queue.count >= limits.waiting { throw .busy }
            state.nextNumber += 1
            state.queue.append(state.nextNumber)
            return state.nextNumber
        }
        while true {
            let turn = state.wait(timeout: WorkerProcess.pause) { state -> Idle?? in
                guard !state.isClosed, state.queue.first == number, state.busy < limits.workers else { return nil }
                state.queue.removeFirst()
                state.busy += 1
                return .some(state.idle.popLast())
            }
            if let turn {
                // The next in the queue may have its turn too.
                state.update { _ in }
                return turn
            }
            let isClosed = state.update { $0.isClosed }
            guard isClosed || isCancelled() else { continue }
            state.update { $0.queue.removeAll { $0 == number } }
            throw .cancelled
        }
    }

    /// Gives a worker back, or ends it.
    private func leave(_ place: Idle?, keeping isKept: Bool) {
        let isEnded = state.update { state in
            guard isKept, !state.isClosed, var place, place.served < limits.pictures else { return true }
            place.since = Clock.monotonic()
            state.idle.append(place)
            state.busy -= 1
            startKeeper(&state)
            return false
        }
        guard isEnded else { return }
        // Before its place is free: there are never more processes than there may be.
        place?.worker.end()
        state.update { $0.busy -= 1 }
    }

    /// Starts the thread that ends workers without work.
    private func startKeeper(_ state: inout State) {
        guard state.keeper == nil else { return }
        let (monitor, idle) = (self.state, limits.idle)
        do throws(Errno) {
            state.keeper = try Thread(name: "thumbnails") { Self.keep(monitor, idle) }
        } catch {
            // Then they are kept until the next one is given back.
        }
    }

    private static func keep(_ monitor: Monitor<State>, _ idle: Int64) {
        while true {
            let oldest = monitor.update { state in state.isClosed ? 0 : state.idle.first?.since }
            if oldest == 0 { return }
            let left = oldest.map { max(1, $0 &+ idle &- Clock.monotonic()) }
            // Woken by every change: what was oldest may be in use again.
            _ = monitor.wait(timeout: left) { state in
                state.isClosed || state.idle.first?.since != oldest ? true : nil
            }
            let now = Clock.monotonic()
            let ended = monitor.update { state in
                let ended = state.idle.filter { $0.since &+ idle <= now }
                state.idle.removeAll { $0.since &+ idle <= now }
                return ended
            }
            for place in ended { place.worker.end() }
        }
    }

    /// Lets no request wait any longer, and no further one begin.
    public func cancel() { state.update { $0.isClosed = true } }

    /// Ends all workers; requests that wait are cancelled, later ones too.
    public func close() {
        let (idle, keeper) = state.update { state in
            state.isClosed = true
            defer {
                state.idle = []
                state.keeper = nil
            }
            return (state.idle, state.keeper)
        }
        for place in idle { place.worker.end() }
        keeper?.join()
        // Those that are at a picture notice within 50 ms.
        _ = state.wait(timeout: 2_000_000_000) { $0.busy == 0 ? true : nil }
    }

    /// The processes that have nothing to do right now, for tests.
    package var idleProcesses: [Int32] { state.update { $0.idle.map(\.worker.identifier) } }
}
