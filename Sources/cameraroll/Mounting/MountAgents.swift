import Agent
import PhotoLibrary
import Platform

/// Whom a mount asks: agents that connect to it, and the terminal that it runs on.
final class MountAgents: Sendable {
    private let server: AgentServer
    private let terminalStop: WakeUp?
    private let terminalThread = Lock<Thread?>(nil)

    /// Starts asking. A socket that cannot be made is told and hinders nothing: then nobody can be asked, and who has no
    /// answer yet is refused.
    ///
    /// - Parameter terminal: standard input where that is a terminal.
    init(
        library: Library, board: QuestionBoard, terminal: FileDescriptor?, journal: @Sendable (String) -> Void
    ) throws(CommandFailure) {
        do throws(Errno) {
            server = try AgentServer(library: library.path, board: board) {
                (decision, question, scope) throws(Errno) in
                try library.authorization.store(decision, for: question, scope: scope)
            }
        } catch { throw CommandFailure(system: error, "Questions to the user cannot be prepared") }
        do throws(Errno) { try server.listen() } catch {
            journal(
                "warning: \(library.path)/\(AgentServer.socketName) cannot be made (\(error)): cameraroll agent cannot"
                    + " answer questions about this mount.")
        }
        guard let terminal else {
            terminalStop = nil
            return
        }
        do throws(Errno) {
            let stop = try WakeUp()
            terminalStop = stop
            let (path, connection) = (library.path, try server.connect())
            let thread = try Thread(name: "terminal") {
                let display = TerminalDisplay(library: path, input: terminal)
                do throws(CommandFailure) {
                    _ = try AgentRun(connection: connection, display: display, stop: stop).run()
                } catch { CommandRun.report(error) }
            }
            terminalThread.withLock { $0 = thread }
        } catch { throw CommandFailure(system: error, "The terminal cannot be asked") }
    }

    /// Removes the socket and ends every connection.
    func stop() {
        terminalStop?.signal()
        terminalThread.withLock { $0.take() }?.join()
        server.stop()
    }
}
