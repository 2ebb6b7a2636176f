internal import Media
internal import Platform
internal import SQLite

/// A sidecar in a directory.
struct SidecarEntry {
    var entry: DirectoryEntry
    var name: SidecarName
}

/// Which sidecar belongs to which asset: both lie in one directory, and their names go together. To be used inside a
/// transaction.
extension Database {
    /// Whether the library has any sidecar. Most look-ups end here in libraries that have none.
    func hasSidecars() throws(Errno) -> Bool {
        try first("SELECT 1 FROM sidecar LIMIT 1") { _ in true } ?? false
    }

    /// The asset to which a sidecar of that name belongs.
    ///
    /// - Parameter further: an asset's entry that counts as lying in the directory too.
    func asset(
        of sidecar: SidecarName, in parent: UInt64, and further: DirectoryEntry? = nil
    ) throws(Errno) -> DirectoryEntry? {
        var found: [DirectoryEntry] = []
        if let further { found.append(further) }
        for name in sidecar.exactPictures {
            if let entry = try entry(name, in: parent), entry.node.kind == .asset { found.append(entry) }
        }
        for range in sidecar.pictureRanges {
            try forEach(
                """
                SELECT d.id, d.name, d.client, d.chosen, n.* FROM dentry d JOIN node n ON n.id = d.node
                WHERE d.parent = ? AND d.name >= ? AND d.name < ? AND n.kind = 2 LIMIT 64
                """, [.integer(parent), .text(range.low), .text(range.high)]
            ) {
                found.append(DirectoryEntry(row: $0))
                return true
            }
        }
        var best: (entry: DirectoryEntry, rank: [Int])?
        for entry in found {
            guard let tie = sidecar.tie(to: entry.name) else { continue }
            let rank = [tie.rawValue, try preference(of: entry.node, for: sidecar)]
            if let best, !rank.lexicographicallyPrecedes(best.rank) { continue }
            best = (entry, rank)
        }
        return best?.entry
    }

    /// Among pictures of one base name: the lower, the rather.
    private func preference(of node: NodeRecord, for sidecar: SidecarName) throws(Errno) -> Int {
        guard let asset = node.asset else { return 3 }
        let found = try first("SELECT media_type, subtypes FROM asset WHERE id = ?", [.integer(asset)]) {
            (isVideo: $0.int(0) == MediaKind.MediaType.video.rawValue, subtypes: MediaSubtypes(rawValue: $0.uint64(1)))
        }
        guard let found else { return 3 }
        if sidecar.prefersVideo { return found.isVideo ? 0 : 1 }
        return found.isVideo ? 2 : found.subtypes.contains(.raw) ? 0 : 1
    }

    /// The files in a directory whose names go with a picture's.
    func sidecars(besides picture: FileName, in parent: UInt64) throws(Errno) -> [SidecarEntry] {
        guard try hasSidecars() else { return [] }
        let candidates = SidecarName.candidates(for: picture)
        var found: [DirectoryEntry] = []
        let marks = String(repeating: ", ?", count: candidates.exact.count - 1)
        try forEach(
            composed: """
                SELECT d.id, d.name, d.client, d.chosen, n.* FROM dentry d JOIN node n ON n.id = d.node
                WHERE d.parent = ? AND d.name IN (?\(marks)) AND n.kind = 4
                """, [.integer(parent)] + candidates.exact.map { .text($0) }
        ) {
            found.append(DirectoryEntry(row: $0))
            return true
        }
        for range in candidates.ranges {
            try forEach(
                """
                SELECT d.id, d.name, d.client, d.chosen, n.* FROM dentry d JOIN node n ON n.id = d.node
                WHERE d.parent = ? AND d.name >= ? AND d.name < ? AND n.kind = 4 LIMIT 64
                """, [.integer(parent), .text(range.low), .text(range.high)]
            ) {
                found.append(DirectoryEntry(row: $0))
                return true
            }
        }
        return found.compactMap { entry in
            guard let name = SidecarName(entry.name), name.tie(to: picture) != nil else { return nil }
            return SidecarEntry(entry: entry, name: name)
        }
    }

    /// Takes up what the sidecars say that lie beside an asset's names, where that was not done before.
    ///
    /// - Parameter client: who made the asset or gave it a name; empty for the library itself.
    func attachSidecars(to id: UInt64, by client: String) throws(Errno) {
        guard try hasSidecars(), let node = try node(id), let asset = node.asset else { return }
        for place in try places(of: id) where place.room == .cameraRoll {
            for sidecar in try sidecars(besides: place.name, in: place.parent) {
                guard try self.asset(of: sidecar.name, in: place.parent)?.node.id == id,
                    let slot = SidecarSlot(sidecar.name, beside: place.name),
                    try sees(sidecar.entry, client), try mayChange(node, client),
                    try mayChange(node, sidecar.entry.node.client ?? ""), sidecar.entry.node.mayWrite(node)
                else { continue }
                try takeUp(try properties(ofSidecar: sidecar.entry.node.id), in: slot, for: asset)
            }
        }
    }

    /// Notes what a sidecar says, and makes the assets beside its names that.
    ///
    /// - Parameter said: nil where its bytes cannot be read; what it said before stays.
    /// - Returns: the nodes of the assets that changed.
    func noteSidecar(
        _ node: NodeRecord, saying said: SidecarProperties?, by client: String
    ) throws(Errno) -> [UInt64] {
        try run("INSERT OR IGNORE INTO sidecar (node) VALUES (?)", [.integer(node.id)])
        if let said { try store(said, ofSidecar: node.id) }
        let properties: SidecarProperties
        if let said { properties = said } else { properties = try self.properties(ofSidecar: node.id) }
        var changed: [UInt64] = []
        for place in try places(of: node.id) where place.room == .cameraRoll {
            guard let name = SidecarName(place.name), let found = try asset(of: name, in: place.parent),
                let slot = SidecarSlot(name, beside: found.name), let asset = found.node.asset,
                try mayChange(found.node, client), try mayChange(found.node, node.client ?? ""),
                node.mayWrite(found.node)
            else { continue }
            if try takeUp(properties, in: slot, for: asset) { changed.append(found.node.id) }
        }
        return changed
    }
}

// MARK: Permissions

extension Database {
    /// Whether a client may change an asset, as for an attribute of it (see `Gate.mayChange`).
    ///
    /// - Parameter client: empty for the library itself.
    func mayChange(_ node: NodeRecord, _ client: String) throws(Errno) -> Bool {
        if client.isEmpty { return true }
        let status = try readWriteStatus(of: client)
        if status == .authorized { return true }
        guard let asset = node.asset else { return node.client == client }
        let tie = try first(
            """
            SELECT client = ?2,
                EXISTS (SELECT 1 FROM authorization_selection WHERE asset = ?1 AND client = ?2),
                EXISTS (SELECT 1 FROM dentry WHERE node = ?3 AND client <> ?2)
            FROM asset WHERE id = ?1
            """, [.integer(asset), .text(client), .integer(node.id)]
        ) { (isOwn: $0.bool(0), isChosen: $0.bool(1), isShared: $0.bool(2)) }
        guard let tie else { return false }
        return tie.isOwn && !tie.isShared || tie.isChosen && status == .limited
    }

    /// Whether a client sees a sidecar: its own, or every file.
    func sees(_ entry: DirectoryEntry, _ client: String) throws(Errno) -> Bool {
        if client.isEmpty || entry.node.client == client || entry.client == client { return true }
        return try readWriteStatus(of: client) == .authorized
    }

    /// A program without a record of its own is its user.
    private func readWriteStatus(of client: String) throws(Errno) -> AuthorizationStatus? {
        var names = [client]
        if client.hasPrefix("program:"), let at = client.lastIndex(of: "@") {
            names.append("user:" + client[client.index(after: at)...])
        }
        for name in names {
            let status = try first(
                "SELECT status FROM authorization WHERE client = ? AND level = ?",
                [.text(name), .integer(AccessLevel.readWrite.rawValue)]
            ) { AuthorizationStatus(rawValue: $0.int(0)) }
            if let status { return status }
        }
        return nil
    }
}

extension NodeRecord {
    /// Whether the owner of this file may write to another by its permission bits, as the kernel asks before it lets
    /// somebody set an attribute. Further groups of the owner are not known here.
    fileprivate func mayWrite(_ other: NodeRecord) -> Bool {
        if uid == 0 { return true }
        let bit: UInt32 = uid == other.uid ? 0o200 : gid == other.gid ? 0o020 : 0o002
        return other.mode & bit != 0
    }
}
