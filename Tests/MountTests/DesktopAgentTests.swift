import Glibc
import Platform
import Support
import Testing

/// Questions as notifications, with a real notification daemon: its buttons are pressed, and what waits goes on.
@Suite(.serialized) struct DesktopAgentTests {
    private func withDesktop(
        hasDaemon: Bool = true, timeout: Int = 30, _ body: (MountedLibrary, DesktopSession) throws -> Void
    ) throws {
        try withMountedLibrary(MountOptions(authorize: nil, options: ["prompt_timeout=\(timeout)"])) { roll in
            try Files.write(Generated.jpeg(), to: roll.place("a.jpg"))
            let session = try DesktopSession(in: roll.place, hasDaemon: hasDaemon)
            defer { session.close() }
            try body(roll, session)
        }
    }

    /// Starts the agent and waits until it is ready.
    private func startAgent(_ roll: MountedLibrary, _ session: DesktopSession) throws -> RunningProgram {
        let agent = try RunningProgram(
            Product.command, ["agent", roll.library, "--desktop"], environment: session.environment)
        try session.wait("the agent is ready") { agent.errorSoFar.contains("waiting for questions") }
        return agent
    }

    private func copy(_ roll: MountedLibrary, to name: String) throws -> RunningProgram {
        try RunningProgram("cp", [roll.place("a.jpg"), "\(roll.dcim)/\(name)"])
    }

    private func end(_ agent: RunningProgram) {
        agent.kill(SIGTERM)
        let outcome = agent.wait(timeout: 10)
        #expect(outcome.status == 0, "\(outcome)")
    }

    private func statuses(_ roll: MountedLibrary) throws -> [String] {
        try Product.json("authorization", roll.library, "list", as: AuthorizationList.self).records
            .map { "\($0.client) \($0.level) \($0.status)" }
    }

    @Test(arguments: [
        ("Allow Full Access", 267, "authorized", "authorized"), ("Add Only", 168, "authorized", "denied"),
        ("Don't Allow", 84, "denied", "denied"),
    ])
    func button(label: String, distance: Int, addOnly: String, readWrite: String) throws {
        try withDesktop { roll, session in
            let agent = try startAgent(roll, session)
            let waiting = try copy(roll, to: "first.jpg")
            let window = try session.notification()
            session.takeScreenshot("question")
            #expect(waiting.isRunning)
            #expect(try statuses(roll) == [])
            try session.press(at: distance, in: window)
            let copied = waiting.wait(timeout: 20)
            #expect(
                try statuses(roll) == [
                    "user:\(getuid()) add-only \(addOnly)", "user:\(getuid()) read-write \(readWrite)",
                ])
            #expect((copied.status == 0) == (addOnly == "authorized"), "\(copied)")
            try session.wait("the notification is gone") { try session.notifications().isEmpty }

            // It is not asked again.
            let second = try copy(roll, to: "second.jpg").wait(timeout: 10)
            #expect((second.status == 0) == (addOnly == "authorized"), "\(second)")
            if addOnly == "denied" { #expect(second.stderr.contains("Permission denied"), "\(second)") }
            #expect(try session.notifications().isEmpty)
            end(agent)
        }
    }

    /// A notification that is closed is no answer, nor is a signal that somebody else sends.
    @Test func closedWithoutAButton() throws {
        try withDesktop { roll, session in
            let agent = try startAgent(roll, session)
            let waiting = try copy(roll, to: "first.jpg")
            _ = try session.notification()
            for number in 1...3 {
                try require(
                    "gdbus", "emit", "--session", "--object-path", "/org/freedesktop/Notifications", "--signal",
                    "org.freedesktop.Notifications.ActionInvoked", "uint32 \(number)", "full",
                    environment: session.environment)
                try session.call(
                    "org.freedesktop.Notifications", "/org/freedesktop/Notifications",
                    "org.freedesktop.Notifications.CloseNotification", "\(number)")
            }
            try session.wait("the notification is gone") { try session.notifications().isEmpty }
            usleep(500_000)
            #expect(waiting.isRunning)
            #expect(try statuses(roll) == [])
            // The question is still open, for other agents and for the command.
            let answered = try Product.run(
                "authorization", roll.library, "answer", "user:\(getuid())", "full", "--json")
            #expect(answered.stdout.contains("\"answered\":1"), "\(answered)")
            expectSuccess(waiting.wait(timeout: 10))
            end(agent)
        }
    }

    /// What is answered elsewhere disappears; what waits when a daemon comes anew is shown again.
    @Test func answeredElsewhereAndDaemonAnew() throws {
        try withDesktop { roll, session in
            let agent = try startAgent(roll, session)
            let waiting = try copy(roll, to: "first.jpg")
            _ = try session.notification()
            session.stopDaemon()
            try session.startDaemon()
            _ = try session.notification()
            expectSuccess(try Product.run("authorization", roll.library, "answer", "user:\(getuid())", "add-only"))
            expectSuccess(waiting.wait(timeout: 10))
            try session.wait("the notification is gone") { try session.notifications().isEmpty }
            // An agent that comes to its end takes its notifications along.
            expectSuccess(try Product.run("authorization", roll.library, "reset", "user:\(getuid())"))
            let again = try copy(roll, to: "second.jpg")
            _ = try session.notification()
            end(agent)
            try session.wait("the notification is gone") { try session.notifications().isEmpty }
            expectSuccess(try Product.run("authorization", roll.library, "answer", "user:\(getuid())", "full"))
            expectSuccess(again.wait(timeout: 40))
        }
    }

    @Test func noDaemonAndNoBus() throws {
        try withDesktop(hasDaemon: false) { roll, session in
            let none = try Product.run("agent", roll.library, "--desktop", environment: session.environment)
            #expect(none.status == 8, "\(none)")
            #expect(none.stderr.contains("No notification daemon"), "\(none)")
            let noBus = try Product.run(
                "agent", roll.library, "--desktop",
                environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(roll.place("none"))"])
            #expect(noBus.status == 8, "\(noBus)")
            #expect(noBus.stderr.contains("session bus"), "\(noBus)")
        }
    }

    /// The session ends: the agent says so, and the mount goes on.
    @Test func endOfTheSession() throws {
        try withDesktop(timeout: 1) { roll, session in
            let agent = try startAgent(roll, session)
            session.close()
            let outcome = agent.wait(timeout: 10)
            #expect(outcome.status == 8, "\(outcome)")
            #expect(outcome.stderr.contains("session bus"), "\(outcome)")
            let refused = try copy(roll, to: "first.jpg").wait(timeout: 10)
            #expect(refused.stderr.contains("Permission denied"), "\(refused)")
        }
    }
}
