internal import PhotoLibrary
internal import Platform

/// `Keywords/<word>/`: assets by keyword. A directory's number is its keyword's.
struct KeywordsView: View {
    let library: Library
    let name = "Keywords"
    let isMembership = true

    func parent(of directory: UInt64) throws(Errno) -> UInt64? { directory == 0 ? nil : 0 }

    func check(_ directory: UInt64) throws(Errno) {
        if directory == 0 { return }
        guard try library.keyword(directory) != nil else { throw .noEntry }
    }

    func leads(_ directory: UInt64, to part: VisiblePart) -> Bool { part.keywords.contains(directory) }

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem? {
        if directory == 0 { return try library.keyword(named: name).map { .directory($0.id) } }
        if let found = try library.asset(displayedAs: name), !found.isHidden,
            try library.hasKeyword(directory, asset: found.asset)
        {
            return .node(found.node)
        }
        return try library.file(placed: .keyword(directory), as: name).map { .node($0) }
    }

    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno) {
        if directory == 0 {
            try library.forEachKeyword(after: cookie) { body($0.id, $0.name, .directory($0.id)) }
            return
        }
        try library.forEachAsset(withKeyword: directory, after: cookie) { node in
            guard let name = node.displayName, let asset = node.asset else { return true }
            return body(UInt64(asset), name, .node(node))
        }
    }

    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        try library.removeKeyword(directory, from: node.id)
        return ViewRemoval()
    }

    func receive(
        _ node: NodeRecord, as name: FileName, into directory: UInt64, mayReplace: Bool
    ) throws(Errno) -> ViewRemoval {
        guard directory != 0 else { throw .notPermitted }
        try library.addKeyword(directory, to: node.id, othersFollow: true)
        return ViewRemoval()
    }

    func placement(in directory: UInt64) throws(Errno) -> Placement {
        guard directory != 0 else { throw .notPermitted }
        return .keyword(directory)
    }

    func makeDirectory(_ name: FileName, in directory: UInt64, client: String) throws(Errno) -> UInt64 {
        guard directory == 0 else { throw .notPermitted }
        return try library.makeKeyword(name).id
    }

    func removeDirectory(_ name: FileName, from directory: UInt64) throws(Errno) {
        guard directory == 0 else { throw .notDirectory }
        try library.removeKeyword(name)
    }

    func moveDirectory(
        _ name: FileName, from directory: UInt64, to newName: FileName, in newDirectory: UInt64, mayReplace: Bool
    ) throws(Errno) {
        guard directory == 0, newDirectory == 0 else { throw .notPermitted }
        try library.renameKeyword(name, to: newName)
    }
}
