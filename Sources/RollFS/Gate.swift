internal import FUSE
internal import PhotoLibrary
internal import Platform

/// Asks for every operation whether the client may.
final class Gate: Sendable {
    private let library: Library
    private let recent = RecentAdditions()

    init(library: Library) { self.library = library }

    func access(of caller: Caller) -> Access { library.authorization.access(uid: caller.uid, pid: caller.pid) }

    /// Whether a client sees a node. To one who sees a part of the library, all directories show: they lead to that part,
    /// and take what it adds.
    func admits(_ access: Access, to node: NodeRecord) throws(Errno) -> Bool {
        if node.kind == .directory { return access.visibility != .nothing || isShell(node) }
        return try mayChange(access, node)
    }

    /// Whether a client reads, changes and removes a node.
    private func mayChange(_ access: Access, _ node: NodeRecord) throws(Errno) -> Bool {
        switch access.visibility {
        case .everything: return true
        case .nothing: return false
        case .ownRecent: return recent.contains(node.id, by: access.client)
        case .limited:
            if node.client == access.client { return true }
            guard let asset = node.asset else { return false }
            return try library.authorization.isSelected(asset: asset, for: access.client)
        }
    }

    /// Directories that everyone sees, though not what they hold.
    private func isShell(_ node: NodeRecord) -> Bool {
        node.id == Library.rootNode || node.id == Library.cameraRollNode
    }

    /// Lets a client look a name up.
    ///
    /// - Throws: the refusal for one who sees nothing, whether the name exists or not; `ENOENT` for one who sees a part.
    func require(_ access: Access, sees node: NodeRecord) throws(Errno) {
        if try admits(access, to: node) { return }
        throw access.visibility == .nothing ? access.refusal : .noEntry
    }

    /// Lets a client open, change or remove a node.
    func require(
        _ access: Access, reaches node: NodeRecord, _ operation: StaticString, _ path: @autoclosure () -> String
    ) throws(Errno) {
        if try mayChange(access, node) { return }
        refuse(access, .readWrite, operation, path())
        throw access.visibility == .nothing ? access.refusal : .accessDenied
    }

    /// Lets a client add to the library.
    func requireAdding(
        _ access: Access, _ operation: StaticString, _ path: @autoclosure () -> String
    ) throws(Errno) {
        if access.canAdd { return }
        refuse(access, .addOnly, operation, path())
        throw access.refusal
    }

    /// Lets only those pass who see everything, for what concerns more than one asset.
    func requireEverything(
        _ access: Access, _ operation: StaticString, _ path: @autoclosure () -> String
    ) throws(Errno) {
        if access.visibility == .everything { return }
        refuse(access, .readWrite, operation, path())
        throw access.refusal
    }

    /// Notes what a client added, so that it can finish with it.
    func noteAddition(_ node: UInt64, by access: Access) {
        if access.visibility == .ownRecent { recent.add(node, by: access.client) }
    }

    private func refuse(_ access: Access, _ level: AccessLevel, _ operation: StaticString, _ path: String) {
        library.authorization.noteRefusal(
            client: access.client, level: level, operation: operation.description, path: path, errno: access.refusal)
    }
}

/// What add-only clients added in the last ten minutes.
final class RecentAdditions: Sendable {
    private struct Addition {
        var client: String
        var until: Int64
    }

    private let additions = Lock<[UInt64: Addition]>([:])
    private static let lifetime: Int64 = 600 * 1_000_000_000
    private static let limit = 100_000

    /// - Parameter now: on the clock that is never set back.
    func add(_ node: UInt64, by client: String, at now: Int64 = Clock.monotonic()) {
        additions.withLock { additions in
            if additions.count >= Self.limit { additions = additions.filter { $0.value.until > now } }
            if additions.count >= Self.limit { additions.removeAll() }
            additions[node] = Addition(client: client, until: now + Self.lifetime)
        }
    }

    func contains(_ node: UInt64, by client: String, at now: Int64 = Clock.monotonic()) -> Bool {
        additions.withLock { additions in
            guard let addition = additions[node] else { return false }
            return addition.client == client && addition.until > now
        }
    }
}
