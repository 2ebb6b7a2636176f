internal import Media
public import Platform
internal import SQLite

/// Sidecars: files that stay beside an asset as they were written, and say something about it.
extension Library {
    /// Reads a sidecar that was closed or got its name, and makes the asset beside it what it says.
    ///
    /// Bytes that make no sense change nothing: the file is kept, whatever it holds.
    /// - Parameter client: who wrote it. It changes only assets that it and the file's maker may change.
    /// - Returns: the nodes of the assets that changed.
    @discardableResult
    public func takeUpSidecar(_ id: UInt64, file: FileDescriptor? = nil, client: String) -> [UInt64] {
        do throws(Errno) { return try takeUp(id, file, client) } catch {
            events.add(
                EventLog.Event(
                    client: client, operation: "sidecar", path: "", errno: error,
                    reason:
                        "A sidecar could not be read: \(error). It was kept as it is, and nothing was taken from it."))
            return []
        }
    }

    private func takeUp(_ id: UInt64, _ file: FileDescriptor?, _ client: String) throws(Errno) -> [UInt64] {
        guard let node = try node(id), node.kind == .plain else { return [] }
        let names = try names(of: id).compactMap { SidecarName($0.name) }
        guard let name = names.first else { return [] }
        let said = try read(node, file, as: name)
        return try catalog.write { (database) throws(Errno) in
            guard let current = try database.node(id), current.kind == .plain else { return [] }
            return try database.noteSidecar(current, saying: said, by: client)
        }
    }

    /// Looks at the sidecars that nobody looked at, after a crash and in libraries from before.
    public func takeUpMissedSidecars() throws(Errno) {
        var last: UInt64 = 0
        while true {
            let page = try catalog.read { (database) throws(Errno) in
                try database.all(
                    """
                    SELECT n.id, d.name FROM node n JOIN dentry d ON d.node = n.id
                    WHERE n.kind = 4 AND n.id > ? AND NOT EXISTS (SELECT 1 FROM sidecar s WHERE s.node = n.id)
                    ORDER BY n.id LIMIT 256
                    """, [.integer(last)]
                ) { (node: $0.uint64(0), name: FileName(trusted: $0.bytes(1))) }
            }
            guard let end = page.last else { return }
            last = end.node
            for file in page where SidecarName(file.name) != nil { takeUpSidecar(file.node, client: "") }
        }
    }

    /// Takes up what lies beside an asset that got a name by other ways than a commit or a rename.
    public func attachSidecars(to id: UInt64, client: String) throws(Errno) {
        guard try catalog.read({ (database) throws(Errno) in try database.hasSidecars() }) else { return }
        try catalog.write { (database) throws(Errno) in try database.attachSidecars(to: id, by: client) }
    }

    /// - Returns: nil for bytes that cannot be read as a sidecar of that kind.
    private func read(
        _ node: NodeRecord, _ file: FileDescriptor?, as name: SidecarName
    ) throws(Errno) -> SidecarProperties? {
        guard let format = name.format else { return nil }
        let bytes: FileDescriptor
        if let file { bytes = file } else { bytes = try openFile(of: node, forWriting: false) }
        let size = try bytes.status().size
        if size == 0 { return nil }
        do throws(MediaError) {
            switch format {
            case .xmp: return SidecarProperties(try SidecarReader.readXMP(bytes, size: size))
            case .takeout: return SidecarProperties(try SidecarReader.readTakeout(bytes, size: size))
            }
        } catch {
            switch error {
            case .unreadable(let errno): throw errno
            case .rejected(let reason):
                // JSON files may be anything.
                if format == .takeout { return nil }
                events.add(
                    EventLog.Event(
                        client: node.client ?? "", operation: "sidecar", path: try path(ofNode: node.id) ?? "",
                        errno: .invalid, reason: "\(reason) The file was kept, and nothing was taken from it."))
                return nil
            }
        }
    }
}
