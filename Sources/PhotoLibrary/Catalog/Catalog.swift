internal import Platform
internal import SQLite

/// The library's database: one writer at a time, readers beside it.
final class Catalog: Sendable {
    /// Held while a transaction runs. A reader never waits for it.
    private let writer: Lock<Connection>
    private let readers: ConnectionPool
    private let synchronizer: LogSynchronizer
    private let report: @Sendable (SQLError) -> Void
    private let damaged = Lock(false)
    private let writes = Lock<UInt64>(0)
    let isReadOnly: Bool

    /// Opens the catalogue, makes it where `create` says so, and brings its schema up to date.
    init(
        path: String, create: Bool, readOnly: Bool, report: @escaping @Sendable (SQLError) -> Void
    ) throws(Migrator.Failure) {
        self.report = report
        isReadOnly = readOnly
        let connection: Connection
        do throws(SQLError) {
            connection = try Connection(path: path, access: create ? .create : .readWrite, cacheKiB: 4096)
            // SQLite takes an empty file for a new database: it would hide that everything is gone.
            if !create, try connection.first("SELECT 1 FROM sqlite_master LIMIT 1", read: { _ in true }) == nil {
                throw SQLError(code: SQLError.notADatabase, message: "it is empty", statement: path)
            }
            try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        } catch { throw .sql(error) }
        if !readOnly { try Schema.migrator.migrate(connection) }
        do throws(SQLError) {
            // A write, so that the log exists before anyone asks for it to be synced.
            if !readOnly {
                try connection.run(
                    "INSERT OR REPLACE INTO setting (name, value) VALUES ('opened', ?)", [.integer(Clock.now())])
            }
        } catch { throw .sql(error) }
        do throws(Errno) {
            let log = try FileDescriptor.open(path + "-wal", .readOnly)
            synchronizer = LogSynchronizer(file: log)
        } catch {
            throw .sql(SQLError(code: 10, message: "the write-ahead log cannot be opened: \(error)", statement: path))
        }
        writer = Lock(connection)
        readers = ConnectionPool { () throws(SQLError) in
            try Connection(path: path, access: .readOnly, cacheKiB: 512)
        }
    }

    /// Reads from the state that the last transaction left.
    func read<Result>(_ body: (Database) throws(Errno) -> Result) throws(Errno) -> Result {
        try readers.withConnection(mapping: failed) { (connection) throws(Errno) in
            try body(Database(connection: connection, report: note))
        }
    }

    /// Runs a transaction: all of it or nothing. It is on the disk once `synchronize` has returned.
    func write<Result>(_ body: (Database) throws(Errno) -> Result) throws(Errno) -> Result {
        if isReadOnly || damaged.withLock({ $0 }) { throw .readOnlyFileSystem }
        // Before and after: whoever counts in between knows that what it read may be old.
        writes.withLock { $0 &+= 1 }
        defer { writes.withLock { $0 &+= 1 } }
        return try writer.withLock { (connection) throws(Errno) in
            try connection.transaction(mapping: failed) { (connection) throws(Errno) in
                let database = Database(connection: connection, report: note)
                let result = try body(database)
                try database.settlePairs()
                return result
            }
        }
    }

    /// Counts this process's changes; equal counts mean that nothing was changed in between by it.
    var changeCount: UInt64 { writes.withLock { $0 } }

    /// Returns when every transaction committed so far is on the disk.
    func synchronize() throws(Errno) { try synchronizer.synchronize() }

    /// When the catalogue was last changed, by any process; nanoseconds since 1970 UTC.
    func lastChange() throws(Errno) -> Int64 { try synchronizer.lastWrite() }

    /// The database was found damaged; nothing is written any more.
    var isDamaged: Bool { damaged.withLock { $0 } }

    private func failed(_ error: SQLError) -> Errno {
        note(error)
        return error.errno
    }

    private func note(_ error: SQLError) {
        if error.isDamage { damaged.withLock { $0 = true } }
        report(error)
    }
}
