internal import Platform

/// Which assets a program has taken out of the way a moment ago: set aside under a backup's name, such as `a.jpg~` or
/// `a.jpg_original`, or removed. What it writes next under the old name is meant to take their place.
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

    private struct Removal {
        var node: UInt64
        /// On the monotonic clock, in nanoseconds.
        var time: Int64
    }

    private struct Removals {
        /// What each thread removed last.
        var byThread: [Int32: (name: WrittenName, removal: Removal)] = [:]
        /// Files that were made in a removed one's place, and that one.
        var replaced: [UInt64: UInt64] = [:]
    }

    /// mv(1) and install(1) make the new file at once. What comes later is another story.
    private static let pause: Int64 = 2 * 1_000_000_000

    private let removals = Lock(Removals())

    func noteRemoval(of node: UInt64, from name: WrittenName, by thread: Int32) {
        let now = Clock.monotonic()
        removals.withLock { removals in
            if removals.byThread.count >= Self.limit { removals.byThread.removeAll() }
            removals.byThread[thread] = (name, Removal(node: node, time: now))
        }
    }

    func noteCreation(of node: UInt64, at name: WrittenName, by thread: Int32) {
        let now = Clock.monotonic()
        removals.withLock { removals in
            guard let last = removals.byThread.removeValue(forKey: thread), last.name == name,
                now - last.removal.time < Self.pause
            else { return }
            if removals.replaced.count >= Self.limit { removals.replaced.removeAll() }
            removals.replaced[node] = last.removal.node
        }
    }

    /// The node in whose place a file was made; asked once, at the file's first close.
    func takeReplaced(by node: UInt64) -> UInt64? {
        removals.withLock { removals in
            removals.replaced.isEmpty ? nil : removals.replaced.removeValue(forKey: node)
        }
    }

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
