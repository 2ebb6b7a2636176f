import Agent
import PhotoLibrary
import Platform

/// Where questions are shown and answers come from.
protocol QuestionDisplay: AnyObject {
    /// Readable when there may be answers; nil where none can come for now.
    var descriptor: FileDescriptor? { get }
    /// A question is open.
    func show(_ question: AuthorizationQuestion) throws(CommandFailure)
    /// It is open no more.
    func close(_ id: UInt64, outcome: QuestionOutcome) throws(CommandFailure)
    /// What became of an answer that came from here.
    func tell(_ id: UInt64, isAccepted: Bool, reason: String) throws(CommandFailure)
    /// Answers that have come; nil where none will come any more.
    func answers() throws(CommandFailure) -> [AgentMessage.Answer]?
}

/// Carries questions from a mount to a display, and its answers back.
struct AgentRun {
    let connection: AgentConnection
    let display: any QuestionDisplay
    /// Signalled when it is to end.
    let stop: WakeUp

    enum End: Sendable {
        /// It was told to stop, or no answers can come any more.
        case stopped
        case mountEnded
    }

    /// How long it waits where no answer can come for now, until it looks again.
    private static let pause: Int64 = 500_000_000

    /// Returns when the mount ends, or when it is told to stop.
    func run() throws(CommandFailure) -> End {
        while true {
            guard try hear() else { return .mountEnded }
            guard let answers = try display.answers() else { return .stopped }
            for answer in answers where try !send(answer) { return .mountEnded }
            if try isStopped() { return .stopped }
        }
    }

    /// Takes the messages that have come. - Returns: false where the mount has ended.
    private func hear() throws(CommandFailure) -> Bool {
        while true {
            let message: AgentMessage.FromMount?
            do throws(AgentConnection.Failure) { message = try connection.next(timeout: 0) } catch {
                if error == .ended { return false }
                throw Self.failure(error)
            }
            switch message {
            case nil: return true
            case .question(let question): try display.show(question)
            case .closed(let id, let outcome): try display.close(id, outcome: outcome)
            case .result(let id, let isAccepted, let reason):
                try display.tell(id, isAccepted: isAccepted, reason: reason)
            case .hello, .ready, .error: break
            }
        }
    }

    /// - Returns: false where the mount has ended.
    private func send(_ answer: AgentMessage.Answer) throws(CommandFailure) -> Bool {
        do throws(AgentConnection.Failure) {
            try connection.answer(answer)
            return true
        } catch {
            if error == .ended { return false }
            throw Self.failure(error)
        }
    }

    /// Waits until something is to be done. - Returns: whether it is to stop.
    private func isStopped() throws(CommandFailure) -> Bool {
        var entries = [Poll.Entry(connection.descriptor, .reading), Poll.Entry(stop.descriptor, .reading)]
        let descriptor = display.descriptor
        if let descriptor { entries.append(Poll.Entry(descriptor, .reading)) }
        do throws(Errno) { try Poll.wait(&entries, timeout: descriptor == nil ? Self.pause : nil) } catch {
            throw CommandFailure(system: error, "The agent cannot wait for questions")
        }
        return entries[1].isReadable
    }

    /// What a person reads of a connection that does not work.
    static func failure(_ failure: AgentConnection.Failure, library: String = "The library") -> CommandFailure {
        switch failure {
        case .notMounted:
            CommandFailure(
                .noSuchItem,
                "\(library) is not mounted, so that nobody asks. Mount it first: cameraroll mount LIBRARY MOUNTPOINT")
        case .ended: CommandFailure(.noSuchItem, "The mount has ended.")
        case .refused(let reason): CommandFailure(.busy, "The mount does not take this agent. \(reason)")
        case .notUnderstood(let reason):
            CommandFailure(
                .systemFailure,
                "The mount says what this agent does not understand: \(reason)."
                    + " Use the version of cameraroll that mounts the library.")
        case .failed(.accessDenied):
            CommandFailure(.notAuthorized, "Only the owner of \(library) or root may answer for it.")
        case .failed(let error): CommandFailure(system: error, "The mount of \(library) cannot be reached")
        }
    }
}
