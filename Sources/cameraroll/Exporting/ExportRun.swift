import PhotoLibrary
import Platform

/// Copies the assets that a query matches out of a library.
struct ExportRun {
    private let library: Library
    private let query: Query
    private let wantsOriginals: Bool
    /// As the command was given it.
    private let directory: String
    private var folder: ExportFolder
    private var doneBytes: Int64 = 0
    private var fatal: CommandFailure?

    init(
        _ library: Library, _ query: Query, to directory: String, wantsOriginals: Bool
    ) throws(CommandFailure) {
        self.library = library
        self.query = query
        self.wantsOriginals = wantsOriginals
        var trimmed = directory
        while trimmed.utf8.count > 1, trimmed.utf8.last == UInt8(ascii: "/") { trimmed.removeLast() }
        self.directory = trimmed
        do throws(Errno) {
            // Looked at before it is made.
            guard try !PathName.lies(PathName.resolvingParent(directory), in: library.path) else {
                throw Errno.notPermitted
            }
            try Directory(".").makeDirectory(directory, permissions: 0o777)
            let resolved = try PathName.resolved(directory)
            let device = try FileStatus(path: resolved).device
            let isMount = try Self.isMount(device, of: library)
            let isInside = PathName.lies(resolved, in: library.path) || isMount
            guard !isInside else { throw .notPermitted }
            folder = try ExportFolder(directory)
        } catch .notPermitted {
            throw CommandFailure(
                .refused, "\(directory) lies in the library itself, or may not be used. Name a directory outside of it."
            )
        } catch {
            throw CommandFailure(system: error, "The directory \(directory) cannot be used")
        }
    }

    private static func isMount(_ device: UInt64, of library: Library) throws(Errno) -> Bool {
        do throws(CommandFailure) { return try LibraryMounts.devices(of: library.path).contains(device) } catch {
            throw .ioError
        }
    }

    private func failure(_ error: Errno) -> CommandFailure {
        OpenLibrary.failure(error, library, "The library \(library.path) cannot be read")
    }

    mutating func run(asJSON: Bool) throws(CommandFailure) -> ExitCode {
        let (bar, count) = try measure()
        guard count > 0 else {
            throw CommandFailure(
                .noSuchItem, "No photo or video matches: nothing was exported. Try: cameraroll find \(library.path)")
        }
        var report = try ExportReport(library: library.path, directory: directory, asJSON: asJSON, bar: bar)
        try library.forEachMatch(of: query, mapping: failure) { (match) throws(CommandFailure) in
            if Interruption.isAskedFor { return false }
            try export(match, &report)
            return fatal == nil
        }
        let code = Interruption.exitCode
        let hasFailed = report.failed > 0
        try report.finish(isInterrupted: code != nil)
        if let fatal { throw fatal }
        return code ?? (hasFailed ? .someFailed : .done)
    }

    /// How much there is to do; of more than one, a person at a terminal alone is told.
    private func measure() throws(CommandFailure) -> (ProgressBar, Int) {
        var (files, bytes) = (0, Int64(0))
        try library.forEachMatch(of: query, mapping: failure) { (match) throws(CommandFailure) in
            files += 1
            bytes &+= match.asset.size
            return ProgressBar.hasTerminal
        }
        return (ProgressBar(files: files, bytes: bytes), files)
    }

    private mutating func export(_ match: Library.Match, _ report: inout ExportReport) throws(CommandFailure) {
        let path = AssetText.path(of: match.asset, match.paths)
        report.showProgress(doneBytes, path)
        let copy: Copy
        do throws(Errno) { copy = try copyOut(match.asset, path, &report) } catch {
            if error == .interrupted { return }
            if library.isDamaged || [.noSpace, .quotaExceeded, .readOnlyFileSystem].contains(error) {
                fatal = OpenLibrary.failure(error, library, "The export to \(directory) ended early")
            }
            return try report.addFailure(path, "It could not be exported: \(error).")
        }
        doneBytes &+= copy.size
        try report.add(path, to: copy.path, isSame: copy.isSame, sidecar: copy.sidecar, size: copy.size)
    }

    private struct Copy {
        var path: String
        var isSame: Bool
        var sidecar: String?
        var size: Int64
    }

    private mutating func copyOut(
        _ asset: AssetRecord, _ path: String, _ report: inout ExportReport
    ) throws(Errno) -> Copy {
        var parts: [FileName] = []
        for part in PathName.components(of: path) { parts.append(try FileName(part)) }
        if parts.count > 1, parts[0].description == "DCIM" { parts.removeFirst() }
        let name = parts.removeLast()
        let (node, source) = try open(asset.node.id)
        let target = try folder.directory(parts)
        let begun = doneBytes
        let modified = node.modified ?? node.captured ?? node.changed
        let times = (access: node.accessed ?? modified, modification: modified)
        let placed = try ExportFolder.place(
            source, as: name, in: target, permissions: node.mode & 0o777, times: times
        ) { (bytes) throws(Errno) in
            if Interruption.isAskedFor { throw .interrupted }
            report.showProgress(begun &+ bytes, path)
        }
        let sidecar = try sidecar(of: asset, beside: source, placed.name, in: target, times)
        let below = ([directory] + parts.map(\.description)).joined(separator: "/") + "/"
        var copy = Copy(path: below + placed.name.description, isSame: false, size: try source.status().size)
        if case .same = placed { copy.isSame = true }
        copy.sidecar = sidecar.map { below + $0.description }
        return copy
    }

    /// The bytes of an asset; a commit of another process may move them in between.
    private func open(_ id: UInt64) throws(Errno) -> (node: NodeRecord, file: FileDescriptor) {
        for _ in 0..<8 {
            guard let node = try library.node(id) else { throw .noEntry }
            do throws(Errno) {
                if wantsOriginals, let original = try library.original(ofNode: id) {
                    return (node, try library.open(original))
                }
                return (node, try library.openFile(of: node, forWriting: false))
            } catch .stale { continue }
        }
        throw .stale
    }

    /// - Returns: the sidecar's name, nil where there is nothing to say.
    private func sidecar(
        of asset: AssetRecord, beside file: FileDescriptor, _ name: FileName, in directory: Directory,
        _ times: (access: Int64, modification: Int64)
    ) throws(Errno) -> FileName? {
        let sidecar = try XMPSidecar(of: asset, beside: file, in: library)
        if sidecar.isEmpty { return nil }
        let packet = try FileDescriptor.inMemory(holding: Array(sidecar.text.utf8))
        let sidecarName = try FileName(validating: name.bytes + Array(".xmp".utf8))
        return try ExportFolder.place(packet, as: sidecarName, in: directory, permissions: 0o644, times: times) {
            (_) throws(Errno) in
        }.name
    }
}
