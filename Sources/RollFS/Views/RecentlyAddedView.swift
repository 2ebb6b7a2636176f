internal import PhotoLibrary
internal import Platform

/// `Recently Added/`: what was added in the last 30 days.
struct RecentlyAddedView: View {
    let library: Library
    let name = "Recently Added"

    private static let span: Int64 = 30 * 86_400 * 1_000_000_000

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem? {
        guard let found = try library.asset(displayedAs: name), !found.isHidden,
            found.added >= Clock.now() - Self.span
        else { return nil }
        return .node(found.node)
    }

    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno) {
        try library.forEachAsset(addedSince: Clock.now() - Self.span, after: cookie) { node in
            guard let name = node.displayName, let asset = node.asset else { return true }
            return body(UInt64(asset), name, .node(node))
        }
    }

    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        ViewRemoval(names: try library.moveToTrash(node.id))
    }
}
