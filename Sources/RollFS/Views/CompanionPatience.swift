internal import Platform

/// Tells when the other file of a Live Photo may follow to where one was put by its name.
///
/// A program that puts both there itself would find the second one there already. So it follows when some other program
/// looks, when anybody lists a directory, or at the latest with the next round of the mount.
final class CompanionPatience: Sendable {
    private struct State {
        var isWaiting = false
        /// Who put one there last.
        var process: Int32 = 0
    }

    private let state = Lock(State())

    /// Notes that a process may have put one file of several somewhere.
    func note(_ thread: Int32) {
        let process = Self.process(of: thread)
        state.withLock { $0 = State(isWaiting: true, process: process) }
    }

    /// Notes that a file became an asset, perhaps one of several.
    func noteCommit() { state.withLock { $0.isWaiting = true } }

    /// Whether the others follow now.
    ///
    /// - Parameter thread: whose look-up this is; nil for what does not depend on who asks.
    func ends(for thread: Int32?) -> Bool {
        guard let process = state.withLock({ $0.isWaiting ? $0.process : nil }) else { return false }
        if let thread, Self.process(of: thread) == process { return false }
        return state.withLock { state in
            defer { state.isWaiting = false }
            return state.isWaiting
        }
    }

    /// The process that a thread belongs to (proc(5)); the thread itself where that is not to be seen.
    private static func process(of thread: Int32) -> Int32 {
        do throws(Errno) {
            let status = try FileDescriptor.open("/proc/\(thread)/status", .readOnly)
            let text = String(decoding: try status.readBytes(512, at: 0), as: UTF8.self)
            for line in text.split(separator: "\n") where line.hasPrefix("Tgid:") {
                return Int32(line.dropFirst(5).drop { $0 == "\t" || $0 == " " }) ?? thread
            }
        } catch {
            // It ended, or is in another namespace.
        }
        return thread
    }
}
