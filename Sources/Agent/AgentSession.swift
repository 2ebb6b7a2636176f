internal import PhotoLibrary
internal import Platform

/// One agent, as the mount sees it: what it is told is queued, and sent when it has room for it.
///
/// Whoever opens or closes a question only queues a line, so that no agent can hold the mount up. One that does not take
/// what it is told is dropped.
final class AgentSession: QuestionListener {
    private struct Output {
        var bytes: [UInt8] = []
        var isClosed = false
        var shown: Set<UInt64> = []
        /// Closed before the thread that shows it came here.
        var closedEarly: Set<UInt64> = []
    }

    let socket: UnixSocket
    /// Tells the server's thread that there is something to send.
    private let wakeUp: WakeUp
    private let output = Lock(Output())
    /// More than this is not kept for an agent.
    private static let queueLimit = 64 << 10
    /// With this much to send, nothing more is read from an agent: it gets no further ahead of its results.
    private static let readLimit = 16 << 10
    private static let closedEarlyLimit = 1024

    init(socket: UnixSocket, wakeUp: WakeUp) {
        self.socket = socket
        self.wakeUp = wakeUp
    }

    func questionOpened(_ question: AuthorizationQuestion) {
        let isOpen = output.withLock { output in
            if output.closedEarly.remove(question.id) != nil { return false }
            output.shown.insert(question.id)
            return true
        }
        if isOpen { tell(.question(question)) }
    }

    func questionClosed(_ id: UInt64, outcome: QuestionOutcome) {
        let wasShown = output.withLock { output in
            if output.shown.remove(id) != nil { return true }
            if output.closedEarly.count >= Self.closedEarlyLimit { output.closedEarly.removeAll() }
            output.closedEarly.insert(id)
            return false
        }
        if wasShown { tell(.closed(id: id, outcome: outcome)) }
    }

    /// Queues a message.
    func tell(_ message: AgentMessage.FromMount) {
        let line = message.line
        output.withLock { output in
            guard !output.isClosed else { return }
            if output.bytes.count + line.count > Self.queueLimit {
                output.isClosed = true
                output.bytes = []
            } else {
                output.bytes += line
            }
        }
        wakeUp.signal()
    }

    var hasOutput: Bool { output.withLock { !$0.bytes.isEmpty } }
    var takesInput: Bool { output.withLock { $0.bytes.count < Self.readLimit } }
    /// It was dropped, as it took nothing any more.
    var isClosed: Bool { output.withLock { $0.isClosed } }

    /// Sends what the agent has room for. Called by the server's thread alone.
    func flush() throws(Errno) {
        let bytes = output.withLock { $0.bytes }
        guard !bytes.isEmpty else { return }
        let count = try socket.send(bytes)
        // Others may have added to it meanwhile, or dropped all of it.
        output.withLock { output in output.bytes.removeFirst(min(count, output.bytes.count)) }
    }
}
