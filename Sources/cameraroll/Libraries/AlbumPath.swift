import PhotoLibrary
import Platform

/// Albums by the path that they have below `Albums`.
enum AlbumPath {
    /// The names of a path; `Albums/Trips/Rome` and `Trips/Rome` are the same.
    static func names(_ path: String) throws(Errno) -> [FileName] {
        var parts = PathName.components(of: path)
        if parts.count > 1, parts.first == "Albums" { parts.removeFirst() }
        guard !parts.isEmpty else { throw .invalid }
        var names: [FileName] = []
        for part in parts { names.append(try FileName(part)) }
        return names
    }

    /// The album at a path; nil where there is none.
    static func find(_ path: String, in library: Library) throws(Errno) -> AlbumRecord? {
        var found: AlbumRecord?
        for name in try names(path) {
            guard let next = try library.album(named: name, in: found?.id ?? 0) else { return nil }
            found = next
        }
        return found
    }

    /// The album at a path, made with those around it where it is not there.
    static func make(_ path: String, in library: Library, client: String) throws(Errno) -> UInt64 {
        var parent: UInt64 = 0
        for name in try names(path) {
            if let next = try library.album(named: name, in: parent) {
                parent = next.id
                continue
            }
            do throws(Errno) { parent = try library.makeAlbum(name, in: parent, client: client).id } catch .exists {
                // Another process made it meanwhile, or a photo has the name.
                guard let next = try library.album(named: name, in: parent) else { throw .exists }
                parent = next.id
            }
        }
        return parent
    }
}
