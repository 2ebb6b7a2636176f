internal import Platform
internal import SQLite

/// What it means for an asset to have a name in the camera roll, in a desktop trash, or nowhere.
extension Database {
    /// Brings an asset's state in line with its names after one came or went.
    ///
    /// An asset with a name in the camera roll is not deleted; one without is in Recently Deleted.
    /// - Parameter lost: the place that it just lost, remembered so that it can be restored there.
    func settle(asset node: NodeRecord, lost: (parent: UInt64, name: FileName)?) throws(Errno) {
        guard node.kind == .asset, let asset = node.asset else { return }
        let inRoll = try places(of: node.id).contains { $0.room.isInRoll }
        if inRoll {
            try run(
                "UPDATE asset SET trashed_at = NULL WHERE id = ? AND trashed_at IS NOT NULL", [.integer(asset)])
            if changedRows > 0 {
                try run("DELETE FROM trashed_name WHERE node = ?", [.integer(node.id)])
                try touchAlbums(of: asset)
            }
            return
        }
        if let lost {
            let directory = try path(ofDirectory: lost.parent)
            try rememberPlace(of: node.id, directory: directory, name: lost.name)
        }
        try run(
            "UPDATE asset SET trashed_at = ? WHERE id = ? AND trashed_at IS NULL",
            [.integer(Clock.now()), .integer(asset)])
        if changedRows > 0 { try touchAlbums(of: asset) }
    }

    /// Remembers where an asset was, so that it can be restored there.
    func rememberPlace(of node: UInt64, directory: String, name: FileName) throws(Errno) {
        guard directory == "DCIM" || directory.hasPrefix("DCIM/") else { return }
        try run(
            "INSERT OR IGNORE INTO trashed_name (node, directory, name) VALUES (?, ?, ?)",
            [.integer(node), .text(directory), .text(name.bytes)])
    }

    /// Brings a directory that moved to another room, and all below it, in line with the room.
    ///
    /// - Parameters:
    ///   - oldPath: where the directory was, for restoring.
    func settle(directory id: UInt64, room: Room, oldPath: String) throws(Errno) {
        // Every directory first: an asset may have names in several.
        try forEachDirectory(from: id, room: room, path: oldPath) { (directory, room, _) throws(Errno) in
            try run("UPDATE node SET room = ? WHERE id = ?", [.integer(room.rawValue), .integer(directory)])
        }
        try forEachDirectory(from: id, room: room, path: oldPath) { (directory, room, path) throws(Errno) in
            try forEachChild(of: directory) { (entry) throws(Errno) in
                guard entry.node.kind == .asset else { return }
                if !room.isInRoll { try rememberPlace(of: entry.node.id, directory: path, name: entry.name) }
                try settle(asset: entry.node, lost: nil)
                // With another name in the camera roll it is not deleted, and there is nothing to restore.
                try run(
                    """
                    DELETE FROM trashed_name WHERE node = ?1
                    AND (SELECT trashed_at FROM asset JOIN node ON node.asset = asset.id WHERE node.id = ?1) IS NULL
                    """, [.integer(entry.node.id)])
            }
        }
    }

    /// Calls `body` with a directory and every one below it, what each is for, and its path.
    private func forEachDirectory(
        from id: UInt64, room: Room, path: String, depth: Int = 0,
        _ body: (UInt64, Room, String) throws(Errno) -> Void
    ) throws(Errno) {
        // A path that a program can name has at most 2048 components.
        guard depth < 2048 else { throw .tooManySymbolicLinks }
        try body(id, room, path)
        try forEachChild(of: id) { (entry) throws(Errno) in
            guard entry.node.kind == .directory else { return }
            try forEachDirectory(
                from: entry.node.id, room: room.room(ofDirectory: entry.name), path: "\(path)/\(entry.name)",
                depth: depth + 1, body)
        }
    }

    /// Calls `body` with each entry of a directory, which it may change.
    private func forEachChild(
        of id: UInt64, _ body: (DirectoryEntry) throws(Errno) -> Void
    ) throws(Errno) {
        var cookie: UInt64 = 0
        while true {
            var page: [DirectoryEntry] = []
            try forEachEntry(of: id, after: cookie) {
                page.append($0)
                return page.count < 256
            }
            guard let last = page.last else { return }
            cookie = last.cookie
            for entry in page { try body(entry) }
        }
    }
}
