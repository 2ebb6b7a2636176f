internal import Platform

/// Which assets a program has set aside under a backup's name a moment ago, such as `a.jpg~` or `a.jpg_original`: what it
/// writes next under the old name is an edit of them.
final class SetAsideNames: Sendable {
    struct Backup: Sendable {
        var node: UInt64
        var name: FileName
        var client: String
        /// On the monotonic clock, in nanoseconds.
        var time: Int64
    }

    /// How long a program may take from the one step to the other.
    static let lifetime: Int64 = 600 * 1_000_000_000
    private static let limit = 1024

    private let backups = Lock<[WrittenName: Backup]>([:])

    func note(_ node: UInt64, from old: WrittenName, to name: FileName, client: String) {
        let backup = Backup(node: node, name: name, client: client, time: Clock.monotonic())
        backups.withLock { backups in
            if backups.count >= Self.limit {
                backups = backups.filter { backup.time - $0.value.time < Self.lifetime }
                if backups.count >= Self.limit { backups.removeAll() }
            }
            backups[old] = backup
        }
    }

    func backup(of name: WrittenName, by client: String) -> Backup? {
        let now = Clock.monotonic()
        let found = backups.withLock { $0[name] }
        guard let found, found.client == client, now - found.time < Self.lifetime else { return nil }
        return found
    }

    func forget(_ name: WrittenName) { backups.withLock { $0[name] = nil } }
}
