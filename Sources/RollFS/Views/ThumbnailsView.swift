internal import PhotoLibrary
internal import Platform

/// `Thumbnails/`: the camera roll with a small JPEG picture for each asset. A directory's number is that of the directory
/// in the camera roll, a file's that of the asset's node.
///
/// A thumbnail is made when it is first opened, never for a look at its attributes: `ls -l` of thousands stays fast. Until
/// then its size is a guess, so that no program takes it for an empty file; an open descriptor tells the true one, and is
/// read to its true end. An asset of which no thumbnail can be made has a name until that was tried, and then none.
struct ThumbnailsView: View {
    let library: Library
    let thumbnailer: Thumbnailer
    let name = "Thumbnails"

    /// What a thumbnail has that is not made, in bytes.
    private static let estimatedSize: Int64 = 64 << 10

    private func node(_ directory: UInt64) -> UInt64 { directory == 0 ? Library.cameraRollNode : directory }

    func parent(of directory: UInt64) throws(Errno) -> UInt64? {
        if directory == 0 { return nil }
        let parent = try library.parent(ofDirectory: directory)
        return parent == Library.cameraRollNode ? 0 : parent
    }

    func check(_ directory: UInt64) throws(Errno) {
        if directory == 0 { return }
        guard let found = try library.node(directory), found.kind == .directory, found.room == .cameraRoll else {
            throw .noEntry
        }
    }

    func leads(_ directory: UInt64, to part: VisiblePart) -> Bool { part.directories.contains(node(directory)) }

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem? {
        switch try library.thumbnailsEntry(name, in: node(directory)) {
        case .directory(let id)?: .directory(id)
        case .thumbnail(let source)?: try file(source).map { .file($0) }
        case nil: nil
        }
    }

    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno) {
        var failure: Errno?
        try library.forEachThumbnail(in: node(directory), after: cookie) { cookie, name, entry in
            switch entry {
            case .directory(let id): return body(cookie, name, .directory(id))
            case .thumbnail(let source):
                do throws(Errno) {
                    guard let file = try file(source) else { return true }
                    return body(cookie, name, .file(file))
                } catch {
                    failure = error
                    return false
                }
            }
        }
        if let failure { throw failure }
    }

    func file(_ number: UInt64) throws(Errno) -> ViewFile? {
        guard let source = try library.thumbnailSource(ofNode: number) else { return nil }
        return try file(source)
    }

    /// Nil where no thumbnail can be made.
    private func file(_ source: ThumbnailSource) throws(Errno) -> ViewFile? {
        var file = ViewFile(
            number: source.node.id, node: source.node, size: Self.estimatedSize, blocks: Self.estimatedSize / 512)
        switch try library.thumbnailState(of: source) {
        case .made(let size, let blocks): (file.size, file.blocks) = (size, blocks)
        case .missing: file.isSizeEstimated = true
        case .failed: return nil
        }
        return file
    }

    func open(_ file: ViewFile, isInterrupted: () -> Bool) throws(Errno) -> FileDescriptor {
        guard let source = try library.thumbnailSource(ofNode: file.number) else { throw .stale }
        return try thumbnailer.open(source, isInterrupted: isInterrupted)
    }

    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        throw .notPermitted
    }
}
