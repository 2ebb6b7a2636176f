import Foundation
import Glibc
import Platform
import Support
import Testing

/// Clients without a record, an agent that is there, and answers by `cameraroll authorization answer`.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, to make users"))
struct AuthorizationAskingTests {
    private func withAsking(
        _ names: [String] = ["guest"], timeout: Int = 30, _ body: (MountedLibrary, Terminal, [TestUser]) throws -> Void
    ) throws {
        try withUsers(names) { users in
            let options = ["allow_other", "relaxed", "prompt_timeout=\(timeout)"]
            try withMountedLibrary(MountOptions(options: options)) { roll in
                try Posix.setMode(roll.dcim, 0o777)
                try Files.write(Generated.jpeg(), to: roll.dcim + "/a.jpg")
                try Files.write(Generated.jpeg(), to: roll.place("new.jpg"))
                let agent = try Terminal(Product.command, ["agent", roll.library])
                try agent.expect("waiting for questions")
                try body(roll, agent, users)
                agent.interrupt()
                #expect(try agent.wait() == 0)
            }
        }
    }

    private func copy(_ roll: MountedLibrary, _ name: String, _ user: TestUser) throws -> RunningProgram {
        try RunningProgram("cp", [roll.place("new.jpg"), "\(roll.dcim)/\(name)"], user: user)
    }

    private func records(_ roll: MountedLibrary, _ user: TestUser) throws -> [String] {
        try Product.json("authorization", roll.library, "list", as: AuthorizationList.self).records
            .filter { $0.client.hasSuffix("\(user.uid)") }.map { "\($0.level) \($0.status)" }.sorted()
    }

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = Clock.monotonic()
        try body()
        return Double(Clock.monotonic() - start) / 1e9
    }

    @Test func answerLetsInAndStays() throws {
        try withAsking { roll, agent, users in
            let client = "user:\(users[0].uid)"
            let waiting = try copy(roll, "first.jpg", users[0])
            try agent.expect("Answer (")
            usleep(300_000)
            #expect(waiting.isRunning)
            try roll.authorize("answer", client, "full")
            expectSuccess(waiting.wait(timeout: 5))
            try expectAsset(roll.dcim + "/first.jpg", holding: roll.place("new.jpg"))
            try agent.expect("answered elsewhere")
            // The second one asks nothing, also after a remount without an agent.
            expectSuccess(try copy(roll, "second.jpg", users[0]).wait(timeout: 5))
            #expect(!agent.output.contains("second.jpg"))
        }
    }

    @Test func denialIsSilentUntilReset() throws {
        try withAsking { roll, agent, users in
            let client = "user:\(users[0].uid)"
            let waiting = try copy(roll, "first.jpg", users[0])
            try agent.expect("Answer (")
            try roll.authorize("answer", client, "deny")
            let refused = waiting.wait(timeout: 5)
            #expect(refused.stderr.contains("Permission denied"), "\(refused)")
            try agent.expect("answered elsewhere")
            let asked = agent.output
            let time = try seconds {
                let again = try copy(roll, "second.jpg", users[0]).wait()
                #expect(again.stderr.contains("Permission denied"), "\(again)")
            }
            #expect(time < 2)
            #expect(agent.output == asked)
            try roll.authorize("reset", client)
            let third = try copy(roll, "third.jpg", users[0])
            try agent.expect("Answer (")
            try roll.authorize("answer", client, "add-only")
            expectSuccess(third.wait(timeout: 5))
            #expect(try Files.names(in: roll.dcim) == ["a.jpg", "third.jpg"])
        }
    }

    /// Twenty programs of two users: two questions, each answered once; root goes on meanwhile.
    @Test func manyProgramsOneQuestion() throws {
        try withAsking(["one", "two"]) { roll, agent, users in
            let programs = try (0..<20).map { number in
                (number % 2, try copy(roll, "copy-\(number).jpg", users[number % 2]))
            }
            try agent.expect("Answer (")
            usleep(500_000)
            #expect(programs.allSatisfy { $0.1.isRunning })
            let time = try seconds {
                expectSuccess(try run("ls", "-lR", roll.root))
                expectSuccess(try run("cp", roll.dcim + "/a.jpg", roll.dcim + "/roots.jpg"))
                expectSuccess(try run("rm", roll.dcim + "/roots.jpg"))
            }
            #expect(time < 2, "root's work took \(time) s while 20 programs wait")
            print("root's ls, cp and rm while 20 programs wait: \(time) s")
            for (index, decision) in [(0, "full"), (1, "deny")] {
                let answered = try seconds {
                    try roll.authorize("answer", "user:\(users[index].uid)", decision)
                    for (user, program) in programs where user == index {
                        let outcome = program.wait(timeout: 10)
                        #expect(outcome.succeeded == (decision == "full"), "\(outcome)")
                    }
                }
                #expect(answered < 5)
                if index == 0 { #expect(programs.filter { $0.0 == 1 }.allSatisfy { $0.1.isRunning }) }
            }
            try agent.expect("answered elsewhere")
            usleep(300_000)
            #expect(try Files.names(in: roll.dcim).count == 11)
            // Two questions in all, whatever the number of programs.
            let questions = agent.output.components(separatedBy: "(process ").count - 1
            #expect(questions <= 2, "\(agent.output)")
        }
    }

    @Test func nobodyAnswers() throws {
        try withAsking(timeout: 1) { roll, agent, users in
            let refused = try copy(roll, "first.jpg", users[0])
            try agent.expect("Answer (")
            let outcome = refused.wait(timeout: 10)
            #expect(outcome.stderr.contains("Permission denied"), "\(outcome)")
            #expect(try records(roll, users[0]) == [])
            let pending = try Product.run("authorization", roll.library, "pending")
            #expect(pending.stdout.contains("user:\(users[0].uid)"), "\(pending)")
            // It can be answered later.
            try roll.authorize("answer", "user:\(users[0].uid)", "full")
            expectSuccess(try copy(roll, "second.jpg", users[0]).wait(timeout: 5))
            let left = try Product.run("authorization", roll.library, "pending")
            #expect(!left.stdout.contains("user:\(users[0].uid)"), "\(left)")
        }
    }

    /// Ctrl-C and kill -9 end a program that waits, at once.
    @Test(arguments: [SIGINT, SIGTERM, SIGKILL]) func waitingProgramsCanBeStopped(signal: Int32) throws {
        try withAsking { roll, agent, users in
            let waiting = try copy(roll, "first.jpg", users[0])
            try agent.expect("Answer (")
            let time = seconds {
                waiting.kill(signal)
                #expect(waiting.wait(timeout: 10).status == 128 + signal)
            }
            #expect(time < 1.5, "\(time)")
            #expect(try records(roll, users[0]) == [])
            #expect(try Files.names(in: roll.dcim) == ["a.jpg"])
            // Whoever comes next is asked for anew.
            let next = try copy(roll, "second.jpg", users[0])
            try agent.expect("Answer (")
            try roll.authorize("answer", "user:\(users[0].uid)", "full")
            expectSuccess(next.wait(timeout: 5))
        }
    }

    /// The agent dies while it asks: the question goes on until its time is up, and is listed then.
    @Test func agentDies() throws {
        try withUsers(["guest"]) { users in
            let options = ["allow_other", "relaxed", "prompt_timeout=3"]
            try withMountedLibrary(MountOptions(options: options)) { roll in
                try Posix.setMode(roll.dcim, 0o777)
                try Files.write(Generated.jpeg(), to: roll.place("new.jpg"))
                let agent = try Terminal(Product.command, ["agent", roll.library])
                try agent.expect("waiting for questions")
                let waiting = try copy(roll, "first.jpg", users[0])
                try agent.expect("Answer (")
                kill(agent.pid, SIGKILL)
                _ = try agent.wait()
                let outcome = waiting.wait(timeout: 10)
                #expect(outcome.stderr.contains("Permission denied"), "\(outcome)")
                #expect(try records(roll, users[0]) == [])
                let pending = try Product.run("authorization", roll.library, "pending")
                #expect(pending.stdout.contains("user:\(users[0].uid)"), "\(pending)")
            }
        }
    }

    /// Reading was denied, of adding nobody has said anything: whoever adds is asked for.
    @Test func addingIsAskedForWhereReadingIsDenied() throws {
        try withAsking { roll, agent, users in
            let client = "user:\(users[0].uid)"
            try roll.authorize("deny", client, "--level", "read-write")
            let read = try run("cat", roll.dcim + "/a.jpg", user: users[0], timeout: 5)
            // It may yet make the name: that it is there or not is all the same to it.
            let absent = try run("cat", roll.dcim + "/never.jpg", user: users[0], timeout: 5)
            #expect(
                read.status == 1 && read.stderr.replacingOccurrences(of: "a.jpg", with: "never.jpg") == absent.stderr)
            #expect(try run("ls", "-A", roll.dcim, user: users[0]).stdout == "")
            #expect(!agent.output.contains("Answer ("))
            let waiting = try RunningProgram(
                "sh", ["-c", "cat \"$0\" > \"$1\"", roll.place("new.jpg"), roll.dcim + "/first.jpg"], user: users[0])
            try agent.expect("Answer (")
            try roll.authorize("answer", client, "add-only")
            expectSuccess(waiting.wait(timeout: 5))
            try expectAsset(roll.dcim + "/first.jpg", holding: roll.place("new.jpg"))
        }
    }
}
