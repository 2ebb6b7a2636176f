public import Platform
internal import SQLite

/// Requests that nobody answered: kept until the user decides, one for each client, and not many.
extension Authorization {
    private static let requestLimit = 256

    /// Notes that a client was refused since nobody answered.
    public func note(_ wish: QuestionBoard.Wish) throws(Errno) {
        let client = Client.user(wish.uid).description
        try catalog.write { (database) throws(Errno) in
            try database.run(
                """
                INSERT INTO authorization_request (client, program, level, operation, path, asked_at, count)
                VALUES (?, ?, ?, ?, ?, ?, 1)
                ON CONFLICT (client) DO UPDATE SET program = excluded.program, level = excluded.level,
                    operation = excluded.operation, path = excluded.path, asked_at = excluded.asked_at, count = count + 1
                """,
                [
                    .text(client), .text(wish.program), .integer(wish.level.rawValue), .text(wish.operation),
                    .text(wish.path), .integer(Clock.now()),
                ])
            try database.run(
                """
                DELETE FROM authorization_request WHERE client NOT IN (
                    SELECT client FROM authorization_request ORDER BY asked_at DESC LIMIT ?)
                """, [.integer(Self.requestLimit)])
        }
    }

    /// The requests that wait for the user's decision, newest first.
    public func requests() throws(Errno) -> [AuthorizationRequest] {
        try catalog.read { (database) throws(Errno) in
            try database.all(
                """
                SELECT client, program, level, operation, path, asked_at, count FROM authorization_request
                ORDER BY asked_at DESC
                """
            ) { row in
                AuthorizationRequest(
                    client: row.text(0), program: row.optionalText(1),
                    level: AccessLevel(rawValue: row.int(2)) ?? .readWrite, operation: row.text(3), path: row.text(4),
                    asked: row.int64(5), count: row.int(6))
            }
        }
    }

    /// Forgets what a client asked for: the user has decided.
    func forgetRequests(of client: Client, in database: Database) throws(Errno) {
        try database.run("DELETE FROM authorization_request WHERE client = ?", [.text(client.description)])
    }
}
