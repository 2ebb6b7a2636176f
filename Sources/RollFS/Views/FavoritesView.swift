internal import PhotoLibrary
internal import Platform

/// `Favorites/`: favourites. A name given here makes an asset one, a name taken away ends it.
struct FavoritesView: View {
    let library: Library
    let name = "Favorites"
    let isMembership = true

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem? {
        if let found = try library.asset(displayedAs: name), found.isFavorite, !found.isHidden {
            return .node(found.node)
        }
        return try library.file(placed: .favorites, as: name).map { .node($0) }
    }

    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno) {
        try library.forEachAsset(marked: .favorite, after: cookie) { node in
            guard let name = node.displayName, let asset = node.asset else { return true }
            return body(UInt64(asset), name, .node(node))
        }
    }

    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        try library.set(.favorite, of: node.id, to: false)
        return ViewRemoval()
    }

    func receive(
        _ node: NodeRecord, as name: FileName, into directory: UInt64, mayReplace: Bool
    ) throws(Errno) -> ViewRemoval {
        try library.set(.favorite, of: node.id, to: true)
        return ViewRemoval()
    }

    func placement(in directory: UInt64) throws(Errno) -> Placement { .favorites }
}
