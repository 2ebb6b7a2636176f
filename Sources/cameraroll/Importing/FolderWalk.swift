import PhotoLibrary
import Platform

/// Walks files and folders from outside, one step after the other; symbolic links in folders are not followed.
///
/// Of each folder come first the files, then those that go along with others, then the folders in it.
struct FolderWalk: ~Copyable {
    /// A file that was met.
    struct File {
        var directory: Directory
        /// Its name there.
        var name: FileName
        /// As a person would write it.
        var path: String
        /// The folders in which it lies below the camera roll.
        var folders: [FileName]
    }

    enum Step {
        case file(File)
        /// What tools drop beside photos, and what is no file at all.
        case passedOver(path: String)
        /// What cannot be taken along, and why.
        case refused(path: String, reason: String)
        /// All of a folder came; `parent` is where it lies, nil where that is not known.
        case left(parent: Directory?, name: String, path: String)
    }

    private struct Folder {
        var directory: Directory
        var parent: Directory?
        var name: String
        var path: String
        var folders: [FileName]
        /// Names that are to come, the next one last.
        var rest: [String]
        /// The next one first, until all files came; then the next one last.
        var subfolders: [String] = []
        var isAtSubfolders = false
        /// Names that are none in a library.
        var odd: [String] = []
    }

    /// Each level holds a file descriptor open.
    private static let depthLimit = 100

    /// The paths that are to come, the next one last.
    private var operands: [String]
    private var stack: [Folder] = []
    /// The file systems that are not entered, by device: mounts of the library itself.
    private let closedDevices: Set<UInt64>
    /// The directory that is not entered, the library's own, and its path.
    private let closedDirectory: FileStatus?
    private let closedPath: String

    /// - Parameters:
    ///   - paths: as the command was given them.
    ///   - library: its directory and mounts are not entered.
    init(_ paths: [String], outside library: Library, mounts: Set<UInt64>) {
        operands = paths.reversed()
        closedDevices = mounts
        closedPath = library.path
        closedDirectory = try? FileStatus(path: library.path)
    }

    /// The next step; nil at the end.
    mutating func next() -> Step? {
        while true {
            if let index = stack.indices.last {
                if let name = stack[index].odd.popLast() {
                    return .refused(
                        path: stack[index].path + "/" + name,
                        reason: "Its name is not UTF-8 or holds control characters. Rename it.")
                }
                if let name = stack[index].rest.popLast() {
                    if let step = step(name, in: index) { return step }
                    continue
                }
                if !stack[index].isAtSubfolders {
                    stack[index].isAtSubfolders = true
                    stack[index].subfolders.reverse()
                }
                if let name = stack[index].subfolders.popLast() {
                    if let step = enter(name, from: index) { return step }
                    continue
                }
                let left = stack.removeLast()
                return .left(parent: left.parent, name: left.name, path: left.path)
            }
            guard let path = operands.popLast() else { return nil }
            if let step = begin(path) { return step }
        }
    }

    /// Begins with a path that was given. A symbolic link is followed here: somebody named it.
    private mutating func begin(_ path: String) -> Step? {
        do throws(Errno) {
            let resolved = try PathName.resolved(path)
            let parts = PathName.components(of: resolved)
            let status = try FileStatus(path: resolved)
            if isClosed(status) || PathName.lies(resolved, in: closedPath) {
                return .refused(path: path, reason: Self.insideReason)
            }
            let parent = try Directory("/" + parts.dropLast().joined(separator: "/"))
            guard let last = parts.last else { return try open("/", nil, "", path, []) }
            // `cp -r FOLDER/. DCIM/` brings what is in the folder, not the folder.
            let written = PathName.components(of: path).last
            let isContents = path.hasSuffix("/.") || written == "." || written == ".."
            guard status.kind == .directory else { return file(last, parent, path, [], status) }
            // A link keeps the name under which it was given.
            let name = written ?? last
            do throws(Errno) {
                return try open(resolved, parent, last, path, isContents ? [] : [try FileName(name)])
            } catch {
                if [.invalid, .illegalSequence, .nameTooLong].contains(error) { return Self.odd(path) }
                throw error
            }
        } catch { return .refused(path: path, reason: "It cannot be read: \(error).") }
    }

    private static func odd(_ path: String) -> Step {
        .refused(path: path, reason: "Its name is not UTF-8 or holds control characters. Rename it.")
    }

    private static let insideReason =
        "It lies in the library itself. Import what is outside of it; use the mount, or album add, for what is inside."

    private func isClosed(_ status: FileStatus) -> Bool {
        closedDevices.contains(status.device)
            || status.inode == closedDirectory?.inode && status.device == closedDirectory?.device
    }

    private mutating func open(
        _ path: String, _ parent: Directory?, _ name: String, _ shown: String, _ folders: [FileName]
    ) throws(Errno) -> Step? {
        try push(try Directory(path), parent, name, Self.trimmed(shown), folders)
        return nil
    }

    private static func trimmed(_ path: String) -> String {
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == 0x2F || bytes.suffix(2) == [0x2F, 0x2E] { bytes.removeLast() }
        return bytes == [0x2F] ? "" : String(decoding: bytes, as: UTF8.self)
    }

    private mutating func push(
        _ directory: Directory, _ parent: Directory?, _ name: String, _ path: String, _ folders: [FileName]
    ) throws(Errno) {
        var folder = Folder(
            directory: directory, parent: parent, name: name, path: path, folders: folders, rest: [])
        var names: [String] = []
        try directory.forEachNameBytes { (bytes) throws(Errno) in
            guard let name = String(validating: bytes, as: UTF8.self) else {
                folder.odd.append(String(decoding: bytes, as: UTF8.self))
                return
            }
            names.append(name)
        }
        // The next one last; what goes along with others behind them.
        let sorted = names.sorted { $1.utf8.lexicographicallyPrecedes($0.utf8) }
        let along = sorted.filter { Library.isSidecar(FileName(trusted: Array($0.utf8))) }
        folder.rest = along + sorted.filter { !Library.isSidecar(FileName(trusted: Array($0.utf8))) }
        stack.append(folder)
    }

    /// Looks at a name in the folder on top.
    private mutating func step(_ name: String, in index: Int) -> Step? {
        let (directory, folders) = (stack[index].directory, stack[index].folders)
        let path = stack[index].path + "/" + name
        do throws(Errno) {
            guard let status = try directory.status(of: name) else { return nil }
            if status.kind == .directory {
                stack[index].subfolders.append(name)
                return nil
            }
            return file(name, directory, path, folders, status)
        } catch { return .refused(path: path, reason: "It cannot be read: \(error).") }
    }

    private func file(
        _ name: String, _ directory: Directory, _ path: String, _ folders: [FileName], _ status: FileStatus
    ) -> Step {
        guard status.kind == .regular else { return .passedOver(path: path) }
        if isClosed(status) { return .refused(path: path, reason: Self.insideReason) }
        let checked: FileName
        do throws(Errno) { checked = try FileName(name) } catch { return Self.odd(path) }
        if NameClass(of: checked) == .plain, !Library.isSidecar(checked) { return .passedOver(path: path) }
        return .file(File(directory: directory, name: checked, path: path, folders: folders))
    }

    private mutating func enter(_ name: String, from index: Int) -> Step? {
        let (above, folders) = (stack[index].directory, stack[index].folders)
        let path = stack[index].path + "/" + name
        guard stack.count < Self.depthLimit else {
            return .refused(
                path: path,
                reason: "It lies more than \(Self.depthLimit) folders deep. Import it by a path of its own.")
        }
        do throws(Errno) {
            let checked: FileName
            do throws(Errno) { checked = try FileName(name) } catch { return Self.odd(path) }
            // Where tools keep files of their own.
            if NameClass(of: checked) == .plain { return .passedOver(path: path) }
            let descriptor = try above.open(name, [.readOnly, .directory, .noFollow])
            // A folder that holds the library, or in which it is mounted, is imported without it.
            if isClosed(try descriptor.status()) { return .passedOver(path: path) }
            try push(Directory(descriptor: descriptor), above, name, path, folders + [checked])
            return nil
        } catch { return .refused(path: path, reason: "It cannot be read: \(error).") }
    }
}
