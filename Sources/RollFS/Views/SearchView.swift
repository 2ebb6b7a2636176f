internal import PhotoLibrary
internal import Platform

/// `Search/<query>/`: the assets that a query matches. Looking a query up makes its directory; none is listed.
///
/// A directory's number is made of the query's text, so that a query has the same one whenever it is looked up.
final class SearchView: View {
    private let library: Library
    let name = "Search"
    /// Queries that were looked up. What is forgotten is looked up again by the kernel.
    private let queries = Lock<[UInt64: Query]>([:])
    private static let limit = 4096
    private static let readMe = FileName(trusted: Array("README.txt".utf8))
    private static let readMeNumber: UInt64 = 1

    init(library: Library) { self.library = library }

    func parent(of directory: UInt64) throws(Errno) -> UInt64? { directory == 0 ? nil : 0 }

    func check(_ directory: UInt64) throws(Errno) { if directory != 0 { _ = try query(directory) } }

    /// A query tells nothing; what it finds is looked at one by one.
    func leads(_ directory: UInt64, to part: VisiblePart) -> Bool { true }

    private func query(_ directory: UInt64) throws(Errno) -> Query {
        guard let query = queries.withLock({ $0[directory] }) else { throw .stale }
        return query
    }

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem? {
        if directory != 0 {
            return try library.node(displayedAs: name, matching: query(directory)).map { .node($0) }
        }
        if name == Self.readMe { return try file(Self.readMeNumber).map { .file($0) } }
        let query: Query
        do throws(QueryError) { query = try Query(name.description) } catch {
            library.events.add(
                EventLog.Event(
                    client: "", operation: "search", path: "Search/\(name)", errno: .noEntry,
                    reason: error.description))
            return nil
        }
        let number = Self.number(of: name)
        queries.withLock { queries in
            if queries.count >= Self.limit { queries.removeAll() }
            queries[number] = query
        }
        return .directory(number)
    }

    /// The text's FNV-1a hash, in 54 bits and never small.
    private static func number(of name: FileName) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash & (1 << 53 - 1) | 1 << 53
    }

    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno) {
        if directory == 0 {
            if cookie == 0, let file = try file(Self.readMeNumber) { _ = body(1, Self.readMe, .file(file)) }
            return
        }
        try library.forEachNode(matching: query(directory), after: cookie) { node in
            guard let name = node.displayName, let asset = node.asset else { return true }
            return body(UInt64(asset), name, .node(node))
        }
    }

    func file(_ number: UInt64) throws(Errno) -> ViewFile? {
        guard number == Self.readMeNumber else { return nil }
        return ViewFile(number: number, node: nil, size: Int64(Self.help.utf8.count), blocks: 8)
    }

    func open(_ file: ViewFile, isInterrupted: () -> Bool) throws(Errno) -> FileDescriptor {
        try FileDescriptor.temporary(holding: Array(Self.help.utf8))
    }

    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        ViewRemoval(names: try library.moveToTrash(node.id))
    }

    private static let help = """
        Searching by directory names
        ============================

        Open a directory in here that is named like what you look for. It need not be made; it is there.

            Search/beach                      in names, captions, keywords, albums, cameras
            Search/camera:nikon after:2023-05
            Search/is:favorite type:video
            Search/near:48.85,2.35,5km

        Several terms all have to hold; "or" between two means either, "-" before one means not, quotes keep words
        together.

            type:photo|video|live|raw|panorama|screenshot|animated|portrait|slomo|timelapse|selfie|burst, or jpeg, heic …
            camera:  lens:  album:  keyword:
            on:2024-05-17   after:2024-05   before:2024
            near:LATITUDE,LONGITUDE,DISTANCE  in degrees, and km or m
            is:favorite|hidden|edited|live|raw|unfiled|deleted
            rating:>=4   size:>1GB   duration:<5s

        Where a directory does not open, the query is wrong, and "cameraroll log" says where. "cameraroll find" takes the
        same queries.

        """
}
