public import Platform
internal import SQLite

/// Finding assets.
extension Library {
    /// An asset that a query matches, with its paths below the root.
    public struct Match: Sendable {
        public var asset: AssetRecord
        public var paths: [String]
    }

    /// How many rows are read in one transaction, so that a slow reader of the results holds nothing up.
    private static let pageSize = 256

    /// Calls `body` with each asset that a query matches, in the order in which they were added, until it answers false.
    public func forEachMatch<Failure: Error>(
        of query: Query, mapping: (Errno) -> Failure, _ body: (Match) throws(Failure) -> Bool
    ) throws(Failure) {
        var last: Int64 = 0
        if query.usesIndex {
            do throws(Errno) { try refreshSearchIndex() } catch { throw mapping(error) }
        }
        while true {
            let page: [Match]
            do throws(Errno) { page = try matches(of: query, after: last) } catch { throw mapping(error) }
            for match in page where try !body(match) { return }
            guard page.count == Self.pageSize, let next = page.last else { return }
            last = next.asset.id
        }
    }

    /// Reads the nodes of the assets that a query matches and whose row follows `asset`, until `body` answers false.
    public func forEachNode(
        matching query: Query, after asset: UInt64, _ body: (NodeRecord) -> Bool
    ) throws(Errno) {
        if query.usesIndex { try refreshSearchIndex() }
        let condition = QuerySQL(query, rows: .assets)
        let count = condition.values.count
        try catalog.read { (database) throws(Errno) in
            try database.addQueryFunctions()
            try database.forEach(
                composed: AssetRecord.selectionOfFiles
                    + " WHERE \(condition.condition) AND f.id > ?\(count + 1) ORDER BY f.id",
                condition.values + [.integer(asset)]
            ) { body(AssetRecord(row: $0).node) }
        }
    }

    /// The node of an asset by its name in views, where a query matches it.
    public func node(displayedAs name: FileName, matching query: Query) throws(Errno) -> NodeRecord? {
        if query.usesIndex { try refreshSearchIndex() }
        let condition = QuerySQL(query, rows: .assets)
        let count = condition.values.count
        return try catalog.read { (database) throws(Errno) in
            try database.addQueryFunctions()
            var found: NodeRecord?
            try database.forEach(
                composed: AssetRecord.selectionOfFiles
                    + " WHERE \(condition.condition) AND m.display_name = ?\(count + 1)",
                condition.values + [.text(name.bytes)]
            ) {
                found = AssetRecord(row: $0).node
                return false
            }
            return found
        }
    }

    private func matches(of query: Query, after id: Int64) throws(Errno) -> [Match] {
        let condition = QuerySQL(query, rows: .assets)
        let count = condition.values.count
        return try catalog.read { (database) throws(Errno) in
            try database.addQueryFunctions()
            var page: [Match] = []
            try database.forEach(
                composed: AssetRecord.selectionOfFiles
                    + " WHERE \(condition.condition) AND f.id > ?\(count + 1) ORDER BY f.id LIMIT ?\(count + 2)",
                condition.values + [.integer(id), .integer(Self.pageSize)]
            ) { row in
                page.append(Match(asset: AssetRecord(row: row), paths: []))
                return true
            }
            for index in page.indices { page[index].paths = try database.paths(of: page[index].asset.node.id) }
            return page
        }
    }
}

extension Query {
    /// Reads a query that a person typed.
    public init(_ text: String) throws(QueryError) { self = try QueryParser.parse(text) }

    /// Whether pending files are asked for, which are no assets.
    public var mentionsPendingFiles: Bool { mentions(.pending) }
}

extension Database {
    /// Makes the functions known that conditions of queries call.
    func addQueryFunctions() throws(Errno) {
        do throws(SQLError) { try QueryFunctions.add(to: connection) } catch {
            report(error)
            throw error.errno
        }
    }

    /// The paths of a node below the root, oldest first.
    func paths(of node: UInt64) throws(Errno) -> [String] {
        var paths: [String] = []
        for place in try places(of: node) {
            let directory = try path(ofDirectory: place.parent)
            paths.append(directory.isEmpty ? place.name.description : "\(directory)/\(place.name)")
        }
        return paths
    }
}
