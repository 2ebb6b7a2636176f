internal import CSQLite
import Platform

/// One connection to a database, used by one thread at a time: whoever owns it sees to that.
public final class Connection: @unchecked Sendable {
    // Sendable: handed from thread to thread by a pool or a lock, never used by two at once.
    let handle: OpaquePointer
    private var statements: [UnsafePointer<UInt8>: OpaquePointer] = [:]
    /// Further copies of statements that are used while their rows are read; gone after use.
    private var nested: Set<OpaquePointer> = []

    public enum Access: Sendable {
        case readOnly
        case readWrite
        /// Makes the file where it is missing.
        case create
    }

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - cacheKiB: the most memory that pages of the database may take in this connection.
    ///   - busyTimeout: how long a statement waits for another process's lock, in milliseconds.
    public init(
        path: String, access: Access, cacheKiB: Int = 1024, busyTimeout: Int32 = 15_000
    ) throws(SQLError) {
        var handle: OpaquePointer?
        let mode =
            switch access {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        let code = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let handle, code == SQLITE_OK else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw SQLError(code: code, message: message, statement: path)
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, busyTimeout)
        // A damaged or hostile file must not run code or corrupt memory through its schema.
        _ = csqlite_defensive(handle)
        _ = csqlite_untrusted_schema(handle)
        try execute("PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA cache_size = -\(cacheKiB)")
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters or results, such as a schema.
    public func execute(_ sql: String) throws(SQLError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code, sql) }
    }

    /// Runs a statement whose rows nobody needs.
    public func run(_ sql: StaticString, _ values: [Value] = []) throws(SQLError) {
        let statement = try prepared(sql, values)
        defer { finish(statement) }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            if code != SQLITE_ROW { throw error(code, sql.description) }
        }
    }

    /// Reads the first row, nil where there is none.
    public func first<Result>(
        _ sql: StaticString, _ values: [Value] = [], read: (Row) -> Result
    ) throws(SQLError) -> Result? {
        let statement = try prepared(sql, values)
        defer { finish(statement) }
        let code = sqlite3_step(statement)
        if code == SQLITE_ROW { return read(Row(statement: statement)) }
        if code == SQLITE_DONE { return nil }
        throw error(code, sql.description)
    }

    /// Reads row after row until `read` answers false or there are no more.
    public func forEach(_ sql: StaticString, _ values: [Value] = [], read: (Row) -> Bool) throws(SQLError) {
        let statement = try prepared(sql, values)
        defer { finish(statement) }
        try walk(statement, sql.description, read)
    }

    /// Reads all rows. For results whose number is bounded.
    public func all<Result>(
        _ sql: StaticString, _ values: [Value] = [], read: (Row) -> Result
    ) throws(SQLError) -> [Result] {
        let statement = try prepared(sql, values)
        defer { finish(statement) }
        var results: [Result] = []
        try walk(statement, sql.description) {
            results.append(read($0))
            return true
        }
        return results
    }

    /// Reads row after row of a statement composed at run time; every value in it is a parameter.
    public func forEach(composed sql: String, _ values: [Value], read: (Row) -> Bool) throws(SQLError) {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard let statement, code == SQLITE_OK else { throw error(code, sql) }
        defer { sqlite3_finalize(statement) }
        try bind(values, to: statement, sql)
        try walk(statement, sql, read)
    }

    /// The row number that the last insert made.
    public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// How many rows the last statement changed.
    public var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// Runs `body` in a transaction that other connections see at once or not at all.
    ///
    /// What `body` throws takes every change back.
    public func transaction<Result, Failure: Error>(
        mapping: (SQLError) -> Failure, _ body: (Connection) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(SQLError) { try run("BEGIN IMMEDIATE") } catch { throw mapping(error) }
        let result: Result
        do throws(Failure) {
            result = try body(self)
        } catch {
            rollBack()
            throw error
        }
        do throws(SQLError) { try run("COMMIT") } catch {
            rollBack()
            throw mapping(error)
        }
        return result
    }

    /// Statements that are still in the middle of their rows; 0 between uses of the connection.
    public var runningStatements: Int {
        statements.values.reduce(nested.count) { $0 + (sqlite3_stmt_busy($1) != 0 ? 1 : 0) }
    }

    /// Lets the write-ahead log flow back into the database file as far as readers allow.
    public func checkpoint() { _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil) }

    private func rollBack() {
        // A full disk may have rolled the transaction back already.
        if sqlite3_get_autocommit(handle) == 0 { _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    private func prepared(_ sql: StaticString, _ values: [Value]) throws(SQLError) -> OpaquePointer {
        let statement: OpaquePointer
        let cached = statements[sql.utf8Start]
        if let cached, sqlite3_stmt_busy(cached) == 0 {
            statement = cached
        } else {
            var made: OpaquePointer?
            let code = sqlite3_prepare_v3(
                handle, sql.description, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
            guard let made, code == SQLITE_OK else { throw error(code, sql.description) }
            if cached == nil { statements[sql.utf8Start] = made } else { nested.insert(made) }
            statement = made
        }
        do throws(SQLError) {
            try bind(values, to: statement, sql.description)
        } catch {
            finish(statement)
            throw error
        }
        return statement
    }

    private func bind(_ values: [Value], to statement: OpaquePointer, _ sql: @autoclosure () -> String) throws(SQLError)
    {
        // One that is not given would be NULL in silence.
        guard Int(sqlite3_bind_parameter_count(statement)) == values.count else {
            throw SQLError(code: SQLITE_RANGE, message: "\(values.count) values do not fit", statement: sql())
        }
        for (offset, value) in values.enumerated() {
            let index = Int32(offset + 1)
            let code =
                switch value {
                case .null: sqlite3_bind_null(statement, index)
                case .integer(let number): sqlite3_bind_int64(statement, index, number)
                case .real(let number): sqlite3_bind_double(statement, index, number)
                case .text(let bytes):
                    bytes.withUnsafeBytes {
                        sqlite3_bind_text64(
                            statement, index, $0.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.empty,
                            UInt64($0.count), csqlite_transient(), UInt8(SQLITE_UTF8))
                    }
                case .blob(let bytes):
                    bytes.withUnsafeBytes {
                        sqlite3_bind_blob64(
                            statement, index, $0.baseAddress ?? UnsafeRawPointer(Self.empty), UInt64($0.count),
                            csqlite_transient())
                    }
                }
            if code != SQLITE_OK { throw error(code, sql()) }
        }
    }

    private func walk(_ statement: OpaquePointer, _ sql: String, _ read: (Row) -> Bool) throws(SQLError) {
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            if code != SQLITE_ROW { throw error(code, sql) }
            if !read(Row(statement: statement)) { return }
        }
    }

    private func finish(_ statement: OpaquePointer) {
        if !nested.isEmpty, nested.remove(statement) != nil {
            sqlite3_finalize(statement)
            return
        }
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }

    private func error(_ code: Int32, _ sql: String) -> SQLError {
        SQLError(code: code, message: String(cString: sqlite3_errmsg(handle)), statement: sql)
    }

    // A pointer that is not null, for values of no bytes: null would bind NULL.
    private nonisolated(unsafe) static let empty: UnsafePointer<CChar> = {
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        pointer.initialize(to: 0)
        return UnsafePointer(pointer)
    }()
}
