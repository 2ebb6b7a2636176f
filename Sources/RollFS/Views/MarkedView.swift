internal import PhotoLibrary
internal import Platform

/// `Favorites/` and `Hidden/`: assets with a mark. A name given here marks an asset, a name taken away ends it.
struct MarkedView: View {
    let library: Library
    let name: String
    let isMembership = true
    let flag: AssetFlag
    private let place: Placement

    static func favorites(_ library: Library) -> MarkedView {
        MarkedView(library: library, name: "Favorites", flag: .favorite, place: .favorites)
    }

    /// Of the other views only the camera roll and albums list hidden assets.
    static func hidden(_ library: Library) -> MarkedView {
        MarkedView(library: library, name: "Hidden", flag: .hidden, place: .hidden)
    }

    private init(library: Library, name: String, flag: AssetFlag, place: Placement) {
        self.library = library
        self.name = name
        self.flag = flag
        self.place = place
    }

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem? {
        if let found = try library.asset(displayedAs: name), isListed(found) { return .node(found.node) }
        return try library.file(placed: place, as: name).map { .node($0) }
    }

    private func isListed(_ asset: Library.DisplayedAsset) -> Bool {
        switch flag {
        case .favorite: asset.isFavorite && !asset.isHidden
        case .hidden: asset.isHidden
        }
    }

    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno) {
        try library.forEachAsset(marked: flag, after: cookie) { node in
            guard let name = node.displayName, let asset = node.asset else { return true }
            return body(UInt64(asset), name, .node(node))
        }
    }

    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        try library.set(flag, ofFile: node.id, to: false)
        return ViewRemoval()
    }

    func receive(
        _ node: NodeRecord, as name: FileName, into directory: UInt64, mayReplace: Bool
    ) throws(Errno) -> ViewRemoval {
        try library.set(flag, ofFile: node.id, to: true)
        return ViewRemoval()
    }

    func placement(in directory: UInt64) throws(Errno) -> Placement { place }
}
