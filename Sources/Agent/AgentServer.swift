public import PhotoLibrary
public import Platform

/// The mount's side of asking: agents connect to a socket in the library, are shown the questions that are open, and
/// answer them.
///
/// Only the library's owner and root may answer (`SO_PEERCRED`); anyone else's connection is closed at once. A line that
/// is no message ends its connection. One thread serves all agents; it waits for none of them.
public final class AgentServer: Sendable {
    /// Stores a decision; the question's answer does not count where it throws.
    public typealias Store =
        @Sendable (AuthorizationDecision, AuthorizationQuestion, AnswerScope) throws(Errno) -> Void

    /// The socket's name in the library's directory.
    public static let socketName = "agent.socket"
    /// Agents that are served at once.
    public static let agentLimit = 16

    private struct State {
        var listener: UnixSocket?
        /// Agents of this process that the thread has not seen yet.
        var arriving: [UnixSocket] = []
        var isEnding = false
    }

    private let directory: Directory
    private let state = Lock(State())
    private let thread = Lock<Thread?>(nil)
    private let loop: AgentLoop
    private let wakeUp: WakeUp

    /// Starts the thread that serves agents. Nobody can connect before `listen()`, but for this process itself.
    ///
    /// - Parameter library: the library's directory.
    public init(library: String, board: QuestionBoard, store: @escaping Store) throws(Errno) {
        directory = try Directory(library)
        wakeUp = try WakeUp()
        loop = AgentLoop(
            library: library, owner: try directory.descriptor.status().uid, board: board, store: store, wakeUp: wakeUp)
        let (loop, state) = (loop, state)
        let started = try Thread(name: "agents") {
            loop.run {
                state.withLock { state in
                    defer { state.arriving = [] }
                    return state.isEnding ? nil : (state.listener, state.arriving)
                }
            }
        }
        thread.withLock { $0 = started }
    }

    /// Makes the socket and lets agents connect.
    public func listen() throws(Errno) {
        let listener = try UnixSocket.listen(Self.socketName, in: directory)
        state.withLock { $0.listener = listener }
        wakeUp.signal()
    }

    /// An agent in this process; it needs no socket in the library.
    public func connect() throws(Errno) -> AgentConnection {
        let (server, client) = try UnixSocket.pair()
        state.withLock { $0.arriving.append(server) }
        wakeUp.signal()
        return AgentConnection(socket: client)
    }

    /// Removes the socket, closes every connection, and ends the thread. What is open stays unanswered.
    public func stop() {
        let listener = state.withLock { state in
            state.isEnding = true
            return state.listener.take()
        }
        // Another's socket is left alone: this one was never made.
        if listener != nil { try? directory.unlink(Self.socketName) }
        wakeUp.signal()
        thread.withLock { $0.take() }?.join()
    }
}
