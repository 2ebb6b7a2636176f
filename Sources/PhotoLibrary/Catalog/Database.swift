internal import Platform
internal import SQLite

/// A connection whose failures are errnos, as the file system answers them; each is reported in one place.
struct Database {
    let connection: Connection
    let report: @Sendable (SQLError) -> Void

    func run(_ sql: StaticString, _ values: [Value] = []) throws(Errno) {
        do throws(SQLError) { try connection.run(sql, values) } catch { throw failed(error) }
    }

    func first<Result>(_ sql: StaticString, _ values: [Value] = [], read: (Row) -> Result) throws(Errno) -> Result? {
        do throws(SQLError) { return try connection.first(sql, values, read: read) } catch { throw failed(error) }
    }

    func forEach(_ sql: StaticString, _ values: [Value] = [], read: (Row) -> Bool) throws(Errno) {
        do throws(SQLError) { try connection.forEach(sql, values, read: read) } catch { throw failed(error) }
    }

    func forEach(composed sql: String, _ values: [Value], read: (Row) -> Bool) throws(Errno) {
        do throws(SQLError) {
            try connection.forEach(composed: sql, values, read: read)
        } catch { throw failed(error) }
    }

    func all<Result>(_ sql: StaticString, _ values: [Value] = [], read: (Row) -> Result) throws(Errno) -> [Result] {
        do throws(SQLError) { return try connection.all(sql, values, read: read) } catch { throw failed(error) }
    }

    var lastInsertedRow: Int64 { connection.lastInsertedRow }
    var changedRows: Int { connection.changedRows }

    private func failed(_ error: SQLError) -> Errno {
        if error.errno != .exists { report(error) }
        return error.errno
    }
}
