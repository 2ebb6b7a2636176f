public import Platform

extension Authorization {
    /// Stores what the user decided: both levels of one client, in one transaction.
    ///
    /// - Throws: `EINVAL` where the answer is meant for a program that nobody could tell.
    public func store(
        _ decision: AuthorizationDecision, for question: AuthorizationQuestion, scope: AnswerScope
    ) throws(Errno) {
        guard let client = question.client(for: scope) else { throw .invalid }
        try store(decision, for: client)
    }

    /// Stores what the user decided about a client; it is on the disk and holds for every process when this returns.
    public func store(_ decision: AuthorizationDecision, for client: Client) throws(Errno) {
        let statuses = decision.statuses
        try set([.readWrite: statuses.readWrite, .addOnly: statuses.addOnly], of: client)
    }
}
