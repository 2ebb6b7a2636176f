/// Brings a database's schema up to date, step by named step.
///
/// A step, once released, is never edited: it does not use the current code of the schema, and what follows it
/// builds on it. Each runs in a transaction of its own.
public struct Migrator: Sendable {
    public struct Step: Sendable {
        public let name: String
        public let sql: String
        public init(_ name: String, _ sql: String) {
            self.name = name
            self.sql = sql
        }
    }

    private let steps: [Step]

    public init(_ steps: [Step]) { self.steps = steps }

    /// Why a database cannot be used by this version.
    public enum Failure: Error, Sendable {
        /// A later version of this software made a step that this one does not know.
        case unknownStep(String)
        case sql(SQLError)
    }

    /// Runs the steps that the database does not have yet.
    public func migrate(_ connection: Connection) throws(Failure) {
        do throws(SQLError) {
            try connection.execute("CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY) WITHOUT ROWID")
        } catch { throw .sql(error) }
        let done = try applied(connection)
        for name in done where !steps.contains(where: { $0.name == name }) { throw .unknownStep(name) }
        for step in steps where !done.contains(step.name) {
            try connection.transaction(mapping: Failure.sql) { (connection) throws(Failure) in
                do throws(SQLError) {
                    // Another process may have come first while this one waited for the lock.
                    if try connection.first(
                        "SELECT 1 FROM migration WHERE name = ?", [.text(step.name)], read: { _ in true })
                        == true
                    {
                        return
                    }
                    try connection.execute(step.sql)
                    try connection.run("INSERT INTO migration (name) VALUES (?)", [.text(step.name)])
                } catch { throw .sql(error) }
            }
        }
    }

    private func applied(_ connection: Connection) throws(Failure) -> Set<String> {
        do throws(SQLError) {
            return Set(try connection.all("SELECT name FROM migration") { $0.text(0) })
        } catch { throw .sql(error) }
    }
}
