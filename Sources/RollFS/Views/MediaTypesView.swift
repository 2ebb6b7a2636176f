internal import PhotoLibrary
internal import Platform

/// `Media Types/<type>/`: assets by what they are, as their files say. A directory's number is its place in the list,
/// from 1, which stays the same from version to version.
struct MediaTypesView: View {
    let library: Library
    let name = "Media Types"

    private struct MediaType {
        var name: String
        /// Bits of `MediaSubtypes`, any of them; 0: every video.
        var subtypes: UInt64
    }

    private static let types = [
        MediaType(name: "Videos", subtypes: 0),
        MediaType(name: "Live Photos", subtypes: 1 << 3 | 1 << 34),
        MediaType(name: "Panoramas", subtypes: 1 << 0),
        MediaType(name: "Screenshots", subtypes: 1 << 2),
        MediaType(name: "RAW", subtypes: 1 << 32),
        MediaType(name: "Animated", subtypes: 1 << 33),
        MediaType(name: "Portrait", subtypes: 1 << 4),
        MediaType(name: "Slo-mo", subtypes: 1 << 17),
        MediaType(name: "Time-lapse", subtypes: 1 << 18),
        MediaType(name: "Selfies", subtypes: 1 << 35),
        MediaType(name: "Bursts", subtypes: 1 << 36),
    ]

    private func type(_ directory: UInt64) -> MediaType? {
        guard let index = Int(exactly: directory), Self.types.indices.contains(index - 1) else { return nil }
        return Self.types[index - 1]
    }

    func parent(of directory: UInt64) throws(Errno) -> UInt64? { directory == 0 ? nil : 0 }

    func check(_ directory: UInt64) throws(Errno) {
        if directory != 0, type(directory) == nil { throw .noEntry }
    }

    /// The types are the same in every library and tell nothing.
    func leads(_ directory: UInt64, to part: VisiblePart) -> Bool { true }

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem? {
        if directory == 0 {
            let index = Self.types.firstIndex { Array($0.name.utf8) == name.bytes }
            return index.map { .directory(UInt64($0) + 1) }
        }
        guard let type = type(directory), let found = try library.asset(displayedAs: name), !found.isHidden,
            type.subtypes == 0 ? found.isVideo : found.subtypes & type.subtypes != 0
        else { return nil }
        return .node(found.node)
    }

    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno) {
        if directory == 0 {
            for (index, type) in Self.types.enumerated() where UInt64(index) >= cookie {
                let number = UInt64(index) + 1
                guard body(number, FileName(trusted: Array(type.name.utf8)), .directory(number)) else { return }
            }
            return
        }
        guard let type = type(directory) else { throw .noEntry }
        try library.forEachAsset(ofSubtypes: type.subtypes, after: cookie) { node in
            guard let name = node.displayName, let asset = node.asset else { return true }
            return body(UInt64(asset), name, .node(node))
        }
    }

    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        ViewRemoval(names: try library.moveToTrash(node.id))
    }
}
