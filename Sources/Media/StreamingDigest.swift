public import Platform

/// The SHA-256 digest of a file that is still being written, taken behind the writer by another thread.
///
/// It serves writers that go from start to end, as copying programs do, so that little is left to hash at the close.
/// One that goes back over bytes already taken in makes it useless, and the file is hashed as a whole.
public final class StreamingDigest: Sendable {
    private struct State {
        /// Bytes handed to the thread so far.
        var dispatched: Int64 = 0
        var isUseful = true
        var isRunning = false
    }

    /// What the thread works on; touched by one job at a time.
    private final class Work: @unchecked Sendable {
        // Sendable: the next job is queued only when the last one has ended (`isRunning`).
        var digest = SHA256Digest()
        /// 256 KiB.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        deinit { buffer.deallocate() }

        /// The digest of what was taken in; a new one begins.
        func takeDigest() -> [UInt8] {
            var whole = SHA256Digest()
            swap(&whole, &digest)
            return whole.finalize()
        }
    }

    /// How far the writer must be ahead, in bytes, for a job to be worth it.
    private static let step: Int64 = 8 << 20

    private let state = Monitor(State())
    private let work = Lock<Work?>(nil)
    private let pool: WorkerPool

    /// - Parameter pool: the threads that hash.
    public init(pool: WorkerPool) { self.pool = pool }

    /// Bytes from `offset` to `end` of `file` were written; to be called after each write.
    public func note(offset: Int64, end: Int64, of file: FileDescriptor) {
        let range = state.update { state -> Range<Int64>? in
            guard state.isUseful else { return nil }
            guard offset >= state.dispatched else {
                state.isUseful = false
                return nil
            }
            guard !state.isRunning, end - state.dispatched >= Self.step else { return nil }
            state.isRunning = true
            defer { state.dispatched = end }
            return state.dispatched..<end
        }
        guard let range else { return }
        let work = self.work.withLock { work in
            let current = work ?? Work()
            work = current
            return current
        }
        _ = pool.submit { [state] in
            do throws(Errno) {
                try work.digest.update(with: range, of: file, through: work.buffer)
                state.update { $0.isRunning = false }
            } catch {
                state.update { state in
                    state.isRunning = false
                    state.isUseful = false
                }
            }
        }
    }

    /// The file was changed in another way than by going on writing.
    public func invalidate() { state.update { $0.isUseful = false } }

    /// The digest of the file's `size` bytes, the rest taken in now; nil where the file must be hashed as a whole.
    /// No byte is written meanwhile. Can be called once with a result.
    public func finish(_ file: FileDescriptor, size: Int64) -> [UInt8]? {
        let dispatched = state.wait { (state) -> Int64?? in
            if state.isRunning { return nil }
            defer { state.isUseful = false }
            return .some(state.isUseful && state.dispatched > 0 && state.dispatched <= size ? state.dispatched : nil)
        }
        guard let dispatched = dispatched ?? nil, let work = work.withLock({ $0 }) else { return nil }
        do throws(Errno) {
            try work.digest.update(with: dispatched..<size, of: file, through: work.buffer)
        } catch { return nil }
        return work.takeDigest()
    }
}
