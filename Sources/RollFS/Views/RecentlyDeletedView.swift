internal import PhotoLibrary
internal import Platform

/// `Recently Deleted/`: what was deleted in the last 30 days. Moving out of it restores, removing deletes for good.
struct RecentlyDeletedView: View {
    let library: Library
    let name = "Recently Deleted"

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem? {
        try library.trashed(named: name).map { .node($0) }
    }

    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno) {
        try library.forEachTrashed(after: cookie) { node in
            guard let name = node.displayName else { return true }
            return body(node.id, name, .node(node))
        }
    }

    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        try library.purge(node.id)
        return ViewRemoval(isGone: true)
    }

    func receive(
        _ node: NodeRecord, as name: FileName, into directory: UInt64, mayReplace: Bool
    ) throws(Errno) -> ViewRemoval {
        ViewRemoval(names: try library.moveToTrash(node.id))
    }
}
