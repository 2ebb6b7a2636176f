internal import FUSE
internal import PhotoLibrary
internal import Platform

/// Lets sidecars follow renames of their assets, once nobody renames anything in their directory any more.
final class SidecarFollower: Sendable {
    private struct State {
        /// There may be sidecars that wait.
        var isAwake = true
        var isStopping = false
    }

    private let library: Library
    private let state = Monitor(State())
    private let thread = Lock<Thread?>(nil)

    init(library: Library) { self.library = library }

    /// Starts the thread, which begins with what the last mount left.
    ///
    /// - Parameter note: is told of each sidecar that went.
    func start(_ note: @escaping @Sendable (Library.SidecarMove) -> Void) {
        do throws(Errno) {
            let made = try Thread(name: "sidecars") { self.run(note) }
            thread.withLock { $0 = made }
        } catch { report(error) }
    }

    /// An asset was renamed.
    func wake() { state.update { $0.isAwake = true } }

    /// Ends the thread; what waits follows now, since nobody renames anything any more.
    func stop() {
        state.update { $0.isStopping = true }
        let ending = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let ending else { return }
        ending.join()
        move(due: .max) { _ in }
    }

    private func run(_ note: (Library.SidecarMove) -> Void) {
        while true {
            let goesOn = state.wait { state -> Bool? in
                if state.isStopping { return false }
                defer { state.isAwake = false }
                return state.isAwake ? true : nil
            }
            guard goesOn == true else { return }
            while let due = next() {
                // A clock that was set back must not hold them for long.
                let delay = min(max(due &- Clock.now(), 10_000_000), Library.sidecarPatience)
                if state.wait(timeout: delay, until: { $0.isStopping ? true : nil }) != nil { return }
                guard move(due: Clock.now(), note) else { break }
            }
        }
    }

    private func next() -> Int64? {
        do throws(Errno) { return try library.nextSidecarMove() } catch {
            report(error)
            return nil
        }
    }

    /// - Returns: false where it failed; it is tried again with the next rename, and by the next mount.
    @discardableResult
    private func move(due: Int64, _ note: (Library.SidecarMove) -> Void) -> Bool {
        do throws(Errno) {
            while true {
                let moves = try library.moveSidecars(due: due)
                if moves.isEmpty { return true }
                for move in moves { note(move) }
            }
        } catch {
            report(error)
            return false
        }
    }

    private func report(_ error: Errno) {
        library.events.add(
            EventLog.Event(
                client: "", operation: "sidecar", path: "DCIM", errno: error,
                reason: "Sidecars could not follow a rename of their picture: \(error). They lie where they were."))
    }
}
