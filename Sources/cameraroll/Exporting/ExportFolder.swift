import PhotoLibrary
import Platform

/// The folder that files are exported to. A file appears in it whole or not at all, and nothing there is written over.
struct ExportFolder {
    /// Where a file is now.
    enum Placed {
        case made(FileName)
        /// A file with the same bytes was there.
        case same(FileName)

        var name: FileName {
            switch self {
            case .made(let name), .same(let name): name
            }
        }
    }

    private let root: Directory
    /// The last directory that was used, which most often is the next one too.
    private var last: (path: [FileName], directory: Directory)?
    private static let nameLimit = 10_000

    init(_ path: String) throws(Errno) {
        root = try Directory(path)
    }

    /// A directory in it, made where it is missing.
    mutating func directory(_ path: [FileName]) throws(Errno) -> Directory {
        if let last, last.path == path { return last.directory }
        var directory = root
        for name in path {
            try directory.makeDirectory(name.description, permissions: 0o777)
            directory = try Directory(name.description, in: directory)
        }
        last = (path, directory)
        return directory
    }

    /// Puts a copy of a file into a directory under a name, or one like it where another file has that.
    ///
    /// - Parameters:
    ///   - times: access and modification, nanoseconds since 1970 UTC.
    ///   - progress: called with the number of bytes done so far; may end the copy by throwing.
    static func place(
        _ source: FileDescriptor, as name: FileName, in directory: Directory, permissions: UInt32,
        times: (access: Int64, modification: Int64), progress: (Int64) throws(Errno) -> Void
    ) throws(Errno) -> Placed {
        var (candidate, number) = (name, 0)
        if let same = try look(for: source, as: name, in: directory, &candidate, &number) { return .same(same) }
        let temporary = ".cameraroll-export-\(UInt64.random(in: 0...UInt64.max)).tmp"
        let file = try directory.open(
            temporary, [.readWrite, .create, .exclusive, .noFollow], permissions: permissions)
        do throws(Errno) {
            try file.copyContents(of: source, step: 8 << 20, progress: progress)
            try file.syncData()
            try file.setTimes(access: times.access, modification: times.modification)
            while true {
                do throws(Errno) {
                    try giveName(candidate, to: temporary, in: directory)
                    return .made(candidate)
                } catch .exists {
                    // Somebody else was faster.
                    if let same = try look(for: source, as: name, in: directory, &candidate, &number) {
                        try directory.unlink(temporary)
                        return .same(same)
                    }
                }
            }
        } catch {
            try? directory.unlink(temporary)
            throw error
        }
    }

    /// Looks for a free name from `number` on. - Returns: a name that has the same bytes already.
    private static func look(
        for source: FileDescriptor, as name: FileName, in directory: Directory, _ candidate: inout FileName,
        _ number: inout Int
    ) throws(Errno) -> FileName? {
        while number < nameLimit {
            candidate = number == 0 ? name : name.inserting("~\(number)")
            guard let status = try directory.status(of: candidate.description) else { return nil }
            if status.kind == .regular, try status.size == source.status().size,
                try directory.open(candidate.description, [.readOnly, .noFollow, .nonBlocking]).holdsSame(as: source)
            {
                return candidate
            }
            number += 1
        }
        throw .exists
    }

    private static func giveName(
        _ name: FileName, to temporary: String, in directory: Directory
    ) throws(Errno) {
        do throws(Errno) { return try directory.renameExclusively(temporary, to: name.description) } catch {
            // File systems that know no such rename say EINVAL (rename(2)).
            guard [.invalid, .notImplemented, .notSupported].contains(error) else { throw error }
        }
        do throws(Errno) {
            try directory.link(temporary, to: name.description)
            return try directory.unlink(temporary)
        } catch {
            // Nor any second name: then a look has to do.
            guard [.notPermitted, .notImplemented, .notSupported].contains(error) else { throw error }
        }
        if try directory.status(of: name.description) != nil { throw .exists }
        try directory.rename(temporary, to: name.description)
    }
}
