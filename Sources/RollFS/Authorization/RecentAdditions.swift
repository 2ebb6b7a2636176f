internal import Platform

/// What add-only clients added in the last ten minutes, so that programs can finish with it.
final class RecentAdditions: Sendable {
    private struct Addition: Hashable {
        var node: UInt64
        var client: String
    }

    /// Until when each shows, on the clock that is never set back.
    private let additions = Lock<[Addition: Int64]>([:])
    private static let lifetime: Int64 = 600 * 1_000_000_000
    private static let limit = 100_000

    /// - Parameter now: on the clock that is never set back.
    func add(_ node: UInt64, by client: String, at now: Int64 = Clock.monotonic()) {
        additions.withLock { Self.add(node, client, now, &$0) }
    }

    /// Gives a client's addition its time anew, and the node to which its bytes went.
    func renew(_ node: UInt64, _ target: UInt64?, by client: String, at now: Int64 = Clock.monotonic()) {
        additions.withLock { additions in
            // Whoever has just closed the file was let in; the time may have run out while it was written.
            guard additions[Addition(node: node, client: client)] != nil else { return }
            Self.add(node, client, now, &additions)
            if let target { Self.add(target, client, now, &additions) }
        }
    }

    private static func add(_ node: UInt64, _ client: String, _ now: Int64, _ additions: inout [Addition: Int64]) {
        if additions.count >= limit { additions = additions.filter { $0.value > now } }
        if additions.count >= limit { additions.removeAll() }
        additions[Addition(node: node, client: client)] = now + lifetime
    }

    func contains(_ node: UInt64, by client: String, at now: Int64 = Clock.monotonic()) -> Bool {
        additions.withLock { additions in
            guard let until = additions[Addition(node: node, client: client)] else { return false }
            return until > now
        }
    }

    /// All that a client added lately.
    func nodes(of client: String, at now: Int64 = Clock.monotonic()) -> [UInt64] {
        additions.withLock { additions in
            additions.filter { $0.key.client == client && $0.value > now }.map(\.key.node)
        }
    }
}
