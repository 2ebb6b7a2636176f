import Agent
import Glibc
import Platform

extension Subcommand {
    static let agent = Subcommand(
        name: "agent", operands: "LIBRARY",
        summary: "Answer the questions of programs that want to use a mounted library.",
        details: """
            A user or program without an answer that uses the mount waits until the library's owner has answered: here,
            in this terminal, or with --desktop by a notification with buttons. Full access sees, adds, changes and
            deletes everything; add only adds, and sees nothing else; don't allow does neither. The answer is stored and
            holds until cameraroll authorization changes it; closing a notification is no answer.

            Without an answer within the mount's prompt_timeout the program is refused for now, and the request is listed
            by cameraroll authorization LIBRARY pending. Several agents may run; the first answer counts. A mount in the
            foreground (cameraroll mount --foreground) asks on its own terminal.

            Only the library's owner and root may answer. The library has to be mounted; the agent ends when the mount
            ends, or by an interrupt.
            """,
        options: [.flag("--desktop", help: "Ask by desktop notifications (D-Bus).")],
        operandCount: 1...1, run: AgentCommand.run)
}

/// Answers questions.
enum AgentCommand {
    private static let endSignals = [SIGTERM, SIGINT, SIGHUP]

    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let library = try LibraryLocation.resolve(arguments.operands[0])
        let isOnDesktop = arguments.has("--desktop")
        let terminal = isOnDesktop ? nil : TerminalDisplay.standardInput()
        guard isOnDesktop || terminal != nil else {
            throw .usage("there is no terminal to ask at. Run the agent in a terminal, or give --desktop.")
        }
        // Before any thread starts: each inherits what is blocked, and one of them takes the signals.
        Signals.block(endSignals)
        Signals.ignoreBrokenPipes()
        let stop = try stopBySignal()
        let connection: AgentConnection
        do throws(AgentConnection.Failure) { connection = try AgentConnection(library: library) } catch {
            throw AgentRun.failure(error, library: library)
        }
        let display: any QuestionDisplay
        if let terminal {
            display = TerminalDisplay(library: library, input: terminal)
        } else {
            display = try DesktopDisplay(library: library)
        }
        StandardError.note("waiting for questions about \(library); interrupt to end.")
        let end = try AgentRun(connection: connection, display: display, stop: stop).run()
        if end == .mountEnded { StandardError.note("\(library) is not mounted any more; nobody asks.") }
        return .done
    }

    private static func stopBySignal() throws(CommandFailure) -> WakeUp {
        do throws(Errno) {
            let stop = try WakeUp()
            _ = try Thread(name: "signals") {
                _ = Signals.wait(for: endSignals)
                stop.signal()
            }
            return stop
        } catch { throw CommandFailure(system: error, "A thread cannot be started") }
    }
}
