public import Platform
internal import SQLite

/// Sidecars that are written in views: they lie in the camera roll, beside their asset.
extension Library {
    /// Names that assets have in views to which a sidecar of that name may belong.
    ///
    /// - Parameter album: whose own names count; nil for the names that all other views show.
    public func pictures(of sidecar: SidecarName, inAlbum album: UInt64?) throws(Errno) -> [FileName] {
        var names = sidecar.exactPictures
        try catalog.read { (database) throws(Errno) in
            for range in sidecar.pictureRanges {
                let bounds: [Value] = [.text(range.low), .text(range.high)]
                if let album {
                    names += try database.all(
                        "SELECT name FROM album_entry WHERE name >= ? AND name < ? AND album = ? LIMIT 64",
                        bounds + [.integer(album)]
                    ) { FileName(trusted: $0.bytes(0)) }
                } else {
                    names += try database.all(
                        "SELECT display_name FROM node WHERE display_name >= ? AND display_name < ? LIMIT 64", bounds
                    ) { FileName(trusted: $0.bytes(0)) }
                }
            }
        }
        return names.filter { sidecar.tie(to: $0) != nil }
    }

    /// Where a sidecar lies, or is to lie, that a view shows beside an asset of that name.
    public func place(
        of sidecar: SidecarName, beside picture: FileName, node id: UInt64
    ) throws(Errno) -> (parent: UInt64, name: FileName)? {
        let places = try catalog.read { (database) throws(Errno) in try database.places(of: id) }
        guard let place = places.first(where: { $0.room == .cameraRoll }),
            let name = sidecar.following(picture, to: place.name)
        else { return nil }
        return (place.parent, name)
    }
}

extension Database {
    /// Puts the sidecars that were written in a view before their picture beside it.
    ///
    /// - Parameters:
    ///   - id: the picture's file as it was made in the view.
    ///   - asset: the node that holds the picture now.
    func gatherSidecars(madeWith id: UInt64, beside asset: UInt64) throws(Errno) {
        guard try hasSidecars() else { return }
        let found = try all(
            """
            SELECT own.name, other.name, other.node FROM placement own
            JOIN placement other ON other.kind = own.kind AND other.key = own.key AND other.node <> own.node
            JOIN sidecar s ON s.node = other.node WHERE own.node = ?
            """, [.integer(id)]
        ) { (picture: FileName(trusted: $0.bytes(0)), name: FileName(trusted: $0.bytes(1)), node: $0.uint64(2)) }
        if found.isEmpty { return }
        guard let place = try places(of: asset).first(where: { $0.room == .cameraRoll }) else { return }
        for (picture, name, node) in found {
            guard let name = SidecarName(name)?.following(picture, to: place.name),
                let old = try places(of: node).first, let entry = try entry(old.name, in: old.parent),
                entry.node.id == node, entry.node.kind == .plain
            else { continue }
            // It is found in the view by its picture from now on.
            try run("DELETE FROM placement WHERE node = ?", [.integer(node)])
            try run("UPDATE dentry SET provisional = 0 WHERE node = ?", [.integer(node)])
            if old.parent == place.parent, old.name == name { continue }
            if try self.entry(name, in: place.parent) != nil { continue }
            try moveName(entry, from: old.parent, to: name, in: place.parent)
        }
    }
}
