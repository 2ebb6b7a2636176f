public import Platform
internal import SQLite

/// Files that are no assets yet.
extension Library {
    /// A pending file.
    public struct PendingFile: Sendable {
        /// Why it is no asset.
        public enum State: String, Sendable {
            /// Its bytes are no whole photo or video; `reason` says why.
            case refused
            /// It has a name that programs use until a file is whole.
            case temporary
            case empty
            /// It is being written, or whoever wrote it never closed it.
            case unfinished
        }

        public var node: NodeRecord
        /// Below the root.
        public var path: String
        /// Bytes.
        public var size: Int64
        public var state: State
        /// A sentence for a person; empty where nothing was refused.
        public var reason: String
    }

    private static let pendingPage = 256

    /// Calls `body` with each pending file, in the order in which they came, until it answers false.
    public func forEachPending<Failure: Error>(
        matching query: Query = .everything, mapping: (Errno) -> Failure,
        _ body: (PendingFile) throws(Failure) -> Bool
    ) throws(Failure) {
        var last: UInt64 = 0
        while true {
            let page: (files: [PendingFile], last: UInt64?)
            do throws(Errno) { page = try pendingFiles(matching: query, after: last) } catch { throw mapping(error) }
            for file in page.files where try !body(file) { return }
            guard let next = page.last else { return }
            last = next
        }
    }

    /// - Returns: the files, and the row to go on after; nil at the end.
    private func pendingFiles(
        matching query: Query, after id: UInt64
    ) throws(Errno) -> (files: [PendingFile], last: UInt64?) {
        let condition = QuerySQL(query, rows: .pendingFiles)
        let count = condition.values.count
        var nodes: [(node: NodeRecord, path: String)] = []
        try catalog.read { (database) throws(Errno) in
            try database.addQueryFunctions()
            var found: [NodeRecord] = []
            try database.forEach(
                composed: """
                    SELECT n.* FROM node n WHERE n.kind = \(NodeKind.pending.rawValue) AND n.links > 0
                    AND \(condition.condition) AND n.id > ?\(count + 1) ORDER BY n.id LIMIT ?\(count + 2)
                    """, condition.values + [.integer(id), .integer(Self.pendingPage)]
            ) { row in
                found.append(NodeRecord(row: row))
                return true
            }
            for node in found { nodes.append((node, try database.paths(of: node.id).first ?? "")) }
        }
        var files: [PendingFile] = []
        for (node, path) in nodes { files.append(try pendingFile(node, path)) }
        return (files, nodes.count == Self.pendingPage ? nodes.last?.node.id : nil)
    }

    private func pendingFile(_ node: NodeRecord, _ path: String) throws(Errno) -> PendingFile {
        let size = try fileStatus(of: node)?.size ?? 0
        let name = PathName.components(of: path).last.map { FileName(trusted: Array($0.utf8)) }
        let state: PendingFile.State =
            if node.reason != nil {
                .refused
            } else if size == 0 {
                .empty
            } else if let name, NameClass(of: name) == .temporary {
                .temporary
            } else {
                .unfinished
            }
        return PendingFile(node: node, path: path, size: size, state: state, reason: node.reason ?? "")
    }

    /// Removes a pending file's name, and with its last name its bytes.
    ///
    /// - Parameter path: below the root.
    /// - Throws: `ENOENT` where there is no such name, `EINVAL` where it is no pending file. Nothing was removed then.
    public func discardPending(atPath path: String) throws(Errno) {
        var parts = PathName.components(of: path)
        guard let last = parts.popLast() else { throw .noEntry }
        let name = try FileName(last)
        let directory = parts.joined(separator: "/")
        try catalog.write { (database) throws(Errno) in
            guard let parent = try database.node(atPath: directory), parent.kind == .directory,
                let entry = try database.entry(name, in: parent.id)
            else { throw .noEntry }
            guard entry.node.kind == .pending else { throw .invalid }
            _ = try database.remove(entry, from: parent.id)
        }
        sweeper.sweep()
    }
}
