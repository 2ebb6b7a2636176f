internal import Platform
internal import SQLite

extension Database {
    /// The name under which a new asset shows in views other than the camera roll and albums: its file name where
    /// that is free in the library, else `IMG_0001~2.JPG` and so on.
    func freeDisplayName(like name: FileName, for node: UInt64) throws(Errno) -> FileName {
        if try isFree(name, for: node) { return name }
        for number in 2...64 {
            let candidate = name.inserting("~\(number)")
            if try isFree(candidate, for: node) { return candidate }
        }
        // Cameras count to 9999 and begin again: many files share a name. The node's number is shorter than a search.
        let numbered = name.inserting("~\(node + 64)")
        return try isFree(numbered, for: node) ? numbered : name.inserting("~\(Store.identifier())")
    }

    private func isFree(_ name: FileName, for node: UInt64) throws(Errno) -> Bool {
        try first(
            "SELECT 1 FROM node WHERE display_name = ? AND id <> ?", [.text(name.bytes), .integer(node)]
        ) { _ in true } == nil
    }

    func setDisplayName(of node: UInt64, like name: FileName) throws(Errno) {
        let free = try freeDisplayName(like: name, for: node)
        try run("UPDATE node SET display_name = ? WHERE id = ?", [.text(free.bytes), .integer(node)])
    }
}
