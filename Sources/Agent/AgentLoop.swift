internal import PhotoLibrary
internal import Platform

/// What the server's thread does: takes connections and lines, and sends what is queued.
final class AgentLoop: Sendable {
    /// What the thread finds when it looks: the socket for connections, and agents of this process. Nil: it is to end.
    typealias Look = () -> (listener: UnixSocket?, arriving: [UnixSocket])?

    private struct Agent {
        var session: AgentSession
        var input = LineBuffer(limit: AgentMessage.lineLimit)
    }

    private let library: String
    private let owner: UInt32
    private let board: QuestionBoard
    private let store: AgentServer.Store
    private let wakeUp: WakeUp
    private static let pieceSize = 4096
    /// How long no connection is taken after one could not be (no descriptors left), in nanoseconds.
    private static let pause: Int64 = 200_000_000

    init(
        library: String, owner: UInt32, board: QuestionBoard, store: @escaping AgentServer.Store, wakeUp: WakeUp
    ) {
        self.library = library
        self.owner = owner
        self.board = board
        self.store = store
        self.wakeUp = wakeUp
    }

    func run(_ look: Look) {
        var agents: [Agent] = []
        var isPaused = false
        defer { for agent in agents { board.remove(agent.session) } }
        while let (listener, arriving) = look() {
            for socket in arriving { welcome(socket, &agents) }
            var entries = [Poll.Entry(wakeUp.descriptor, .reading)]
            for agent in agents {
                var interest: Poll.Interest = agent.session.takesInput ? .reading : []
                if agent.session.hasOutput { interest.insert(.writing) }
                entries.append(Poll.Entry(agent.session.socket.descriptor, interest))
            }
            if let listener, !isPaused { entries.append(Poll.Entry(listener.descriptor, .reading)) }
            do throws(Errno) { try Poll.wait(&entries, timeout: isPaused ? Self.pause : nil) } catch {
                // Only memory can be short: no reason to end, nor to try without a pause.
                Clock.sleep(Self.pause)
                continue
            }
            isPaused = false
            if entries[0].isReadable { wakeUp.clear() }
            for index in agents.indices.reversed() where !serve(&agents[index], entries[index + 1]) {
                board.remove(agents[index].session)
                agents.remove(at: index)
            }
            if let listener, entries.last?.isReadable == true, entries.last?.descriptor === listener.descriptor {
                isPaused = !accept(at: listener, &agents)
            }
        }
    }

    /// Takes the connections that wait. - Returns: false where that is not possible for now.
    private func accept(at listener: UnixSocket, _ agents: inout [Agent]) -> Bool {
        do throws(Errno) {
            while let socket = try listener.accept() {
                guard let peer = try? socket.peer(), peer.uid == owner || peer.uid == 0 else { continue }
                if agents.count >= AgentServer.agentLimit {
                    let reason = "\(AgentServer.agentLimit) agents are connected already. End one of them."
                    // Nobody waits for one who does not take even this.
                    _ = try? socket.send(AgentMessage.FromMount.error(reason: reason).line)
                    continue
                }
                welcome(socket, &agents)
            }
            return true
        } catch {
            return error == .connectionAborted
        }
    }

    private func welcome(_ socket: UnixSocket, _ agents: inout [Agent]) {
        let session = AgentSession(socket: socket, wakeUp: wakeUp)
        session.tell(.hello(version: AgentMessage.version, library: library))
        agents.append(Agent(session: session))
        board.add(session)
        session.tell(.ready)
    }

    /// Reads and sends. - Returns: false where the agent is gone or to be dropped.
    private func serve(_ agent: inout Agent, _ ready: Poll.Entry) -> Bool {
        do throws(Errno) {
            var isOpen = true
            if ready.isReadable, agent.session.takesInput {
                guard let piece = try agent.session.socket.receive(Self.pieceSize) else {
                    return !agent.session.isClosed
                }
                if piece.isEmpty { return false }
                agent.input.append(piece)
                isOpen = takeLines(&agent)
            }
            try agent.session.flush()
            return isOpen && !agent.session.isClosed
        } catch { return false }
    }

    /// - Returns: false where something was no message.
    private func takeLines(_ agent: inout Agent) -> Bool {
        while let line = agent.input.next() {
            do throws(AgentMessage.Malformed) { answer(try AgentMessage.Answer(line: line), from: agent.session) } catch
            {
                agent.session.tell(.error(reason: "This is no message: \(error.reason)."))
                return false
            }
        }
        guard agent.input.isOverlong else { return true }
        agent.session.tell(.error(reason: "A line is longer than \(AgentMessage.lineLimit) bytes."))
        return false
    }

    private func answer(_ answer: AgentMessage.Answer, from session: AgentSession) {
        var failure: Errno?
        let isAccepted = board.answer(answer.id) { (question) throws(Errno) in
            do throws(Errno) { try store(answer.decision, question, answer.scope) } catch {
                failure = error
                throw error
            }
        }
        let reason =
            if isAccepted {
                ""
            } else if failure == .invalid, answer.scope == .program {
                "Nobody knows which program asked: answer for the user."
            } else if let failure {
                "The answer could not be stored: \(failure)."
            } else {
                "The question is not open any more: it was answered, or nobody waits for its answer."
            }
        session.tell(.result(id: answer.id, isAccepted: isAccepted, reason: reason))
    }
}
