import PhotoLibrary
import Platform

extension Subcommand {
    static let info = Subcommand(
        name: "info", operands: "PATH", summary: "Show what the library knows of one photo or video.",
        details: """
            PATH lies in a mount, in DCIM or in another view, or is a library's directory with a path of the camera roll
            behind it, such as LIBRARY/DCIM/IMG_0001.JPG.

            With --json one object with the keys that cameraroll find --json has.
            """,
        options: [.json], operandCount: 1...1, run: InfoCommand.run)
}

/// Shows one asset.
enum InfoCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let argument = arguments.operands[0]
        let item = try LibraryLocation.resolveItem(argument)
        let library = try OpenLibrary.open(item.library, forReading: true)
        defer { library.close() }
        let look: Look
        do throws(Errno) { look = try self.look(at: item.path, in: library) } catch {
            throw OpenLibrary.failure(error, library, "\(argument) cannot be read")
        }
        switch look {
        case .asset(let asset, let paths):
            if arguments.has("--json") {
                var json = JSONWriter()
                try AssetText.write(asset, paths: paths, &json)
                try json.finish()
            } else {
                try Output.print(AssetText.lines(asset, paths: paths))
            }
            return .done
        case .other(let node): throw CommandFailure(.noSuchItem, "\(argument) \(sentence(about: node))")
        case .missing:
            throw CommandFailure(
                .noSuchItem, "\(argument) is not in the library \(library.path). See: cameraroll find \(library.path)")
        }
    }

    private enum Look {
        case asset(AssetRecord, paths: [String])
        case other(NodeRecord)
        case missing
    }

    private static func look(at path: String, in library: Library) throws(Errno) -> Look {
        guard let node = try node(at: path, in: library) else { return .missing }
        guard let asset = node.asset, let record = try library.assetRecord(asset) else { return .other(node) }
        return .asset(record, paths: try library.paths(ofNode: node.id))
    }

    /// The node of a path, which may lie in a view.
    static func node(at path: String, in library: Library) throws(Errno) -> NodeRecord? {
        do throws(Errno) {
            if let node = try library.node(atPath: path) { return node }
            // In a view the last part is the asset's name there.
            let parts = PathName.components(of: path)
            guard parts.count > 1, let last = parts.last, parts[0] != "DCIM" else { return nil }
            let name = try FileName(last)
            // An album has names of its own.
            if parts[0] == "Albums", parts.count > 2 {
                let album = try AlbumPath.find(parts[1..<(parts.count - 1)].joined(separator: "/"), in: library)
                if let node = try album.flatMap({ (album) throws(Errno) in
                    try library.entry(name, inAlbum: album.id)?.node
                }) {
                    return node
                }
            }
            if parts[0] == "Recently Deleted" { return try library.trashed(named: name) }
            return try library.asset(displayedAs: name)?.node
        } catch {
            // No name in a library is like this.
            if [.nameTooLong, .invalid, .illegalSequence].contains(error) { return nil }
            throw error
        }
    }

    private static func sentence(about node: NodeRecord) -> String {
        switch node.kind {
        case .directory: "is a directory. Name a photo or video in it."
        case .pending:
            "is no photo or video yet (pending). \(node.reason ?? "It is not whole, or has a name for files under way.")"
        case .plain: "is a file of another kind, which the library keeps as it is."
        default: "is no photo or video."
        }
    }
}
