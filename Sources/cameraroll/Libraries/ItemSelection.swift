import PhotoLibrary
import Platform

/// The photos and videos that paths name, in a mount or below a library's directory.
enum ItemSelection {
    /// Changes what each path names: a photo or video, or all that lie below a directory of DCIM.
    ///
    /// A path that leads to none, or cannot be changed, is reported, and the others are changed all the same.
    /// - Parameter library: where the paths lie; nil: each in the library that it leads to.
    static func change(
        _ paths: [String], in library: Library? = nil,
        _ body: (Library, UInt64, String) throws(Errno) -> Void
    ) throws(CommandFailure) -> ExitCode {
        var failures: [CommandFailure] = []
        if let library {
            change(paths.map { ($0, nil) }, library, &failures, body)
        } else {
            var items: [(library: String, argument: String, path: String)] = []
            for argument in paths {
                do throws(CommandFailure) {
                    let item = try LibraryLocation.resolveItem(argument)
                    items.append((item.library, argument, item.path))
                } catch { failures.append(error) }
            }
            for path in Set(items.map(\.library)).sorted() {
                let opened = try OpenLibrary.open(path, forReading: false)
                defer { opened.close() }
                let here = items.filter { $0.library == path }.map { (argument: $0.argument, path: Optional($0.path)) }
                change(here, opened, &failures, body)
            }
        }
        if let damage = failures.first(where: { $0.code == .damaged }) { throw damage }
        guard let first = failures.first else { return .done }
        if paths.count == 1 { throw first }
        for failure in failures { StandardError.note(failure.message) }
        return .someFailed
    }

    private static func change(
        _ items: [(argument: String, path: String?)], _ library: Library, _ failures: inout [CommandFailure],
        _ body: (Library, UInt64, String) throws(Errno) -> Void
    ) {
        for (argument, path) in items {
            do throws(CommandFailure) {
                let treePath: String
                if let path { treePath = path } else { treePath = try AssetSelection.treePath(argument, library) }
                for node in try nodes(at: treePath, argument, library) {
                    do throws(Errno) { try body(library, node, argument) } catch {
                        throw OpenLibrary.failure(
                            error, library, "\(DisplayText.name(argument)) cannot be changed")
                    }
                }
            } catch { failures.append(error) }
        }
        do throws(Errno) { try library.synchronize() } catch {
            failures.append(OpenLibrary.failure(error, library, "\(library.path) cannot be written to the disk"))
        }
        MountCaches.drop(of: library)
    }

    private static func nodes(
        at path: String, _ argument: String, _ library: Library
    ) throws(CommandFailure) -> [UInt64] {
        do throws(Errno) {
            guard let node = try InfoCommand.node(at: path, in: library) else {
                throw .noEntry
            }
            if node.asset != nil { return [node.id] }
            guard node.kind == .directory, PathName.components(of: path).first == "DCIM" else { throw .noEntry }
            let found = try assets(below: node.id, library)
            if !found.isEmpty { return found }
            throw .noEntry
        } catch .noEntry {
            throw CommandFailure(
                .noSuchItem,
                "\(DisplayText.name(argument)) is no photo or video of \(library.path), nor a directory of DCIM with"
                    + " any. See: cameraroll find \(library.path)")
        } catch {
            throw OpenLibrary.failure(error, library, "\(DisplayText.name(argument)) cannot be read")
        }
    }

    private static func assets(below directory: UInt64, _ library: Library) throws(Errno) -> [UInt64] {
        var waiting = [directory]
        var found: [UInt64] = []
        var seen: Set<UInt64> = []
        while let next = waiting.popLast() {
            try library.forEachEntry(of: next, after: 0) { entry in
                if entry.node.kind == .directory { waiting.append(entry.node.id) }
                if entry.node.kind == .asset, seen.insert(entry.node.id).inserted { found.append(entry.node.id) }
                return true
            }
        }
        return found
    }
}
