internal import Platform

/// Puts committed transactions on the disk, many callers sharing one sync.
///
/// The catalogue commits without waiting for the disk (synchronous=NORMAL); a transaction lasts once the write-ahead
/// log has been synced after it, or once a checkpoint has moved it to the database, which SQLite syncs itself
/// (https://www.sqlite.org/wal.html).
final class LogSynchronizer: Sendable {
    private struct State {
        /// Syncs asked for so far; a sync covers everyone who asked before it began.
        var asked: UInt64 = 0
        var done: UInt64 = 0
        var isRunning = false
        var failure: (upTo: UInt64, error: Errno)?
    }

    private let file: FileDescriptor
    private let state = Monitor(State())

    /// - Parameter file: the write-ahead log, open.
    init(file: FileDescriptor) { self.file = file }

    /// When somebody last wrote to the log: the time of the last change to the catalogue, by any process.
    func lastWrite() throws(Errno) -> Int64 { try file.status().modificationTime }

    private enum Turn {
        case lead(upTo: UInt64)
        case done
        case failed(Errno)
    }

    /// Returns when everything committed before the call is on the disk.
    func synchronize() throws(Errno) {
        let ticket = state.update { state in
            state.asked += 1
            return state.asked
        }
        let turn = state.wait { (state) -> Turn? in
            if let failure = state.failure, ticket <= failure.upTo, ticket > state.done {
                return .failed(failure.error)
            }
            if state.done >= ticket { return .done }
            if state.isRunning { return nil }
            state.isRunning = true
            return .lead(upTo: state.asked)
        }
        switch turn {
        case .failed(let error): throw error
        case .lead(let upTo):
            do throws(Errno) {
                try file.syncData()
                state.update { state in
                    state.isRunning = false
                    state.done = max(state.done, upTo)
                }
            } catch {
                state.update { state in
                    state.isRunning = false
                    state.failure = (upTo, error)
                }
                throw error
            }
        case .done, nil: return
        }
    }
}
