internal import PhotoLibrary
internal import Platform

/// `Recently Deleted/`: what was deleted in the last 30 days. Moving out of it restores, removing deletes for good.
struct RecentlyDeletedView: View {
    let library: Library
    let name = "Recently Deleted"

    func parent(of directory: UInt64) -> UInt64? { nil }

    func check(_ directory: UInt64) throws(Errno) { if directory != 0 { throw .noEntry } }

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

    func remove(_ node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        try library.purge(node.id)
        return ViewRemoval(isGone: true)
    }

    func receive(_ node: NodeRecord, into directory: UInt64) throws(Errno) -> ViewRemoval {
        ViewRemoval(names: try library.moveToTrash(node.id))
    }
}
