internal import PhotoLibrary
internal import Platform

/// `Albums/`: albums, which nest, and in each its assets under names of their own. A directory's number is its album's.
struct AlbumsView: View {
    let library: Library
    let name = "Albums"
    let isMembership = true

    /// In listings assets come behind albums.
    private static let firstAsset: UInt64 = 1 << 40

    func parent(of directory: UInt64) throws(Errno) -> UInt64? {
        directory == 0 ? nil : try library.album(directory)?.parent
    }

    func check(_ directory: UInt64) throws(Errno) {
        if directory == 0 { return }
        guard try library.album(directory) != nil else { throw .noEntry }
    }

    func leads(_ directory: UInt64, to part: VisiblePart) -> Bool { part.albums.contains(directory) }

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem? {
        if let album = try library.album(named: name, in: directory) { return .directory(album.id) }
        if directory == 0 { return nil }
        if let entry = try library.entry(name, inAlbum: directory) { return .node(entry.node) }
        return try library.file(placed: .album(directory), as: name).map { .node($0) }
    }

    func names(of node: NodeRecord, in directory: UInt64) throws(Errno) -> [FileName] {
        guard let asset = node.asset else { return [] }
        return try library.names(ofAsset: asset, inAlbum: directory)
    }

    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno) {
        var goesOn = true
        if cookie < Self.firstAsset {
            try library.forEachAlbum(in: directory, after: cookie) { album in
                goesOn = body(album.id, album.name, .directory(album.id))
                return goesOn
            }
        }
        guard goesOn, directory != 0 else { return }
        let last = cookie > Self.firstAsset ? cookie - Self.firstAsset : 0
        try library.forEachEntry(ofAlbum: directory, after: last) { entry in
            body(Self.firstAsset + entry.cookie, entry.name, .node(entry.node))
        }
    }

    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        try library.removeEntry(name, fromAlbum: directory)
        return ViewRemoval()
    }

    func receive(
        _ node: NodeRecord, as name: FileName, into directory: UInt64, mayReplace: Bool
    ) throws(Errno) -> ViewRemoval {
        try library.add(node.id, toAlbum: directory, as: name, mayReplace: mayReplace, othersFollow: true)
        return ViewRemoval()
    }

    func move(
        _ name: FileName, of node: NodeRecord, from directory: UInt64, to newName: FileName, in newDirectory: UInt64,
        mayReplace: Bool
    ) throws(Errno) -> ViewRemoval {
        try library.moveEntry(
            name, inAlbum: directory, to: newName, inAlbum: newDirectory, mayReplace: mayReplace)
        return ViewRemoval()
    }

    func placement(in directory: UInt64) throws(Errno) -> Placement {
        guard directory != 0 else { throw .notPermitted }
        return .album(directory)
    }

    func makeDirectory(_ name: FileName, in directory: UInt64, client: String) throws(Errno) -> UInt64 {
        try library.makeAlbum(name, in: directory, client: client).id
    }

    func removeDirectory(_ name: FileName, from directory: UInt64) throws(Errno) {
        try library.removeAlbum(name, in: directory)
    }

    func moveDirectory(
        _ name: FileName, from directory: UInt64, to newName: FileName, in newDirectory: UInt64, mayReplace: Bool
    ) throws(Errno) {
        try library.moveAlbum(name, in: directory, to: newName, in: newDirectory, mayReplace: mayReplace)
    }

    func ownAttributes(of directory: UInt64) throws(Errno) -> ViewDirectoryAttributes? {
        guard directory != 0, let album = try library.album(directory) else { return nil }
        return ViewDirectoryAttributes(mode: album.mode, uid: album.uid, gid: album.gid, modified: album.modified)
    }

    func update(_ directory: UInt64, _ update: Library.AttributeUpdate) throws(Errno) {
        try library.update(album: directory, update)
    }
}
