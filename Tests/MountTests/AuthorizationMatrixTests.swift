import Foundation
import Platform
import Support
import Testing

/// Every status of both levels, every operation, every kind of file, on a real mount.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, to make users"))
struct AuthorizationMatrixTests {
    /// What is tried runs as a user whom the kernel's permission bits do not stop, so that every cell is the gate's own.
    @Test func theWholeTable() throws {
        let columns = try AuthorizationMatrix.columns()
        #expect(columns.count == 20)
        #expect(Set(columns.map(\.name)).count == columns.count)
        #expect(Set(AuthorizationMatrix.rows).count == AuthorizationMatrix.rows.count)
        let suffixes = ["free", "reading", "adding", "both"]
        try withUsers(suffixes) { users in
            let policy = """
                { "restrictions": [
                    { "user": "\(users[1].name)", "levels": ["read-write"] },
                    { "user": \(users[2].uid), "levels": ["add-only"] },
                    { "user": "\(users[3].name)" }
                ] }
                """
            let options = MountOptions(options: ["allow_other", "relaxed", "prompt_timeout=1"], policy: policy)
            try withMountedLibrary(options) { roll in
                let trial = try Trial(roll)
                var checked = 0
                for column in columns {
                    let restrictions = (column.readWrite == 1 ? 1 : 0) + (column.addOnly == 1 ? 2 : 0)
                    checked += try trial.check(column, users[restrictions])
                }
                #expect(checked == AuthorizationMatrix.rows.count * columns.count)
                print("\(checked) cells: \(AuthorizationMatrix.rows.count) operations, \(columns.count) states")
            }
        }
    }

    /// A restriction in the records, where only an administrator's tools could have put it, holds as well.
    @Test(arguments: [0, 1, 2, 3]) func restrictedByRecord(addOnly: Int) throws {
        let all = try AuthorizationMatrix.columns()
        var column = try #require(all.first { $0.readWrite == 1 && $0.addOnly == addOnly })
        column.name += "record"
        try withUsers(["free"]) { users in
            try withMountedLibrary(MountOptions(options: ["allow_other", "relaxed", "prompt_timeout=1"])) { roll in
                _ = try Trial(roll).check(column, users[0])
            }
        }
    }
}

/// Tries the operations of one column after the other.
private struct Trial {
    let roll: MountedLibrary
    private let program: String
    private let picture: String

    init(_ roll: MountedLibrary) throws {
        self.roll = roll
        program = roll.place("matrix.py")
        picture = roll.place("picture.jpg")
        try Files.write(Array(AuthorizationMatrix.program.utf8), to: program)
        try Generated.photo(at: picture, date: "2024:05:17 10:00:00")
    }

    /// - Returns: how many cells were compared.
    func check(_ column: AuthorizationMatrix.Column, _ user: TestUser) throws -> Int {
        let client = "user:\(user.uid)"
        try prepare(column, user, client)
        let before = try facts(column)
        let outcome = try runUnhindered(user, words("attempt", column))
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
        let answers = try JSONDecoder().decode([String: String].self, from: Data(outcome.output))
        #expect(Set(answers.keys) == Set(column.expected.keys), "the table and the program name other operations")
        for (operation, expected) in column.expected {
            #expect(answers[operation] == expected, "\(operation), \(column.name)")
        }
        // What a client does not see stays as it is, whatever it tried.
        let after = try facts(column)
        for object in ["chosen", "theirs"] where column.expected["lookup \(object)"] != "ok" {
            #expect(before[object] == after[object], "\(object), \(column.name)")
        }
        return answers.count
    }

    private func prepare(_ column: AuthorizationMatrix.Column, _ user: TestUser, _ client: String) throws {
        let isByPolicy = !column.name.hasSuffix("record")
        if isByPolicy && column.addOnly == 1 {
            // Who may not even add has nothing of its own; what others made stands for it.
            try make("own", column, nil)
        } else {
            // Made as an add-only client makes them: for some minutes they are such a client's too.
            try roll.setRecords(of: client, readWrite: 2, addOnly: 3)
            try make("own", column, user)
        }
        try make("theirs,chosen", column, nil)
        try roll.choose("\(column.name)-%-chosen.jpg", for: client)
        // What an administrator restricts a record that allows it changes nothing about.
        func record(_ status: Int) -> Int { status == 1 && isByPolicy ? 3 : status }
        try roll.setRecords(of: client, readWrite: record(column.readWrite), addOnly: record(column.addOnly))
    }

    private func make(_ what: String, _ column: AuthorizationMatrix.Column, _ user: TestUser?) throws {
        let words = words(what, column)
        let outcome =
            if let user {
                try runUnhindered(user, words)
            } else {
                try run(words[0], arguments: Array(words.dropFirst()))
            }
        guard outcome.succeeded else { throw HarnessError("\(column.name): \(outcome)") }
    }

    private func words(_ what: String, _ column: AuthorizationMatrix.Column) -> [String] {
        ["/usr/bin/python3", program, what, roll.dcim, column.name, picture]
    }

    /// What root sees of the files that a client may not change: modes, links, times, contents.
    private func facts(_ column: AuthorizationMatrix.Column) throws -> [String: NSDictionary] {
        let words = words("facts", column)
        let outcome = try run(words[0], arguments: Array(words.dropFirst()))
        guard let found = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: NSDictionary] else {
            throw HarnessError(outcome.description)
        }
        for (object, files) in found { #expect(files.count > 15, "\(object): \(files.count)") }
        return found
    }
}
