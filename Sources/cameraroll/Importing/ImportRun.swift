import Glibc
import PhotoLibrary
import Platform

/// Imports what lies at some paths, file after file.
struct ImportRun {
    let library: Library
    let isMove: Bool
    let album: String?
    private let owner: Library.Owner
    private let mounts: Set<UInt64>
    /// What removing files may have left empty, by path.
    private var emptied: Set<String> = []
    private var companions = Companions()
    private var albumNode: UInt64?
    /// Bytes of the files that are done.
    private var doneBytes: Int64 = 0
    private var fatal: CommandFailure?

    init(_ library: Library, isMove: Bool, album: String?) throws(CommandFailure) {
        self.library = library
        self.isMove = isMove
        self.album = album
        let status: FileStatus
        do throws(Errno) { status = try FileStatus(path: library.path) } catch {
            throw CommandFailure(system: error, "\(library.path) cannot be opened")
        }
        guard geteuid() == status.uid else {
            throw CommandFailure(
                .notAuthorized,
                "Only the owner of \(library.path) (\(UserName.describe(status.uid))) may import into it: what others add"
                    + " comes through a mount.")
        }
        owner = Library.Owner(uid: getuid(), gid: getgid(), client: Client.user(getuid()).description)
        mounts = try LibraryMounts.devices(of: library.path)
    }

    mutating func run(_ paths: [String], asJSON: Bool) throws(CommandFailure) -> ExitCode {
        let hold: Library.ImportHold
        do throws(Errno) { hold = try library.holdForImport() } catch {
            throw OpenLibrary.failure(error, library, "\(library.path) cannot be held for the import")
        }
        var report = try ImportReport(library: library.path, asJSON: asJSON, bar: try bar(for: paths))
        var walk = FolderWalk(paths, outside: library, mounts: mounts)
        while fatal == nil, !Interruption.isAskedFor, let step = walk.next() {
            switch step {
            case .passedOver: report.addPassedOver()
            case .refused(let path, let reason): try report.add(path, .failure(reason: reason), size: 0)
            case .left(let parent, let name, let path): removeIfEmptied(parent, name, path)
            case .file(let file): try take(file, hold, &report)
            }
        }
        dropAlbumIfEmpty()
        MountCaches.drop(of: library)
        let code = Interruption.exitCode
        let hasFailed = report.refused > 0
        try report.finish(isInterrupted: code != nil)
        if let fatal { throw fatal }
        return code ?? (hasFailed ? .someFailed : .done)
    }

    /// A bar needs to know how much there is, which only a person at a terminal waits for.
    private func bar(for paths: [String]) throws(CommandFailure) -> ProgressBar {
        guard ProgressBar.hasTerminal else { return ProgressBar(files: 0, bytes: 0) }
        var walk = FolderWalk(paths, outside: library, mounts: mounts)
        var (files, bytes) = (0, Int64(0))
        while !Interruption.isAskedFor, let step = walk.next() {
            guard case .file(let file) = step else { continue }
            files += 1
            if let status = try? file.directory.status(of: file.name.description) { bytes &+= status.size }
        }
        return ProgressBar(files: files, bytes: bytes)
    }

    private mutating func take(
        _ file: FolderWalk.File, _ hold: Library.ImportHold, _ report: inout ImportReport
    ) throws(CommandFailure) {
        let source: ImportSource
        do throws(Errno) { source = try ImportSource(file.name.description, in: file.directory) } catch {
            return try report.add(file.path, .failure(reason: "It cannot be read: \(error)."), size: 0)
        }
        report.showProgress(doneBytes, file.path)
        let result: ImportReport.Result
        do throws(ImportFailure) {
            if Library.isSidecar(file.name) {
                result = try companion(file, source, hold)
            } else {
                result = .outcome(try asset(file, source, hold, &report))
            }
        } catch {
            if case .cancelled = error { return }
            result = .failure(reason: error.reason)
            noteFatal(error)
        }
        doneBytes &+= source.status.size
        try report.add(file.path, result, size: source.status.size)
        switch result {
        case .outcome, .companion: if isMove { remove(source, file.path, &report) }
        case .failure, .alone: break
        }
    }

    private mutating func asset(
        _ file: FolderWalk.File, _ source: ImportSource, _ hold: Library.ImportHold, _ report: inout ImportReport
    ) throws(ImportFailure) -> ImportOutcome {
        if NameClass(of: file.name) == .temporary {
            throw .refused(reason: "Programs use such a name until a file is whole. Rename it if it is.")
        }
        let target = ImportTarget(
            directories: file.folders, name: file.name, album: try albumForFile(), owner: owner)
        let begun = doneBytes
        let outcome = try library.importFile(source, to: target, hold: hold, isMoved: isMove) {
            (bytes) throws(Errno) in
            if Interruption.isAskedFor { throw .interrupted }
            report.showProgress(begun &+ bytes, file.path)
        }
        switch outcome {
        case .added(let path), .same(let path), .restored(let path):
            companions.note(file.name, in: Self.folder(of: file.path), at: path)
        }
        return outcome
    }

    private func companion(
        _ file: FolderWalk.File, _ source: ImportSource, _ hold: Library.ImportHold
    ) throws(ImportFailure) -> ImportReport.Result {
        guard let place = companions.place(of: file.name, in: Self.folder(of: file.path)) else { return .alone }
        let target = ImportTarget(directories: place.directories, name: place.name, owner: owner)
        return .companion(try library.importCompanion(source, to: target, hold: hold))
    }

    private static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: 0x2F).map { String(path[..<$0]) } ?? ""
    }

    /// What hinders every further file too.
    private mutating func noteFatal(_ error: ImportFailure) {
        guard case .failed(let errno) = error else { return }
        if library.isDamaged || [.noSpace, .quotaExceeded, .readOnlyFileSystem].contains(errno) {
            fatal = OpenLibrary.failure(errno, library, "The import into \(library.path) ended early")
        }
    }

    // MARK: Moving

    /// The asset is on the disk: the file outside goes.
    private mutating func remove(_ source: ImportSource, _ path: String, _ report: inout ImportReport) {
        do throws(Errno) {
            guard try source.remove() else {
                return report.note("\(path) is in the library, but was changed meanwhile and left where it is.")
            }
            report.addRemoved()
            emptied.insert(Self.folder(of: path))
        } catch {
            report.note("\(path) is in the library, but could not be removed: \(error).")
        }
    }

    /// A folder whose files all went into the library goes after them.
    private mutating func removeIfEmptied(_ parent: Directory?, _ name: String, _ path: String) {
        guard emptied.remove(path) != nil, let parent else { return }
        do throws(Errno) {
            try parent.removeDirectory(name)
            emptied.insert(Self.folder(of: path))
        } catch {
            // Something stayed in it.
        }
    }

    // MARK: The album

    private mutating func albumForFile() throws(ImportFailure) -> UInt64? {
        guard let album else { return nil }
        if let albumNode { return albumNode }
        do throws(Errno) {
            albumNode = try AlbumPath.make(album, in: library, client: owner.client)
        } catch { throw .failed(error) }
        return albumNode
    }

    private func dropAlbumIfEmpty() {
        guard let albumNode else { return }
        do throws(Errno) {
            guard let record = try library.album(albumNode) else { return }
            try library.removeAlbum(record.name, in: record.parent)
        } catch {
            // It holds something.
        }
    }
}
