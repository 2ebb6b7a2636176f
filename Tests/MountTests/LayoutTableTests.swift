import Glibc
import Platform
import Support
import Testing

/// The contract's layout table, place by place and column by column, by shell commands.
@Suite struct LayoutTableTests {
    /// What the commands of the table use: `has`, `same`, `x` (an attribute of the library) and `tags`.
    private static let prelude = """
        day=Dates/2024/2024-05/2024-05-17
        uid=$(id -u)
        has() { if [ -e "$1" ]; then echo yes; else echo no; fi; }
        x() { getfattr --only-values -n "user.cameraroll.$1" "$2"; echo; }
        tags() { getfattr --only-values -n user.xdg.tags "$1" 2>&1 | grep -v 'No such attribute'; true; }
        same() {
          if [ "$(stat -c %i "$1")" = "$(stat -c %i "$2")" ]; then echo same; else echo different; fi
          echo "links $(stat -c %h "$2")"
        }

        """

    private static func shell(_ roll: MountedLibrary, _ command: String) throws -> Outcome {
        try run(
            "sh", arguments: ["-c", prelude + command], cwd: roll.root, environment: ["disk": roll.place("disk/new")])
    }

    private static func fill(_ roll: MountedLibrary) throws {
        let disk = roll.place("disk")
        try require("mkdir", "-p", disk + "/new")
        for number in UInt64(1)...9 { try Files.write(Picture.jpeg(100 + number), to: "\(disk)/new/n\(number).jpg") }
        for (number, name) in ["a", "b", "c", "d", "e", "f", "g", "h"].enumerated() {
            let date = "2024:05:17 10:0\(number):00"
            try Files.write(Picture.jpeg(UInt64(number), look: UInt8(number), date: date), to: "\(disk)/\(name).jpg")
        }
        try Files.write(Generated.movie(), to: disk + "/m.mp4")
        try require("sh", "-c", "cp -- \"$0\"/*.* \"$1\"", disk, roll.dcim)
        try require("mkdir", roll.dcim + "/trip", roll.root + "/Albums/Trip", roll.root + "/Keywords/sea")
    }

    /// All names of the tree, but for those that follow the camera roll's, and what the movie's day is.
    private static func everything(_ roll: MountedLibrary) throws -> [String] {
        try require(
            "find", roll.root, "(", "-name", "Thumbnails", "-o", "-name", "Search", ")", "-prune", "-o", "-printf",
            "%P %y %n %s\\n"
        ).lines
    }

    @Test(arguments: LayoutTable.rows) func place(row: LayoutTable.Row) throws {
        try withMountedLibrary(MountOptions(options: ["relaxed"])) { roll in
            try Self.fill(roll)
            for column in LayoutTable.Column.allCases {
                #expect(row.cases.contains { $0.column == column }, "\(row.place): nothing about \(column)")
            }
            for item in row.cases {
                let title = "\(row.place), \(item.column): \(item.command)"
                switch item.expected {
                case .refused(let reason):
                    let before = try Self.everything(roll)
                    let outcome = try Self.shell(roll, item.command)
                    #expect(outcome.status != 0 && outcome.stderr.contains(reason), "\(title)\n\(outcome)")
                    #expect(try Self.everything(roll) == before, "\(title): refused, and something is changed")
                case .leaves(let question, let words):
                    let outcome = try Self.shell(roll, item.command)
                    #expect(outcome.succeeded, "\(title)\n\(outcome)")
                    let answer = try Self.shell(roll, question)
                    let found = answer.stdout.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    let expected = words.replacing("$day", with: "Dates/2024/2024-05/2024-05-17")
                        .replacing("-0/", with: "-\(getuid())/")
                    #expect(found == expected, "\(title)\n\(answer.stderr)")
                }
            }
            #expect(try roll.pendingFiles().isEmpty)
        }
    }

    /// Nothing was left out of the table.
    @Test func isComplete() {
        #expect(LayoutTable.rows.count == 14)
        #expect(LayoutTable.rows.map(\.cases.count).reduce(0, +) == 183)
    }
}
