import Platform
import SQLite
import Support
import Testing

/// Runs `body` with a database of its own; no statement may be left in the middle of its rows.
func withDatabase<Result>(_ body: (Connection, String) throws -> Result) throws -> Result {
    try withTemporaryPlace { place in
        let connection = try Connection(path: place("database"), access: .create)
        let result = try body(connection, place("database"))
        #expect(connection.runningStatements == 0)
        return result
    }
}

/// What a closure throws.
func sqlFailure(_ body: () throws -> Void) -> SQLError? {
    do {
        try body()
        return nil
    } catch { return error as? SQLError }
}

@Suite struct ConnectionTests {
    @Test func everyTypeComesBack() throws {
        try withDatabase { connection, _ in
            try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
            let values: [Value] = [
                .null, .integer(Int64.min), .integer(Int64.max), .integer(0 as Int64), .integer(UInt64.max), .real(0.1),
                .real(-.infinity), .text(""), .text("ä\0b"), .text([0xFF, 0]), .blob([]), .blob([0, 1, 255]),
                .blob([UInt8](repeating: 7, count: 100_000)), .bool(true), .text(nil as String?),
                .integer(nil as Int64?), .real(nil as Double?), .integer(UInt32.max), .integer(nil as Int?),
            ]
            for (index, value) in values.enumerated() {
                try connection.run("INSERT INTO t VALUES (?, ?)", [.integer(index), value])
            }
            let types = try connection.all("SELECT typeof(v) FROM t ORDER BY id") { $0.text(0) }
            #expect(
                types == [
                    "null", "integer", "integer", "integer", "integer", "real", "real", "text", "text", "text", "blob",
                    "blob", "blob", "integer", "null", "null", "null", "integer", "null",
                ])
            for (index, value) in values.enumerated() {
                let same = try connection.first("SELECT v FROM t WHERE id = ?", [.integer(index)]) { row in
                    switch value {
                    case .null: row.isNull(0) && row.optionalText(0) == nil && row.optionalBytes(0) == nil
                    case .integer(let number): row.int64(0) == number
                    case .real(let number): row.double(0) == number
                    case .text(let bytes), .blob(let bytes): row.bytes(0) == bytes && row.optionalBytes(0) == bytes
                    }
                }
                #expect(same == true, "value \(index)")
            }
        }
    }

    @Test func aBodyThatThrowsTakesEverythingBack() throws {
        try withDatabase { connection, path in
            try connection.execute("CREATE TABLE t (v)")
            let other = try Connection(path: path, access: .readOnly)
            #expect(throws: Errno.busy) {
                try connection.transaction(mapping: \.errno) { (connection) throws(Errno) in
                    do { try connection.run("INSERT INTO t VALUES (1)") } catch { throw .ioError }
                    throw .busy
                }
            }
            #expect(try other.first("SELECT count(*) FROM t") { $0.int(0) } == 0)
            try connection.transaction(mapping: { $0 }) { (connection) throws(SQLError) in
                try connection.run("INSERT INTO t VALUES (1)")
                try connection.run("INSERT INTO t VALUES (2)")
            }
            #expect(try other.first("SELECT count(*) FROM t") { $0.int(0) } == 2)
        }
    }

    @Test func aFullDiskTakesEverythingBack() throws {
        try withDatabase { connection, _ in
            try connection.execute("CREATE TABLE t (v); PRAGMA max_page_count = 20")
            let error = sqlFailure {
                try connection.transaction(mapping: { $0 }) { (connection) throws(SQLError) in
                    for _ in 0..<100 {
                        try connection.run("INSERT INTO t VALUES (?)", [.blob([UInt8](repeating: 1, count: 4000))])
                    }
                }
            }
            #expect(error?.errno == .noSpace)
            #expect(try connection.first("SELECT count(*) FROM t") { $0.int(0) } == 0)
            try connection.execute("PRAGMA max_page_count = 1000")
            try connection.run("INSERT INTO t VALUES (?)", [.blob([UInt8](repeating: 1, count: 4000))])
            #expect(try connection.first("SELECT count(*) FROM t") { $0.int(0) } == 1)
        }
    }

    @Test func constraints() throws {
        try withDatabase { connection, _ in
            try connection.execute(
                """
                CREATE TABLE a (id INTEGER PRIMARY KEY, u UNIQUE, n NOT NULL DEFAULT 0);
                CREATE TABLE b (a INTEGER NOT NULL REFERENCES a (id))
                """)
            try connection.run("INSERT INTO a (id, u) VALUES (1, 1)")
            #expect(sqlFailure { try connection.run("INSERT INTO a (id, u) VALUES (2, 1)") }?.errno == .exists)
            #expect(sqlFailure { try connection.run("INSERT INTO a (id, u) VALUES (1, 2)") }?.errno == .exists)
            #expect(sqlFailure { try connection.run("INSERT INTO b VALUES (7)") }?.errno == .ioError)
            #expect(sqlFailure { try connection.run("INSERT INTO a (id, n) VALUES (3, NULL)") }?.errno == .ioError)
            #expect(sqlFailure { try connection.run("SELECT * FROM missing") }?.description.contains("missing") == true)
            // A statement that failed can be used again.
            #expect(sqlFailure { try connection.run("INSERT INTO a (id, u) VALUES (2, 1)") }?.errno == .exists)
        }
    }

    @Test func valuesMustFitTheStatement() throws {
        try withDatabase { connection, _ in
            try connection.execute("CREATE TABLE t (a, b)")
            #expect(sqlFailure { try connection.run("INSERT INTO t VALUES (?, 0)", [.null, .null]) } != nil)
            #expect(sqlFailure { try connection.run("INSERT INTO t VALUES (?, ?)", [.null]) } != nil)
            #expect(try connection.first("SELECT count(*) FROM t") { $0.int(0) } == 0)
        }
    }

    /// A statement that is used again while its rows are read must not disturb them.
    @Test func aStatementInsideItself() throws {
        try withDatabase { connection, _ in
            try connection.execute("CREATE TABLE t (parent, id); INSERT INTO t VALUES (0, 1), (0, 2), (1, 3), (1, 4)")
            func walk(_ parent: Int, _ depth: Int) -> [Int] {
                var found: [Int] = []
                try? connection.forEach("SELECT id FROM t WHERE parent = ? ORDER BY id", [.integer(parent)]) { row in
                    found.append(row.int(0))
                    if found.count > 100 { return false }
                    if depth < 4 { found += walk(row.int(0), depth + 1) }
                    return true
                }
                return found
            }
            #expect(walk(0, 0) == [1, 3, 4, 2])
        }
    }

    @Test func endingEarlyEndsTheStatement() throws {
        try withDatabase { connection, _ in
            try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2), (3)")
            #expect(try connection.first("SELECT v FROM t ORDER BY v") { $0.int(0) } == 1)
            try connection.forEach("SELECT v FROM t") { _ in false }
            try connection.forEach(composed: "SELECT v FROM t", []) { _ in false }
            #expect(connection.runningStatements == 0)
            // A read left open would keep this from working.
            try connection.execute("DROP TABLE t")
        }
    }

    @Test func readOnlyConnectionsDoNotWrite() throws {
        try withDatabase { connection, path in
            try connection.execute("CREATE TABLE t (v)")
            let reader = try Connection(path: path, access: .readOnly)
            #expect(sqlFailure { try reader.run("INSERT INTO t VALUES (1)") }?.errno == .readOnlyFileSystem)
            #expect(sqlFailure { _ = try Connection(path: path + "-missing", access: .readWrite) } != nil)
            #expect(!Files.exists(path + "-missing"))
        }
    }

    @Test func anotherWriterIsWaitedForAndThenBusy() throws {
        try withDatabase { connection, path in
            try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (v)")
            let other = try Connection(path: path, access: .readWrite, busyTimeout: 50)
            try connection.execute("BEGIN IMMEDIATE")
            let start = Clock.monotonic()
            #expect(sqlFailure { try other.run("INSERT INTO t VALUES (1)") }?.errno == .busy)
            #expect(Clock.monotonic() - start >= 40_000_000)
            try connection.execute("COMMIT")
            try other.run("INSERT INTO t VALUES (1)")
        }
    }

    @Test func aDamagedFileSaysSo() throws {
        try withTemporaryPlace { place in
            try Files.write([UInt8](repeating: 0x5A, count: 8192), to: place("garbage"))
            let error = sqlFailure {
                let connection = try Connection(path: place("garbage"), access: .readWrite)
                _ = try connection.first("SELECT count(*) FROM sqlite_master") { $0.int(0) }
            }
            #expect(error?.isDamage == true)
            #expect(error?.errno == .ioError)

            do {
                let connection = try Connection(path: place("torn"), access: .create)
                try connection.execute("CREATE TABLE t (v)")
                for _ in 0..<200 {
                    try connection.run("INSERT INTO t VALUES (?)", [.blob([UInt8](repeating: 1, count: 1000))])
                }
            }
            let file = try FileDescriptor.open(place("torn"), .readWrite)
            try [UInt8](repeating: 0xEE, count: 60_000).withUnsafeBytes { try file.writeFully($0, at: 8192) }
            let torn = try Connection(path: place("torn"), access: .readOnly)
            #expect(sqlFailure { _ = try torn.all("SELECT v FROM t") { $0.bytes(0).count } }?.isDamage == true)
        }
    }

    @Test func poolGivesEveryThreadItsOwn() throws {
        try withDatabase { connection, path in
            try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (v); INSERT INTO t VALUES (5)")
            let pool = ConnectionPool { () throws(SQLError) in try Connection(path: path, access: .readOnly) }
            let sum = Lock(0)
            let threads = try (0..<6).map { _ in
                try Platform.Thread(name: "reader") {
                    for _ in 0..<200 {
                        let value = try? pool.withConnection(mapping: { $0 }) { (connection) throws(SQLError) in
                            try connection.first("SELECT v FROM t") { $0.int(0) }
                        }
                        sum.withLock { $0 += (value ?? nil) ?? -1_000_000 }
                    }
                }
            }
            for thread in threads { thread.join() }
            #expect(sum.withLock { $0 } == 6000)
        }
    }
}

@Suite struct MigratorTests {
    private static let first = Migrator.Step("1-first", "CREATE TABLE t (v); INSERT INTO t VALUES (1)")
    private static let second = Migrator.Step("2-second", "ALTER TABLE t ADD COLUMN w; UPDATE t SET w = v + 1")

    @Test func eachStepRunsOnce() throws {
        try withDatabase { connection, _ in
            try Migrator([Self.first]).migrate(connection)
            try Migrator([Self.first]).migrate(connection)
            try Migrator([Self.first, Self.second]).migrate(connection)
            try Migrator([Self.first, Self.second]).migrate(connection)
            #expect(try connection.all("SELECT v, w FROM t") { [$0.int(0), $0.int(1)] } == [[1, 2]])
        }
    }

    @Test func anUnknownStepIsRefusedAndNothingDone() throws {
        try withDatabase { connection, _ in
            try Migrator([Self.first, Self.second]).migrate(connection)
            do throws(Migrator.Failure) {
                try Migrator([Self.first, Migrator.Step("3-third", "CREATE TABLE u (v)")]).migrate(connection)
                Issue.record("the step was not refused")
            } catch {
                guard case .unknownStep("2-second") = error else { throw error }
            }
            #expect(try connection.first("SELECT 1 FROM sqlite_master WHERE name = 'u'") { $0.int(0) } == nil)
        }
    }

    @Test func aStepThatFailsLeavesNothing() throws {
        try withDatabase { connection, _ in
            let broken = Migrator.Step("2-broken", "CREATE TABLE u (v); INSERT INTO missing VALUES (1)")
            #expect(throws: (any Error).self) { try Migrator([Self.first, broken]).migrate(connection) }
            #expect(try connection.first("SELECT 1 FROM sqlite_master WHERE name = 'u'") { $0.int(0) } == nil)
            #expect(try connection.first("SELECT 1 FROM sqlite_master WHERE name = 't'") { $0.int(0) } == 1)
            try Migrator([Self.first, Self.second]).migrate(connection)
        }
    }

    @Test func concurrentMigratorsDoEachStepOnce() throws {
        try withTemporaryPlace { place in
            for round in 0..<10 {
                let path = place("database\(round)")
                let failures = Lock([String]())
                let threads = try (0..<4).map { _ in
                    try Platform.Thread(name: "migrator") {
                        do {
                            let connection = try Connection(path: path, access: .create)
                            try connection.execute("PRAGMA journal_mode = WAL")
                            try Migrator([Self.first, Self.second]).migrate(connection)
                        } catch { failures.withLock { $0.append("\(error)") } }
                    }
                }
                for thread in threads { thread.join() }
                #expect(failures.withLock { $0 } == [])
                let connection = try Connection(path: path, access: .readOnly)
                #expect(try connection.all("SELECT v, w FROM t") { [$0.int(0), $0.int(1)] } == [[1, 2]])
            }
        }
    }
}
