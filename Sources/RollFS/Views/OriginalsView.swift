internal import PhotoLibrary
internal import Platform

/// `Originals/`: the camera roll's edited assets, with the bytes from before any edit. A directory's number is that of the
/// directory in the camera roll.
struct OriginalsView: View {
    let library: Library
    let name = "Originals"

    private func node(_ directory: UInt64) -> UInt64 { directory == 0 ? Library.cameraRollNode : directory }

    func parent(of directory: UInt64) throws(Errno) -> UInt64? {
        if directory == 0 { return nil }
        let parent = try library.parent(ofDirectory: directory)
        return parent == Library.cameraRollNode ? 0 : parent
    }

    func check(_ directory: UInt64) throws(Errno) {
        if directory == 0 { return }
        guard try library.leadsToOriginals(directory) else { throw .noEntry }
    }

    func leads(_ directory: UInt64, to part: VisiblePart) -> Bool { part.directories.contains(node(directory)) }

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem? {
        guard let found = try library.entry(name, in: node(directory)) else { return nil }
        if found.node.kind == .directory {
            return try library.leadsToOriginals(found.node.id) ? .directory(found.node.id) : nil
        }
        return try library.original(ofNode: found.node.id).map { .file(Self.file($0)) }
    }

    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno) {
        try library.forEachOriginal(in: node(directory), after: cookie) { cookie, name, entry in
            switch entry {
            case .directory(let id): body(cookie, name, .directory(id))
            case .original(let original): body(cookie, name, .file(Self.file(original)))
            }
        }
    }

    func file(_ number: UInt64) throws(Errno) -> ViewFile? {
        try library.original(ofNode: number).map { Self.file($0) }
    }

    func open(_ file: ViewFile, isInterrupted: () -> Bool) throws(Errno) -> FileDescriptor {
        guard let original = try library.original(ofNode: file.number) else { throw .stale }
        return try library.open(original)
    }

    private static func file(_ original: Library.Original) -> ViewFile {
        ViewFile(number: original.node.id, node: original.node, size: original.size, blocks: original.blocks)
    }

    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        throw .notPermitted
    }
}
