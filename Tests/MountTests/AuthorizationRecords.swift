import Platform
import Support

/// What tests of authorization do to a mounted library.
extension MountedLibrary {
    /// Runs `cameraroll authorization` on the library.
    func authorize(_ words: String...) throws {
        let outcome = try run(Product.command, arguments: ["authorization", library] + words)
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
    }

    /// Gives a client records with those statuses (PHAuthorizationStatus, raw values); 0 is no record.
    func setRecords(of client: String, readWrite: Int, addOnly: Int) throws {
        var statements = "PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE;"
        statements += "DELETE FROM authorization WHERE client = '\(client)';"
        for (level, status) in [(2, readWrite), (1, addOnly)] where status != 0 {
            statements += "INSERT INTO authorization VALUES ('\(client)', \(level), \(status), 0);"
        }
        _ = try sql(statements + "COMMIT;")
        try noticeRecords()
    }

    /// Chooses the assets for a client whose files' names match a pattern of SQL.
    func choose(_ pattern: String, for client: String) throws {
        _ = try sql(
            """
            PRAGMA busy_timeout = 10000;
            INSERT OR IGNORE INTO authorization_selection
                SELECT '\(client)', n.asset FROM dentry d JOIN node n ON n.id = d.node
                WHERE CAST(d.name AS TEXT) LIKE '\(pattern)' AND n.asset IS NOT NULL
                UNION SELECT '\(client)', asset FROM node
                WHERE CAST(display_name AS TEXT) LIKE '\(pattern)' AND asset IS NOT NULL;
            """)
        try noticeRecords()
    }

    /// Makes the mount read the records anew, which were changed behind its back.
    private func noticeRecords() throws {
        try authorize("deny", "user:4294967290")
        try authorize("reset", "user:4294967290")
    }
}

/// Runs `body` with several users made for it.
func withUsers<Value>(_ names: [String], _ body: ([TestUser]) throws -> Value) throws -> Value {
    var users: [TestUser] = []
    func next() throws -> Value {
        guard users.count < names.count else { return try body(users) }
        return try Machine.withUser(names[users.count]) { user in
            users.append(user)
            return try next()
        }
    }
    return try next()
}

/// Runs a program as a user whom the kernel's permission bits do not stop: what is refused the library refuses.
@discardableResult
func runUnhindered(_ user: TestUser, _ words: [String], timeout: Double = 60) throws -> Outcome {
    let capabilities = "+dac_override,+dac_read_search,+fowner"
    return try run(
        "setpriv",
        arguments: [
            "--reuid=\(user.uid)", "--regid=\(user.gid)", "--clear-groups", "--inh-caps=\(capabilities)",
            "--ambient-caps=\(capabilities)", "--",
        ] + words, timeout: timeout)
}
