import Glibc
import Platform
import Support
import Testing

/// Questions on a terminal: the agent's, and that of a mount in the foreground.
@Suite(.serialized) struct TerminalAgentTests {
    private func withAsking(timeout: Int = 30, _ body: (MountedLibrary) throws -> Void) throws {
        try withMountedLibrary(MountOptions(authorize: nil, options: ["prompt_timeout=\(timeout)"])) { roll in
            try Files.write(Generated.jpeg(), to: roll.place("a.jpg"))
            try body(roll)
        }
    }

    private func startAgent(_ roll: MountedLibrary) throws -> Terminal {
        let terminal = try Terminal(Product.command, ["agent", roll.library])
        try terminal.expect("waiting for questions")
        return terminal
    }

    private func copy(_ roll: MountedLibrary, to name: String) throws -> RunningProgram {
        try RunningProgram("cp", [roll.place("a.jpg"), "\(roll.dcim)/\(name)"])
    }

    private func statuses(_ roll: MountedLibrary) throws -> [String] {
        try Product.json("authorization", roll.library, "list", as: AuthorizationList.self).records
            .map { "\($0.client) \($0.level) \($0.status)" }
    }

    @Test func answerLetsIn() throws {
        try withAsking { roll in
            let terminal = try startAgent(roll)
            let waiting = try copy(roll, to: "first.jpg")
            try terminal.expect("/cp (process \(waiting.pid))")
            try terminal.expect("Answer (f, a, d, pf, pa or pd;")
            try terminal.type("what?")
            try terminal.expect("Answer (")
            #expect(waiting.isRunning)
            try terminal.type("f")
            try terminal.expect("Stored.")
            expectSuccess(waiting.wait(timeout: 10))
            // A second one asks nothing.
            expectSuccess(try copy(roll, to: "second.jpg").wait(timeout: 10))
            #expect(!terminal.output.contains("second.jpg"))
            try roll.unmount()
            try terminal.expect("not mounted any more")
            #expect(try terminal.wait() == 0)
        }
    }

    @Test func answerForTheProgram() throws {
        try withAsking { roll in
            let terminal = try startAgent(roll)
            let waiting = try copy(roll, to: "first.jpg")
            try terminal.expect("Answer (")
            try terminal.type("pd")
            try terminal.expect("Stored.")
            #expect(waiting.wait(timeout: 10).stderr.contains("Permission denied"))
            let program = try require("sh", "-c", "readlink -f \"$(command -v cp)\"").lines[0]
            #expect(try statuses(roll).allSatisfy { $0.hasPrefix("program:\(program)@\(getuid()) ") })
            terminal.interrupt()
            #expect(try terminal.wait() == 0)
        }
    }

    /// Two agents: the other one is told. Nobody answers: refused for now, and listed.
    @Test func answeredElsewhereAndExpired() throws {
        try withAsking(timeout: 3) { roll in
            let first = try startAgent(roll)
            let second = try startAgent(roll)
            let waiting = try copy(roll, to: "first.jpg")
            try first.expect("Answer (")
            try second.expect("Answer (")
            try second.type("a")
            try second.expect("Stored.")
            try first.expect("answered elsewhere")
            expectSuccess(waiting.wait(timeout: 10))

            expectSuccess(try Product.run("authorization", roll.library, "reset", "user:\(getuid())"))
            let refused = try copy(roll, to: "second.jpg").wait(timeout: 20)
            #expect(refused.stderr.contains("Permission denied"), "\(refused)")
            try first.expect("Nobody answered in time")
            let pending = try Product.run("authorization", roll.library, "pending")
            #expect(pending.stdout.contains("user:\(getuid())"), "\(pending)")
            #expect(try statuses(roll) == [])
            // What is typed now answers nothing.
            try first.type("f")
            usleep(200_000)
            #expect(try statuses(roll) == [])
        }
    }

    @Test func foregroundMountAsksOnItsTerminal() throws {
        try withAsking { roll in
            try roll.unmount()
            let mount = try Terminal(Product.command, ["mount", "--foreground", roll.library, roll.root])
            try mount.expect("is mounted at")
            let waiting = try copy(roll, to: "first.jpg")
            try mount.expect("Answer (")
            try mount.type("d")
            try mount.expect("Stored.")
            #expect(waiting.wait(timeout: 10).stderr.contains("Permission denied"))
            expectSuccess(try Product.run("authorization", roll.library, "reset", "user:\(getuid())"))
            let again = try copy(roll, to: "second.jpg")
            try mount.expect("Answer (")
            // The mount ends while somebody waits.
            mount.interrupt()
            #expect(try mount.wait() == 0)
            #expect(again.wait(timeout: 10).status != 0)
            #expect(!MountedLibrary.isMountPoint(roll.root))
            #expect(!Files.exists(roll.library + "/agent.socket"))
        }
    }
}
