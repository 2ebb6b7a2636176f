import Glibc

/// Paths as text.
public enum PathName {
    /// The path from the root, before symbolic links are followed.
    public static func absolute(_ path: String) throws(Errno) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        guard let current = getcwd(nil, 0) else { throw .current }
        defer { free(current) }
        let directory = String(cString: current)
        return directory == "/" ? "/\(path)" : "\(directory)/\(path)"
    }

    /// The path without symbolic links, `.` and `..`. Every part has to exist. The corresponding C function is
    /// `realpath`.
    public static func resolved(_ path: String) throws(Errno) -> String {
        guard let resolved = realpath(path, nil) else { throw .current }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// As `resolved`, with the last component taken as it is: it need not exist, and nothing asks the file system that
    /// may be mounted there.
    public static func resolvingParent(_ path: String) throws(Errno) -> String {
        let full = try absolute(path)
        let parts = components(of: full).filter { $0 != "." }
        guard let last = parts.last else { return "/" }
        if last == ".." { return try resolved(full) }
        let parent = try resolved("/" + parts.dropLast().joined(separator: "/"))
        return parent == "/" ? "/\(last)" : "\(parent)/\(last)"
    }

    /// The parts between the slashes, empty ones left out.
    ///
    /// Taken apart byte by byte: a name may begin with a combining mark, which Swift's `Character` joins to the slash.
    public static func components(of path: some StringProtocol) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a path is a directory's own or lies below it. Both are absolute and resolved.
    public static func lies(_ path: String, in directory: String) -> Bool {
        directory == "/" || path.utf8.elementsEqual(directory.utf8)
            || path.utf8.starts(with: (directory + "/").utf8)
    }

    /// What follows a directory's path in the path of something below it; empty for the directory itself.
    public static func remainder(of path: String, below directory: String) -> String {
        String(decoding: path.utf8.dropFirst(directory.utf8.count).drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
    }
}
