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
        /// The programs of each user that have a record of their own: only then is the caller's program looked up.
        var programs: [UInt32: [String]]
        var isReadable = true

        func status(of client: String, _ level: AccessLevel) -> AuthorizationStatus {
            statuses[client]?[level] ?? .notDetermined
        }
    }

    /// How long a mount lets the kernel keep names and attributes for a user who sees everything, in nanoseconds. Whoever
    /// takes a record back waits that long before it says that it is done.
    public static let cacheLifetime: Int64 = 1_000_000_000

    let catalog: Catalog
    private let log: EventLog
    private let changes: SharedCounter
    private let snapshot = Lock<Snapshot?>(nil)

    /// What the machine's administrator restricts.
    private let policy: AuthorizationPolicy

    init(catalog: Catalog, log: EventLog, changes: SharedCounter, policy: AuthorizationPolicy) {
        self.policy = policy
        self.catalog = catalog
        self.log = log
        self.changes = changes
    }

    /// What the calling process may do now. The program's record decides where there is one, else the user's.
    ///
    /// What the administrator restricts comes before every record.
    public func access(uid: UInt32, pid: Int32) -> Access {
        let current = currentSnapshot()
        let programs = current.programs[uid] ?? []
        let isProgramWanted = !programs.isEmpty || policy.concernsPrograms(of: uid)
        let path = isProgramWanted ? RunningProcess.program(of: pid) : nil
        let access = access(uid, path, programs, current)
        if policy.isEmpty { return access }
        return access.restricted(
            readWrite: policy.isRestricted(.readWrite, user: uid, program: path),
            addOnly: policy.isRestricted(.addOnly, user: uid, program: path))
    }

    private func access(_ uid: UInt32, _ path: String?, _ programs: [String], _ current: Snapshot) -> Access {
        let user = Client.user(uid).description
        guard current.isReadable else { return .none(client: user) }
        guard !programs.isEmpty else { return access(of: user, current, [user]) }
        guard let path else {
            // It may be any of them: what none of the records forbids is allowed.
            return access(of: user, current, [user] + programs)
        }
        let program = Client.program(path: path, user: uid).description
        guard let record = current.statuses[program] else { return access(of: user, current, [user]) }
        // A level that the program has no record of is the user's.
        return Access(
            client: program, readWrite: record[.readWrite] ?? current.status(of: user, .readWrite),
            addOnly: record[.addOnly] ?? current.status(of: user, .addOnly))
    }

    /// The access that all of some clients have.
    private func access(of client: String, _ snapshot: Snapshot, _ clients: [String]) -> Access {
        func least(_ level: AccessLevel) -> AuthorizationStatus {
            let held = clients.compactMap { client -> AuthorizationStatus? in
                // A program without a record of this level is its user.
                snapshot.statuses[client]?[level]
                    ?? (client == clients[0] ? AuthorizationStatus.notDetermined : nil)
            }
            return held.min { $0.extent < $1.extent } ?? .notDetermined
        }
        return Access(client: client, readWrite: least(.readWrite), addOnly: least(.addOnly))
    }

    /// Whether every process of a user sees everything, so that the kernel may keep names and attributes for it.
    public func seesEverything(uid: UInt32) -> Bool {
        guard !policy.concernsPrograms(of: uid), !policy.isRestricted(.readWrite, user: uid, program: nil),
            !policy.isRestricted(.addOnly, user: uid, program: nil)
        else { return false }
        let current = currentSnapshot()
        guard current.isReadable, current.statuses[Client.user(uid).description]?[.readWrite] == .authorized else {
            return false
        }
        return (current.programs[uid] ?? []).allSatisfy { program in
            let status = current.statuses[program]?[.readWrite]
            return status == nil || status == .authorized
        }
    }

    /// Writes a refusal to the log.
    public func noteRefusal(client: String, level: AccessLevel, operation: String, path: String, errno: Errno) {
        let advice =
            errno == .notPermitted
            ? "This machine's administrator restricts it."
            : "Allow it with: cameraroll authorization LIBRARY allow \(client)"
        log.add(
            EventLog.Event(
                client: client, operation: operation, path: path, errno: errno,
                reason: "\(client) has no \(level.name) access to this library. \(advice)", level: level.name))
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
        let names = levels.map(\.name).joined(separator: ", ")
        try change(client, levels: names, "set \(what)") { (database) throws(Errno) in
            for level in levels {
                guard let status = statuses[level] else { continue }
                try database.run(
                    "INSERT OR REPLACE INTO authorization (client, level, status, changed_at) VALUES (?, ?, ?, ?)",
                    [
                        .text(client.description), .integer(level.rawValue), .integer(status.rawValue),
                        .integer(Clock.now()),
                    ])
            }
            try forgetRequests(of: client, in: database)
        }
    }

    /// Limits a client to some assets, added to those that were chosen before, and to what it adds itself.
    public func limit(_ client: Client, to assets: [Int64]) throws(Errno) {
        let what = "set \(AccessLevel.readWrite.name) to limited, \(assets.count) assets chosen"
        try change(client, levels: AccessLevel.readWrite.name, what) { (database) throws(Errno) in
            try database.run(
                "INSERT OR REPLACE INTO authorization (client, level, status, changed_at) VALUES (?, ?, ?, ?)",
                [
                    .text(client.description), .integer(AccessLevel.readWrite.rawValue),
                    .integer(AuthorizationStatus.limited.rawValue), .integer(Clock.now()),
                ])
            for asset in assets {
                try database.run(
                    """
                    INSERT OR IGNORE INTO authorization_selection (client, asset)
                    SELECT ?1, id FROM asset WHERE id = ?2
                    UNION SELECT ?1, id FROM asset WHERE primary_asset = ?2
                    UNION SELECT ?1, primary_asset FROM asset WHERE id = ?2 AND primary_asset IS NOT NULL
                    """, [.text(client.description), .integer(asset)])
            }
            try forgetRequests(of: client, in: database)
        }
    }

    /// How many assets were chosen for a limited client.
    public func selectionCount(of client: Client) throws(Errno) -> Int {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                "SELECT count(*) FROM authorization_selection WHERE client = ?", [.text(client.description)]
            ) { $0.int(0) } ?? 0
        }
    }

    /// Forgets the answers of a client: both levels are not determined again.
    public func reset(_ client: Client) throws(Errno) {
        let levels = AccessLevel.allCases.map(\.name).joined(separator: ", ")
        try change(client, levels: levels, "reset") { (database) throws(Errno) in
            try database.run("DELETE FROM authorization WHERE client = ?", [.text(client.description)])
            try database.run("DELETE FROM authorization_selection WHERE client = ?", [.text(client.description)])
            try forgetRequests(of: client, in: database)
        }
    }

    /// Counts the changes of records, by every process.
    public var generation: UInt64 { changes.value }

    private func change(
        _ client: Client, levels: String, _ what: String, _ body: (Database) throws(Errno) -> Void
    ) throws(Errno) {
        try catalog.write(body)
        // It holds from here on, also where the disk fails next.
        changes.increment()
        try catalog.synchronize()
        log.add(
            EventLog.Event(
                client: client.description, operation: "authorization", path: "", errno: Errno(rawValue: 0),
                reason: what, level: levels))
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
            var result = Snapshot(generation: generation, statuses: [:], programs: [:])
            for record in try records() {
                result.statuses[record.client, default: [:]][record.level] = record.status
                if case .program(_, let uid) = Client(record.client),
                    result.programs[uid]?.last != record.client
                {
                    // Records come by client.
                    result.programs[uid, default: []].append(record.client)
                }
            }
            return result
        } catch {
            return Snapshot(generation: generation, statuses: [:], programs: [:], isReadable: false)
        }
    }
}
