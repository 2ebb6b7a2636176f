internal import PhotoLibrary
public import Platform

/// An agent's side: hears of questions, and answers them.
public final class AgentConnection: Sendable {
    private struct State {
        var input = LineBuffer(limit: AgentMessage.lineLimit)
        var hasGreeted = false
    }

    /// Why there is nothing more to hear.
    public enum Failure: Error, Sendable, Hashable {
        /// The library is not mounted by a process of this machine that can be reached.
        case notMounted
        /// The mount has ended, or has dropped this agent without a word.
        case ended
        /// The mount said why it does not want this agent.
        case refused(String)
        /// What came is nothing that this version understands.
        case notUnderstood(String)
        case failed(Errno)
    }

    private let socket: UnixSocket
    private let state = Lock(State())
    private static let pieceSize = 16 << 10
    private static let sendTimeout: Int64 = 5_000_000_000

    /// Connects to the process that has a library mounted.
    public convenience init(library path: String) throws(Failure) {
        let socket: UnixSocket
        do throws(Errno) {
            socket = try UnixSocket.connect(AgentServer.socketName, in: Directory(path))
        } catch {
            throw [.noEntry, .connectionRefused].contains(error) ? .notMounted : .failed(error)
        }
        self.init(socket: socket)
    }

    init(socket: UnixSocket) { self.socket = socket }

    /// Readable when there is something to hear.
    public var descriptor: FileDescriptor { socket.descriptor }

    /// The next message; nil where none comes in time. The first one that is returned follows the mount's greeting.
    ///
    /// - Parameter timeout: nanoseconds; nil waits for ever, 0 only looks.
    public func next(timeout: Int64?) throws(Failure) -> AgentMessage.FromMount? {
        let deadline = timeout.map { Clock.monotonic() &+ $0 }
        while true {
            if let line = state.withLock({ $0.input.next() }) {
                if let message = try understand(line) { return message }
                continue
            }
            if state.withLock({ $0.input.isOverlong }) { throw .notUnderstood("a line is too long") }
            if try receive() { continue }
            let left = deadline.map { $0 - Clock.monotonic() }
            if let left, left <= 0 { return nil }
            var entries = [Poll.Entry(descriptor, .reading)]
            do throws(Errno) { try Poll.wait(&entries, timeout: left) } catch { throw .failed(error) }
        }
    }

    /// - Returns: whether something came.
    private func receive() throws(Failure) -> Bool {
        let piece: [UInt8]?
        do throws(Errno) { piece = try socket.receive(Self.pieceSize) } catch {
            throw error == .connectionReset ? .ended : .failed(error)
        }
        guard let piece else { return false }
        if piece.isEmpty { throw .ended }
        state.withLock { $0.input.append(piece) }
        return true
    }

    /// - Returns: nil for the greeting.
    private func understand(_ line: [UInt8]) throws(Failure) -> AgentMessage.FromMount? {
        let message: AgentMessage.FromMount
        do throws(AgentMessage.Malformed) { message = try AgentMessage.FromMount(line: line) } catch {
            throw .notUnderstood(error.reason)
        }
        switch message {
        case .hello(let version, _):
            guard version == AgentMessage.version else { throw .notUnderstood("the mount speaks version \(version)") }
            state.withLock { $0.hasGreeted = true }
            return nil
        case .error(let reason): throw .refused(reason)
        default:
            guard state.withLock({ $0.hasGreeted }) else { throw .notUnderstood("there was no greeting") }
            return message
        }
    }

    /// Answers a question. Whether it counts is heard as a `result`.
    public func answer(_ answer: AgentMessage.Answer) throws(Failure) {
        do throws(Errno) { try socket.sendFully(answer.line, timeout: Self.sendTimeout) } catch {
            throw [.brokenPipe, .connectionReset].contains(error) ? .ended : .failed(error)
        }
    }
}
