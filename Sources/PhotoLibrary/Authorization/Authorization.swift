public import Platform
internal import SQLite

/// The gate: which client may see, add and change what.
///
/// Records live in the catalogue. Every process that has the library open sees a change at its next question, by a
/// counter in shared memory; records that cannot be read deny.
public final class Authorization: Sendable {
    private struct Snapshot: Sendable {
        var generation: UInt64
        var statuses: [String: [AccessLevel: AuthorizationStatus]]
        /// Users for whom some program has a record of its own: only then is the caller's program looked up.
        var usersWithPrograms: Set<UInt32>
        var isReadable = true
    }

    private let catalog: Catalog
    private let log: EventLog
    private let changes: SharedCounter
    private let snapshot = Lock<Snapshot?>(nil)

    init(catalog: Catalog, log: EventLog, changes: SharedCounter) {
        self.catalog = catalog
        self.log = log
        self.changes = changes
    }

    /// What the calling process may do now. The program's record decides where there is one, else the user's.
    public func access(uid: UInt32, pid: Int32) -> Access {
        let current = currentSnapshot()
        let user = Client.user(uid).description
        guard current.isReadable else { return .none(client: user) }
        if current.usersWithPrograms.contains(uid), let path = RunningProcess.program(of: pid) {
            let program = Client.program(path: path, user: uid).description
            if let record = current.statuses[program] {
                // A level that the program has no record of is the user's.
                let users = current.statuses[user] ?? [:]
                return Access(
                    client: program, readWrite: record[.readWrite] ?? users[.readWrite] ?? .notDetermined,
                    addOnly: record[.addOnly] ?? users[.addOnly] ?? .notDetermined)
            }
        }
        let record = current.statuses[user] ?? [:]
        return Access(
            client: user, readWrite: record[.readWrite] ?? .notDetermined, addOnly: record[.addOnly] ?? .notDetermined)
    }

    /// Whether every process of a user sees everything, so that the kernel may keep names and attributes for it.
    public func seesEverything(uid: UInt32) -> Bool {
        let current = currentSnapshot()
        guard current.isReadable, current.statuses[Client.user(uid).description]?[.readWrite] == .authorized else {
            return false
        }
        guard current.usersWithPrograms.contains(uid) else { return true }
        return !current.statuses.contains { client, levels in
            guard case .program(_, uid) = Client(client) else { return false }
            return levels[.readWrite] != nil && levels[.readWrite] != .authorized
        }
    }

    /// Writes a refusal to the log.
    public func noteRefusal(client: String, level: AccessLevel, operation: String, path: String, errno: Errno) {
        log.add(
            EventLog.Event(
                client: client, operation: operation, path: path, errno: errno,
                reason: "\(client) has no \(level.name) access to this library. "
                    + "Allow it with: cameraroll authorization LIBRARY allow \(client)"))
    }

    /// The names of the log's files in the library's `logs` directory, oldest first.
    public var logFileNames: [String] { log.fileNames }

    /// All records, by client and level.
    public func records() throws(Errno) -> [AuthorizationRecord] {
        try catalog.read { (database) throws(Errno) in
            try database.all(
                "SELECT client, level, status, changed_at FROM authorization ORDER BY client, level"
            ) { row -> AuthorizationRecord? in
                guard let level = AccessLevel(rawValue: row.int(1)),
                    let status = AuthorizationStatus(rawValue: row.int(2))
                else { return nil }
                return AuthorizationRecord(client: row.text(0), level: level, status: status, changed: row.int64(3))
            }.compactMap { $0 }
        }
    }

    /// Stores an answer; it is on the disk and holds for every process when this returns.
    public func set(_ status: AuthorizationStatus, of client: Client, level: AccessLevel) throws(Errno) {
        try set([level: status], of: client)
    }

    /// Stores an answer to several levels at once.
    public func set(_ statuses: [AccessLevel: AuthorizationStatus], of client: Client) throws(Errno) {
        let levels = AccessLevel.allCases.filter { statuses[$0] != nil }
        let what = levels.map { "\($0.name) to \(statuses[$0]?.name ?? "")" }.joined(separator: ", ")
        try change(client, "set \(what)") { (database) throws(Errno) in
            for level in levels {
                guard let status = statuses[level] else { continue }
                try database.run(
                    "INSERT OR REPLACE INTO authorization (client, level, status, changed_at) VALUES (?, ?, ?, ?)",
                    [
                        .text(client.description), .integer(level.rawValue), .integer(status.rawValue),
                        .integer(Clock.now()),
                    ])
            }
        }
    }

    /// Forgets the answers of a client: both levels are not determined again.
    public func reset(_ client: Client) throws(Errno) {
        try change(client, "reset") { (database) throws(Errno) in
            try database.run("DELETE FROM authorization WHERE client = ?", [.text(client.description)])
            try database.run("DELETE FROM authorization_selection WHERE client = ?", [.text(client.description)])
        }
    }

    /// Whether an asset belongs to the set that a limited client may see.
    public func isSelected(asset: Int64, for client: String) throws(Errno) -> Bool {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                "SELECT 1 FROM authorization_selection WHERE client = ? AND asset = ?",
                [.text(client), .integer(asset)]
            ) { _ in true } ?? false
        }
    }

    private func change(
        _ client: Client, _ what: String, _ body: (Database) throws(Errno) -> Void
    ) throws(Errno) {
        try catalog.write(body)
        // It holds from here on, also where the disk fails next.
        changes.increment()
        try catalog.synchronize()
        log.add(
            EventLog.Event(
                client: client.description, operation: "authorization", path: "", errno: Errno(rawValue: 0),
                reason: what))
    }

    private func currentSnapshot() -> Snapshot {
        let generation = changes.value
        if let current = snapshot.withLock({ $0 }), current.generation == generation { return current }
        let fresh = load(generation)
        // What could not be read is asked for again the next time.
        guard fresh.isReadable else { return fresh }
        snapshot.withLock { held in
            // A slower thread must not put an older answer over a newer one.
            if let other = held, other.generation > fresh.generation { return }
            held = fresh
        }
        return fresh
    }

    private func load(_ generation: UInt64) -> Snapshot {
        do throws(Errno) {
            var result = Snapshot(generation: generation, statuses: [:], usersWithPrograms: [])
            for record in try records() {
                result.statuses[record.client, default: [:]][record.level] = record.status
                if case .program(_, let uid) = Client(record.client) { result.usersWithPrograms.insert(uid) }
            }
            return result
        } catch {
            return Snapshot(generation: generation, statuses: [:], usersWithPrograms: [], isReadable: false)
        }
    }
}
