internal import PhotoLibrary
internal import Platform

/// The directories that lead to what a client sees, for those who see a part of the library.
///
/// Finding them out takes time in the number of what the client sees, so they are kept for a second: a directory that
/// is known stays known until names change, one that is not is looked for again after every change.
final class LeadingDirectories: Sendable {
    private struct Known {
        var directories: Set<UInt64> = []
        var part = VisiblePart()
        var viewNames: [UInt64: FileName] = [:]
        var nodes: [FileName: UInt64] = [:]
        var changes: UInt64 = 0
        var moves: UInt64 = 0
        var records: UInt64 = 0
        var found: Int64 = 0
    }

    private struct State {
        var known: [String: Known] = [:]
        var moves: UInt64 = 0
    }

    private let library: Library
    private let recent: RecentAdditions
    /// Held for moments; nothing is looked for under it.
    private let state = Lock(State())
    /// For what other processes change, in nanoseconds.
    private static let lifetime: Int64 = 1_000_000_000
    private static let limit = 1024

    init(library: Library, recent: RecentAdditions) {
        self.library = library
        self.recent = recent
    }

    func namesChanged() { state.withLock { $0.moves &+= 1 } }

    func contains(_ directory: UInt64, for access: Access) throws(Errno) -> Bool {
        if let known = fresh(access), known.directories.contains(directory) { return true }
        return try current(access).directories.contains(directory)
    }

    func contains(_ directory: UInt64, of view: any View, for access: Access) throws(Errno) -> Bool {
        view.leads(directory, to: try current(access).part)
    }

    /// The name of an asset in views: chosen among what the client sees, so that it tells nothing of the rest.
    func viewName(of node: UInt64, for access: Access) throws(Errno) -> FileName? {
        try current(access).viewNames[node]
    }

    /// The asset that has a name in views.
    func node(named name: FileName, for access: Access) throws(Errno) -> UInt64? { try current(access).nodes[name] }

    /// What was found out, where names are as they were.
    private func fresh(_ access: Access) -> Known? {
        let now = Clock.monotonic()
        let records = library.authorization.generation
        return state.withLock { state in
            guard let known = state.known[Self.key(access)], known.moves == state.moves, known.records == records,
                now - known.found < Self.lifetime
            else { return nil }
            return known
        }
    }

    /// What is so now.
    private func current(_ access: Access) throws(Errno) -> Known {
        if let known = fresh(access), known.changes == library.changeCount { return known }
        var known = Known()
        // Counted before it is read: what changes meanwhile makes it old.
        known.changes = library.changeCount
        known.records = library.authorization.generation
        known.moves = state.withLock { $0.moves }
        known.found = Clock.monotonic()
        try find(access, &known)
        known.part.directories.formUnion(known.directories)
        for (node, name) in try library.names(in: access.client, withChosen: access.visibility == .limited) {
            var free = name
            var number = 2
            while known.nodes[free] != nil {
                free = name.inserting("~\(number)")
                number += 1
            }
            known.viewNames[node] = free
            known.nodes[free] = node
        }
        state.withLock { state in
            if state.known.count >= Self.limit { state.known.removeAll() }
            state.known[Self.key(access)] = known
        }
        return known
    }

    private static func key(_ access: Access) -> String { "\(access.visibility) \(access.client)" }

    private func find(_ access: Access, _ known: inout Known) throws(Errno) {
        if access.visibility == .limited {
            known.directories = try library.directories(leadingTo: access.client)
            known.part.days = try library.days(of: access.client)
            known.part.albums.formUnion(try library.albums(leadingTo: access.client))
            known.part.keywords.formUnion(try library.keywords(of: access.client))
            return
        }
        for id in recent.nodes(of: access.client) {
            guard let node = try library.node(id) else { continue }
            let isOwn = try library.tie(of: node, to: access.client).isOwn
            known.directories.formUnion(
                try library.directories(above: id, namedBy: access.client, orUnnamed: isOwn))
            guard isOwn, let asset = node.asset, let day = try library.day(of: asset) else { continue }
            known.part.days.insert(day)
            known.part.albums.formUnion(try library.albums(around: asset))
            known.part.keywords.formUnion(try library.keywordNumbers(of: asset))
        }
    }
}

/// What a client sees of the library, as views ask for it.
struct VisiblePart: Sendable {
    /// The capture days (yyyymmdd) of what it sees.
    var days: Set<Int> = []
    /// The directories of the camera roll that lead to it, the camera roll always.
    var directories: Set<UInt64> = [Library.cameraRollNode]
    /// The albums that hold something it sees, and those around them; 0, the top, always.
    var albums: Set<UInt64> = [0]
    /// The keywords of what it sees; 0, the top, always.
    var keywords: Set<UInt64> = [0]
}
