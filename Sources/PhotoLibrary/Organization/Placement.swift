public import Platform
internal import SQLite

/// Where a file is to go that is made in a view, once it is an asset.
public enum Placement: Sendable, Hashable {
    case album(UInt64)
    case favorites
    case hidden
    case keyword(UInt64)
    /// The capture day (yyyymmdd), where the file itself carries no date.
    case day(Int)

    var row: (kind: Int, key: UInt64) {
        switch self {
        case .album(let id): (1, id)
        case .favorites: (2, 0)
        case .hidden: (3, 0)
        case .keyword(let id): (4, id)
        case .day(let day): (5, UInt64(day))
        }
    }

    init?(kind: Int, key: UInt64) {
        switch kind {
        case 1: self = .album(key)
        case 2: self = .favorites
        case 3: self = .hidden
        case 4: self = .keyword(key)
        case 5: self = .day(Int(clamping: key))
        default: return nil
        }
    }
}

/// Files made in views. They lie in the camera roll while they are pending, and are found under their name in the view.
extension Library {
    /// Makes an empty file for a view, in the camera roll.
    public func makeFile(
        _ name: FileName, for placement: Placement, mode: UInt32, owner: Owner
    ) throws(Errno) -> (node: NodeRecord, file: FileDescriptor) {
        for _ in 0..<8 {
            let free = try catalog.read { (database) throws(Errno) in
                try database.entry(name, in: FixedNode.cameraRoll) == nil
                    ? name : database.freeName(like: name, in: FixedNode.cameraRoll)
            }
            do throws(Errno) {
                let made = try makeFile(free, in: FixedNode.cameraRoll, mode: mode, owner: owner)
                try catalog.write { (database) throws(Errno) in
                    try database.place(made.node.id, placement, name)
                    try database.run("UPDATE dentry SET provisional = 1 WHERE node = ?", [.integer(made.node.id)])
                }
                return made
            } catch .exists { continue }
        }
        throw .busy
    }

    /// The file that was made in a view under a name and is no asset yet.
    public func file(placed placement: Placement, as name: FileName) throws(Errno) -> NodeRecord? {
        try catalog.read { (database) throws(Errno) in
            try database.first(
                """
                SELECT n.* FROM placement p JOIN node n ON n.id = p.node
                WHERE p.kind = ? AND p.key = ? AND p.name = ?
                """, [.integer(placement.row.kind), .integer(placement.row.key), .text(name.bytes)]
            ) { NodeRecord(row: $0) }
        }
    }

    /// Gives a file that is no asset yet another name in its view, or another view.
    public func move(
        _ id: UInt64, from placement: Placement, _ name: FileName, to target: Placement, _ newName: FileName
    ) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            try database.run(
                "DELETE FROM placement WHERE kind = ? AND key = ? AND name = ?",
                [.integer(placement.row.kind), .integer(placement.row.key), .text(name.bytes)])
            try database.place(id, target, newName)
        }
    }
}

extension Database {
    fileprivate func place(_ node: UInt64, _ placement: Placement, _ name: FileName) throws(Errno) {
        try run(
            "INSERT OR REPLACE INTO placement (kind, key, name, node) VALUES (?, ?, ?, ?)",
            [.integer(placement.row.kind), .integer(placement.row.key), .text(name.bytes), .integer(node)])
    }

    /// Does for an asset what was noted for the file that it comes from.
    ///
    /// - Parameter hasDate: the file itself says when it was taken.
    func settlePlacements(of node: UInt64, asset: Int64, hasDate: Bool) throws(Errno) {
        let placements = try all(
            "SELECT kind, key, name FROM placement WHERE node = ?", [.integer(node)]
        ) { (placement: Placement(kind: $0.int(0), key: $0.uint64(1)), name: FileName(trusted: $0.bytes(2))) }
        if placements.isEmpty { return }
        try run("DELETE FROM placement WHERE node = ?", [.integer(node)])
        try run("UPDATE dentry SET provisional = 0 WHERE node = ?", [.integer(node)])
        for (placement, name) in placements {
            guard let placement else { continue }
            switch placement {
            case .album(let id):
                if try album(id) != nil { try add(asset: asset, toAlbum: id, as: name, mayReplace: true) }
            case .favorites: try set(.favorite, ofFile: asset, to: true)
            case .hidden: try set(.hidden, ofFile: asset, to: true)
            case .keyword(let id): try add(keyword: id, toFile: asset)
            case .day(let day):
                if hasDate { continue }
                try setCaptureDay(ofFile: asset, to: day)
            }
            try awaitOthers(of: asset, at: placement)
        }
    }

    /// The names of a file that go where its bytes turn out to be another asset's: the library chose them.
    func dropProvisionalNames(of node: UInt64) throws(Errno) {
        let cookies = try all(
            "SELECT id, parent FROM dentry WHERE node = ? AND provisional <> 0", [.integer(node)]
        ) { (cookie: $0.uint64(0), parent: $0.uint64(1)) }
        for (cookie, parent) in cookies { try removeName(cookie: cookie, of: node, in: parent) }
    }
}
