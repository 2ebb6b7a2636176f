internal import Platform

/// The views of the mount, each under a number that stays the same from version to version.
struct ViewTable: Sendable {
    private let views: [any View]

    /// - Parameter views: in the order of their numbers, from 1.
    init(_ views: [any View]) { self.views = views }

    func view(of inode: ViewInode) throws(Errno) -> any View {
        let index = Int(inode.view) - 1
        guard views.indices.contains(index) else { throw .stale }
        return views[index]
    }

    func inode(named name: FileName) -> ViewInode? {
        guard let index = views.firstIndex(where: { Array($0.name.utf8) == name.bytes }) else { return nil }
        return ViewInode(view: UInt8(index + 1), directory: 0)
    }

    /// The tops of the views, in order.
    var tops: [(name: FileName, inode: ViewInode)] {
        views.enumerated().map { index, view in
            (FileName(trusted: Array(view.name.utf8)), ViewInode(view: UInt8(index + 1), directory: 0))
        }
    }
}
