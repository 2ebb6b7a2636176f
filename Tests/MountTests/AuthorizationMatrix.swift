import Support

/// What every operation answers in every state of a client's two records.
///
/// - `own` is what the client added, `chosen` what was chosen for it, `theirs` what is neither. Where the read-write
///   record is not `limited`, nothing counts as chosen.
/// - `ok`: done. `emp`: done, and the listing is empty. `acc`: EACCES. `prm`: EPERM. `noe`: ENOENT. `not`: ENOTEMPTY.
/// - Restrictions are the administrator's. One of adding is one of reading too, which would allow adding.
/// - "rename in" is into `Recently Deleted`, "rename out" is out of it, "view" is the day's directory below `Dates`.
/// - Over and under a name that it may not see a client moves as if there were nothing: `rename onto theirs`.
enum AuthorizationMatrix {
    static let text = """
        read-write             | not determined  | restricted      | denied          | authorized      | limited
        add-only               | ?   res den aut | ?   res den aut | ?   res den aut | ?   res den aut | ?   res den aut

        statfs                 | ok  ok  ok  ok  | ok  ok  ok  ok  | ok  ok  ok  ok  | ok  ok  ok  ok  | ok  ok  ok  ok
        stat DCIM              | ok  ok  ok  ok  | ok  ok  ok  ok  | ok  ok  ok  ok  | ok  ok  ok  ok  | ok  ok  ok  ok
        readdir DCIM           | emp emp emp ok  | emp emp emp ok  | emp emp emp ok  | ok  emp ok  ok  | ok  emp ok  ok
        readdir a view         | emp emp emp ok  | emp emp emp ok  | emp emp emp ok  | ok  emp ok  ok  | ok  emp ok  ok
        create                 | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        mkdir                  | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        symlink                | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        mknod                  | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        setxattr DCIM          | acc prm acc acc | prm prm prm acc | acc prm acc acc | ok  prm ok  ok  | acc prm acc acc
        lookup nothing         | acc prm acc noe | prm prm prm noe | acc prm acc noe | noe prm noe noe | noe prm noe noe

        lookup own             | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        stat own               | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        open read own          | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        open write own         | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        getxattr own           | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        listxattr own          | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        setxattr own           | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        truncate own           | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        chmod own              | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        utimens own            | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        link own               | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        rename within own      | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        rename onto own        | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        exchange own           | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        unlink own             | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        copy_file_range own    | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        readdir own            | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        rmdir own              | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        rmdir full own         | acc prm acc not | prm prm prm not | acc prm acc not | not prm not not | not prm not not
        view stat own          | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        view unlink own        | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        rename in own          | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        rename out own         | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        purge own              | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok

        lookup chosen          | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        stat chosen            | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        open read chosen       | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        open write chosen      | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        getxattr chosen        | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        listxattr chosen       | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        setxattr chosen        | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        truncate chosen        | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        chmod chosen           | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        utimens chosen         | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        link chosen            | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        rename within chosen   | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        rename onto chosen     | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        exchange chosen        | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        unlink chosen          | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        copy_file_range chosen | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        readdir chosen         | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        rmdir chosen           | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        rmdir full chosen      | acc prm acc noe | prm prm prm noe | acc prm acc noe | not prm not not | acc prm acc acc
        view stat chosen       | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        view unlink chosen     | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        rename in chosen       | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        rename out chosen      | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok
        purge chosen           | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | ok  prm ok  ok

        lookup theirs          | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        stat theirs            | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        open read theirs       | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        open write theirs      | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        getxattr theirs        | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        listxattr theirs       | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        setxattr theirs        | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        truncate theirs        | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        chmod theirs           | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        utimens theirs         | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        link theirs            | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        rename within theirs   | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        rename onto theirs     | acc prm acc ok  | prm prm prm ok  | acc prm acc ok  | ok  prm ok  ok  | ok  prm ok  ok
        exchange theirs        | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        unlink theirs          | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        copy_file_range theirs | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        readdir theirs         | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        rmdir theirs           | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        rmdir full theirs      | acc prm acc noe | prm prm prm noe | acc prm acc noe | not prm not not | noe prm noe noe
        view stat theirs       | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        view unlink theirs     | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        rename in theirs       | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        rename out theirs      | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        purge theirs           | acc prm acc noe | prm prm prm noe | acc prm acc noe | ok  prm ok  ok  | noe prm noe noe
        """

    struct Column: Sendable {
        /// Both as `AuthorizationMatrix.statuses` counts them.
        var readWrite: Int
        var addOnly: Int
        var expected: [String: String]
        /// A word for names of files: both statuses' first letters.
        var name: String
    }

    /// PHAuthorizationStatus, with its raw values, by the letter that stands for it in names.
    static let statuses: [(word: String, letter: String, value: Int)] = [
        ("?", "n", 0), ("res", "r", 1), ("den", "d", 2), ("aut", "a", 3), ("lim", "l", 4),
    ]

    /// The operations, as the table names them.
    static let rows: [String] = lines.dropFirst(2).map(\.label)

    /// The table by columns.
    static func columns() throws -> [Column] {
        let levels = lines[1].cells
        guard lines.allSatisfy({ $0.cells.count == levels.count || $0.label == "read-write" }) else {
            throw HarnessError("a row of the table has not as many cells as the others")
        }
        return try levels.indices.map { index in
            // Four columns to a status of the read-write record, in the order of their numbers.
            let readWrite = index / 4
            guard let addOnly = statuses.first(where: { $0.word == levels[index] }) else {
                throw HarnessError("the table has no status \(levels[index])")
            }
            let cells = lines.dropFirst(2).map { ($0.label, $0.cells[index]) }
            return Column(
                readWrite: readWrite, addOnly: addOnly.value, expected: Dictionary(uniqueKeysWithValues: cells),
                name: statuses[readWrite].letter + addOnly.letter)
        }
    }

    private static let lines: [(label: String, cells: [String])] = text.split(separator: "\n").map { line in
        let parts = line.split(separator: "|")
        let label = parts[0].split(separator: " ").joined(separator: " ")
        return (label, parts.dropFirst().flatMap { $0.split(separator: " ").map(String.init) })
    }
}
