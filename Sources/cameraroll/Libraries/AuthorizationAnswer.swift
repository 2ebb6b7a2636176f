import Agent
import PhotoLibrary
import Platform

/// Answering for a client: the questions about it that are open in the running mount, else the record for later.
enum AuthorizationAnswer {
    /// How long the mount may take, in nanoseconds.
    private static let patience: Int64 = 10_000_000_000

    /// - Returns: how many open questions were answered; where that is none, the answer was stored directly.
    static func give(
        _ decision: AuthorizationDecision, for client: Client, in library: Library
    ) throws(CommandFailure) -> Int {
        try AuthorizationChange.refuseRestricted(client, in: library)
        let answered: Int
        do throws(AgentConnection.Failure) {
            answered = try answerOpen(decision, client, library.path)
        } catch {
            // Without a mount that can be asked nothing is open.
            answered = 0
        }
        if answered == 0 {
            do throws(Errno) {
                try AuthorizationChange.change(client, in: library) { () throws(Errno) in
                    try library.authorization.store(decision, for: client)
                }
            } catch {
                throw OpenLibrary.failure(error, library, "The authorization of \(client) cannot be stored")
            }
        }
        return answered
    }

    private static func answerOpen(
        _ decision: AuthorizationDecision, _ client: Client, _ library: String
    ) throws(AgentConnection.Failure) -> Int {
        let connection = try AgentConnection(library: library)
        let scope: AnswerScope = if case .user = client { .user } else { .program }
        var open: [UInt64] = []
        while let message = try connection.next(timeout: patience), message != .ready {
            if case .question(let question) = message, question.client(for: scope) == client {
                open.append(question.id)
            }
        }
        var answered = 0
        for id in open {
            try connection.answer(AgentMessage.Answer(id: id, decision: decision, scope: scope))
            while let message = try connection.next(timeout: patience) {
                guard case .result(id, let isAccepted, _) = message else { continue }
                if isAccepted { answered += 1 }
                break
            }
        }
        return answered
    }
}
