import Foundation
import Platform
import Support
import Testing

/// Being asked once, and remembered: real programs of several users wait on a real mount while others go on.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, to make users")) struct AuthorizationAskingTests {
    /// A mount to which root has full access, with an agent on a terminal, and two users about whom nobody has decided.
    private func withAsking(
        timeout: Int = 30, _ body: (MountedLibrary, Terminal, [TestUser]) throws -> Void
    ) throws {
        try withUsers(["anna", "ben"]) { users in
            let options = MountOptions(options: ["allow_other", "prompt_timeout=\(timeout)"])
            try withMountedLibrary(options) { roll in
                try Posix.setMode(roll.dcim, 0o777)
                try Files.write(Generated.jpeg(), to: roll.place("a.jpg"))
                let terminal = try Terminal(Product.command, ["agent", roll.library])
                try terminal.expect("waiting for questions")
                try body(roll, terminal, users)
            }
        }
    }

    private func copy(_ roll: MountedLibrary, to name: String, as user: TestUser) throws -> RunningProgram {
        try RunningProgram("cp", [roll.place("a.jpg"), "\(roll.dcim)/\(name)"], user: user)
    }

    private func answer(_ roll: MountedLibrary, _ user: TestUser, _ decision: String) throws {
        try roll.authorize("answer", "user:\(user.uid)", decision)
    }

    /// How many open questions an answer is an answer to.
    private func questionsAnswered(_ roll: MountedLibrary, _ user: TestUser, _ decision: String) throws -> Int? {
        let outcome = try Product.run(
            "authorization", roll.library, "answer", "user:\(user.uid)", decision, "--json")
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any]
        return object?["answered"] as? Int
    }

    private func records(_ roll: MountedLibrary, of user: TestUser) throws -> [String] {
        try Product.json("authorization", roll.library, "list", as: AuthorizationList.self).records
            .filter { $0.client == "user:\(user.uid)" }.map { "\($0.level) \($0.status)" }
    }

    private func pending(_ roll: MountedLibrary) throws -> [String] {
        let outcome = try Product.run("authorization", roll.library, "pending", "--json")
        let list = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: [[String: Any]]]
        return (list?["pending"] ?? []).compactMap { $0["client"] as? String }
    }

    private func questions(_ terminal: Terminal) -> Int {
        terminal.output.components(separatedBy: "wants to use the library").count - 1
    }

    @Test func askedOnce() throws {
        try withAsking { roll, terminal, users in
            let anna = users[0]
            let first = try copy(roll, to: "first.jpg", as: anna)
            try terminal.expect("(\(anna.uid)) wants to use the library")
            #expect(first.isRunning)
            try answer(roll, anna, "full")
            expectSuccess(first.wait(timeout: 10))
            expectSuccess(try copy(roll, to: "second.jpg", as: anna).wait(timeout: 10))
            #expect(questions(terminal) == 1)
            #expect(try records(roll, of: anna) == ["add-only authorized", "read-write authorized"])
            try roll.remount()
            expectSuccess(try copy(roll, to: "third.jpg", as: anna).wait(timeout: 10))
        }
    }

    @Test func aDenialIsSilentUntilItIsReset() throws {
        try withAsking { roll, terminal, users in
            let anna = users[0]
            let first = try copy(roll, to: "first.jpg", as: anna)
            try terminal.expect("wants to use the library")
            try answer(roll, anna, "deny")
            #expect(first.wait(timeout: 10).stderr.contains("Permission denied"))
            let before = Date()
            let second = try copy(roll, to: "second.jpg", as: anna).wait(timeout: 10)
            #expect(second.stderr.contains("Permission denied"), "\(second)")
            #expect(Date().timeIntervalSince(before) < 20)
            #expect(questions(terminal) == 1)
            try roll.authorize("reset", "user:\(anna.uid)")
            let third = try copy(roll, to: "third.jpg", as: anna)
            try terminal.expect("wants to use the library")
            try answer(roll, anna, "add-only")
            expectSuccess(third.wait(timeout: 10))
            #expect(questions(terminal) == 2)
            #expect(try records(roll, of: anna) == ["add-only authorized", "read-write denied"])
            let events = try Product.json("log", roll.library, "--authorization", as: EventList.self).events
            #expect(events.contains { $0.client == "user:\(anna.uid)" && $0.operation == "authorization" })
            #expect(events.contains { $0.client == "user:\(anna.uid)" && $0.errno == "EACCES" })
        }
    }

    /// Twenty programs of two users: two questions; each answer lets all of its user go on. Others are not held up.
    @Test func twentyAtOnce() throws {
        try withAsking { roll, terminal, users in
            let waiting = try (0..<20).map { number in
                try copy(roll, to: "\(number).jpg", as: users[number % 2])
            }
            // The agent shows one after the other.
            try terminal.expect("wants to use the library")
            sleep(1)
            let before = Date()
            for number in 0..<10 {
                try require("cp", roll.place("a.jpg"), "\(roll.dcim)/root \(number).jpg")
                try require("ls", "-l", roll.dcim)
                try require("rm", "\(roll.dcim)/root \(number).jpg")
            }
            #expect(Date().timeIntervalSince(before) < 25, "others go on")
            #expect(waiting.count { $0.isRunning } == 20)
            #expect(try questionsAnswered(roll, users[0], "full") == 1)
            for (number, program) in waiting.enumerated() where number % 2 == 0 {
                expectSuccess(program.wait(timeout: 15))
            }
            #expect(waiting.count { $0.isRunning } == 10)
            #expect(try questionsAnswered(roll, users[1], "deny") == 1)
            for (number, program) in waiting.enumerated() where number % 2 == 1 {
                let outcome = program.wait(timeout: 15)
                #expect(outcome.stderr.contains("Permission denied"), "\(number): \(outcome)")
            }
            #expect(try Files.names(in: roll.dcim) == (0..<10).map { "\($0 * 2).jpg" }.sorted())
        }
    }

    /// No answer in time: refused for now, nothing is stored, the request is listed and can be answered later.
    @Test func noAnswer() throws {
        try withAsking(timeout: 5) { roll, terminal, users in
            let anna = users[0]
            let before = Date()
            let refused = try copy(roll, to: "first.jpg", as: anna).wait(timeout: 20)
            #expect(refused.stderr.contains("Permission denied"), "\(refused)")
            // A program is made to wait once, not at each of its steps.
            #expect((4.9..<9.9).contains(Date().timeIntervalSince(before)))
            #expect(try records(roll, of: anna) == [])
            #expect(try pending(roll) == ["user:\(anna.uid)"])
            // Another program is another chance.
            let again = try copy(roll, to: "second.jpg", as: anna)
            try terminal.expect("wants to use the library")
            _ = again.wait(timeout: 20)
            try answer(roll, anna, "full")
            #expect(try pending(roll) == [])
            expectSuccess(try copy(roll, to: "third.jpg", as: anna).wait(timeout: 10))
        }
    }

    /// Ctrl-C, a kill, or the death of every agent: the record stays, and what waited ends.
    @Test(arguments: [SIGINT, SIGKILL]) func interrupted(signal: Int32) throws {
        try withAsking { roll, terminal, users in
            let waiting = try copy(roll, to: "first.jpg", as: users[0])
            try terminal.expect("wants to use the library")
            let before = Date()
            waiting.kill(signal)
            #expect(waiting.wait(timeout: 10).status == 128 + signal)
            #expect(Date().timeIntervalSince(before) < 20)
            #expect(try records(roll, of: users[0]) == [])
            #expect(try pending(roll) == ["user:\(users[0].uid)"])
            #expect(try Files.names(in: roll.dcim) == [])
        }
    }

    @Test func theAgentDies() throws {
        try withAsking(timeout: 8) { roll, terminal, users in
            let waiting = try copy(roll, to: "first.jpg", as: users[0])
            try terminal.expect("wants to use the library")
            terminal.kill()
            #expect(waiting.wait(timeout: 20).stderr.contains("Permission denied"))
            #expect(try records(roll, of: users[0]) == [])
            #expect(try pending(roll) == ["user:\(users[0].uid)"])
            // With nobody there it is refused at once.
            let before = Date()
            #expect(try copy(roll, to: "second.jpg", as: users[0]).wait(timeout: 10).status == 1)
            #expect(Date().timeIntervalSince(before) < 7)
        }
    }

    /// Reading is denied, and nobody has decided about adding: a copy asks, though a look does not.
    @Test func addingAlone() throws {
        try withAsking { roll, terminal, users in
            let anna = users[0]
            try roll.authorize("deny", "user:\(anna.uid)", "--level", "read-write")
            #expect(try run("ls", roll.dcim, user: anna).stdout == "")
            #expect(questions(terminal) == 0)
            let waiting = try RunningProgram(
                "sh", ["-c", "cat \"$1\" > \"$2\"", "sh", roll.place("a.jpg"), roll.dcim + "/new.jpg"], user: anna)
            try terminal.expect("(\(anna.uid)) wants to use the library")
            #expect(terminal.output.contains("add"))
            // Nobody else waits for it in that directory.
            let before = Date()
            try require("cp", roll.place("a.jpg"), roll.dcim + "/root.jpg")
            #expect(Date().timeIntervalSince(before) < 20)
            try answer(roll, anna, "add-only")
            expectSuccess(waiting.wait(timeout: 10))
            #expect(try Files.names(in: roll.dcim) == ["new.jpg", "root.jpg"])
        }
    }
}
