import PhotoLibrary
import Platform

/// Assets that a person picks by paths and a query.
enum AssetSelection {
    /// What has a slash is a path, to a file or to a directory of the camera roll with all that lies below it; the other
    /// words together are a query.
    ///
    /// - Throws: `noSuchItem` where a path or the query leads to no asset.
    static func assets(_ words: [String], in library: Library) throws(CommandFailure) -> [Int64] {
        let (paths, terms) = (
            words.filter { $0.utf8.contains(0x2F) || $0 == "DCIM" },
            words.filter {
                !$0.utf8.contains(0x2F) && $0 != "DCIM"
            }
        )
        var chosen: Set<Int64> = []
        for path in paths { chosen.formUnion(try assets(at: path, library)) }
        if !terms.isEmpty {
            let query = terms.joined(separator: " ")
            let found = try matches(try FindCommand.query(query), library) { _ in true }
            guard !found.isEmpty else {
                throw CommandFailure(
                    .noSuchItem,
                    "No photo or video matches \(DisplayText.excerpt(query)). Try: cameraroll find \(library.path) \(query)"
                )
            }
            chosen.formUnion(found)
        }
        return chosen.sorted()
    }

    private static func assets(at argument: String, _ library: Library) throws(CommandFailure) -> Set<Int64> {
        let path = try treePath(argument, library)
        let node: NodeRecord?
        do throws(Errno) { node = try InfoCommand.node(at: path, in: library) } catch {
            throw OpenLibrary.failure(error, library, "\(argument) cannot be read")
        }
        if let asset = node?.asset { return [asset] }
        guard let node, node.kind == .directory else {
            throw CommandFailure(
                .noSuchItem,
                "\(argument) is no photo or video of the library, nor a directory of DCIM. See: cameraroll find \(library.path)"
            )
        }
        let prefix = PathName.components(of: path).joined(separator: "/")
        let found = try matches(try FindCommand.query(""), library) { match in
            prefix.isEmpty || match.paths.contains { PathName.lies($0, in: prefix) }
        }
        guard !found.isEmpty else {
            throw CommandFailure(.noSuchItem, "No photo or video lies in \(argument).")
        }
        return found
    }

    private static func matches(
        _ query: Query, _ library: Library, where isWanted: (Library.Match) -> Bool
    ) throws(CommandFailure) -> Set<Int64> {
        var found: Set<Int64> = []
        let failure = { (error: Errno) in
            OpenLibrary.failure(error, library, "The library \(library.path) cannot be read")
        }
        try library.forEachMatch(of: query, mapping: failure) { (match) throws(CommandFailure) in
            if isWanted(match) { found.insert(match.asset.id) }
            return true
        }
        return found
    }

    /// A path as lists print it, from one of that kind or one that lies in a mount or below the library's directory.
    static func treePath(_ argument: String, _ library: Library) throws(CommandFailure) -> String {
        do throws(CommandFailure) {
            let item = try LibraryLocation.resolveItem(argument)
            if item.library.utf8.elementsEqual(library.path.utf8) { return item.path }
            guard argument.utf8.first != UInt8(ascii: "/") else {
                throw .usage("\(argument) lies in another library, \(item.library).")
            }
        } catch {
            guard argument.utf8.first != UInt8(ascii: "/") else { throw error }
        }
        return argument
    }
}
