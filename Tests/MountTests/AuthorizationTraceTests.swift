import Foundation
import Support
import Testing

/// What somebody may not see leaves no trace: no name, number, size or attribute, and no error that differs from the
/// one for a name that never was; also after, and while, somebody who sees everything has it all in the kernel's caches.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, to make users")) struct AuthorizationTraceTests {
    enum Client: CaseIterable, Sendable {
        case limited, addOnly, denied

        /// What a walk finds besides the directories of the first level.
        var files: Set<String> {
            switch self {
            case .denied: []
            case .addOnly: ["DCIM/own/own.jpg", "Recently Added/own.jpg"]
            case .limited: ["DCIM/own/own.jpg", "Recently Added/own.jpg", "DCIM/x.jpg", "Recently Added/x.jpg"]
            }
        }
    }

    private struct Bench {
        let roll: MountedLibrary
        let guest: TestUser
        let program: String
        let picture: String

        func words(_ action: String, _ extra: String? = nil) -> [String] {
            ["/usr/bin/python3", program, action, roll.root, extra ?? picture]
        }

        /// Runs the program as the client that is tried.
        func ask<Answer: Decodable>(
            _ action: String, _ extra: String? = nil, as: Answer.Type = Answer.self
        ) throws -> Answer {
            let words = words(action, extra)
            // What is refused is to be refused by the library, not by the kernel's permission bits.
            let outcome =
                action == "pairs"
                ? try runUnhindered(guest, words, timeout: 150)
                : try run(words[0], arguments: Array(words.dropFirst()), user: guest)
            guard outcome.succeeded else { throw HarnessError(outcome.description) }
            return try JSONDecoder().decode(Answer.self, from: Data(outcome.output))
        }
    }

    private func withBench(_ client: Client, _ body: (Bench) throws -> Void) throws {
        try Machine.withUser("seeker") { guest in
            try withMountedLibrary(MountOptions(options: ["allow_other"])) { roll in
                let bench = Bench(
                    roll: roll, guest: guest, program: roll.place("leak.py"), picture: roll.place("picture.jpg"))
                try Files.write(Array(AuthorizationTrace.program.utf8), to: bench.program)
                try Generated.photo(at: bench.picture, date: "2024:05:17 10:00:00")
                let words = bench.words("make")
                expectSuccess(try run(words[0], arguments: Array(words.dropFirst())))
                let name = "user:\(guest.name)"
                switch client {
                case .limited: try roll.authorize("limit", name, "--to", "DCIM/x.jpg")
                case .addOnly: try roll.authorize("allow", name, "--level", "add-only")
                case .denied: try roll.authorize("deny", name)
                }
                let own = try run(
                    "sh", "-c",
                    "mkdir \"$1/own\" && cp \"$2\" \"$1/own/own.jpg\" && setfattr -n user.a -v b \"$1/own/own.jpg\"",
                    "sh", roll.dcim, bench.picture, user: guest)
                #expect(own.succeeded == (client != .denied), "\(own)")
                try walkAsRoot(roll)
                try body(bench)
            }
        }
    }

    /// Fills the kernel's caches with all there is.
    private func walkAsRoot(_ roll: MountedLibrary) throws {
        for command in [
            "ls -lRa \"$1\"", "find \"$1\" -type f -exec cat {} + | wc -c", "getfattr -R -d -m - \"$1\"",
            "du -a \"$1\"",
            "df \"$1\"",
        ] {
            let outcome = try run("sh", "-c", command, "sh", roll.root)
            expectSuccess(outcome)
            #expect(!command.contains("-R") || outcome.stdout.contains("secret"), "root does not see what is hidden")
        }
    }

    /// Walks and copies as root until it is stopped.
    private func disturb(_ roll: MountedLibrary) throws -> RunningProgram {
        let script = """
            while :; do
                ls -lR "$1"; find "$1" -type f -exec cat {} +; rm -rf "$1/DCIM/secret-copies"
                mkdir "$1/DCIM/secret-copies" && cp "$1/DCIM/"secret-*.jpg "$1/DCIM/secret-copies"
                mv "$1/DCIM/secret-copies/secret-photo.jpg" "$1/DCIM/secret-copies/secret-moved.jpg"
            done >/dev/null 2>&1
            """
        return try RunningProgram("sh", ["-c", script, "sh", roll.root])
    }

    private func beside(_ disturbed: Bool, _ roll: MountedLibrary, _ body: () throws -> Void) throws {
        let other = disturbed ? try disturb(roll) : nil
        defer {
            other?.kill()
            _ = other?.wait()
        }
        try body()
        if let other { #expect(other.isRunning) }
    }

    @Test(arguments: Client.allCases, [false, true])
    func listingsShowOnlyOnesOwn(_ client: Client, isDisturbed: Bool) throws {
        try withBench(client) { bench in
            let root = bench.roll.root
            try beside(isDisturbed, bench.roll) {
                let end = Date().addingTimeInterval(isDisturbed ? 2 : 0)
                repeat {
                    let found = try bench.ask("walk", as: [String: Int].self)
                    let files = Set(found.keys.filter { $0.hasSuffix(".jpg") && !$0.hasPrefix("Dates") })
                    let thumbnails = client.files.filter { $0.hasPrefix("DCIM") }.map { "Thumbnails" + $0.dropFirst(4) }
                    #expect(files == client.files.union(thumbnails))
                    #expect(found.keys.filter { $0.contains("secret") } == [])
                    let days = Set(found.keys.filter { $0.hasPrefix("Dates/2024/") }.map { $0.prefix(29) })
                    #expect(days.allSatisfy { "Dates/2024/2024-05/2024-05-17".hasPrefix($0) }, "\(days)")
                    #expect(days.isEmpty == (client == .denied))
                    #expect(found["Dates/2023"] == nil)
                    #expect(found.filter { $0.key.hasSuffix(".jpg") && $0.value != 1 } == [:], "st_nlink")
                    for command in [
                        ["find", root, "-ls"], ["ls", "-lRai", root], ["getfattr", "-R", "-d", "-m", "-", root],
                        ["du", "-a", root], ["rsync", "-an", "-v", root + "/", bench.roll.place("nowhere")],
                        ["tar", "-cf", "/dev/null", "-v", root],
                    ] {
                        let outcome = try run(command[0], arguments: Array(command.dropFirst()), user: bench.guest)
                        #expect(outcome.stdout.contains("own.jpg") == (client != .denied), "\(outcome)")
                        #expect(!"\(outcome.stdout)\(outcome.stderr)".contains("secret"), "\(outcome)")
                    }
                } while Date() < end
            }
        }
    }

    @Test(arguments: Client.allCases) func numbersAndLinksTellNothing(_ client: Client) throws {
        struct Answer: Decodable {
            var mount: [String]
            var links: [String]
        }
        try withBench(client) { bench in
            let (roll, guest) = (bench.roll, bench.guest)
            func numbers() throws -> [String] {
                let stat = ["stat -f -c '%a %b %c %d %f %i %l %s %S %t' \"$1\"", "df -k \"$1\"", "df -i \"$1\""]
                // Times of what is the guest's own change with what it does itself.
                let times = "stat -c '%n %h %s %b %Y %Z %W' \"$1/DCIM\" \"$1/DCIM/.\" \"$1\""
                return try (stat + [times]).map { try require("sh", "-c", $0, "sh", roll.root, user: guest).stdout }
            }
            let before = try numbers()
            try Files.write(Generated.jpeg(size: 8 << 20), to: roll.dcim + "/secret-large.jpg")
            try Posix.makeDirectory(roll.dcim + "/secret-new")
            #expect(try numbers() == before)
            if client == .denied { return }
            let answer = try bench.ask("process", "\(roll.pid)", as: Answer.self)
            #expect(answer.mount == [])
            let own = roll.dcim + "/own"
            #expect(answer.links == [roll.dcim, own, own + "/own.jpg", roll.root + "/Recently Added", own])
        }
    }

    /// Who has the bytes of something hidden learns by a copy of them nothing that was set on what is there, and may read
    /// its copy whatever the mode of that is.
    @Test(arguments: [Client.limited, .addOnly]) func theSameBytesTellNothing(_ client: Client) throws {
        try withBench(client) { bench in
            let (roll, guest) = (bench.roll, bench.guest)
            let hidden = roll.dcim + "/secret-photo.jpg"
            try Posix.rename(
                roll.root + "/Recently Added/secret-photo.jpg",
                roll.root + "/Dates/2023/2023-01/2023-01-02/secret-photo.jpg")
            try Posix.setMode(hidden, 0o640)
            expectSuccess(try run("cp", hidden, roll.place("same.jpg")))
            try Posix.setMode(roll.place("same.jpg"), 0o644)
            try Files.setTimes(hidden, to: 981_173_106_000_000_000)
            let path = roll.dcim + "/own/same.jpg"
            expectSuccess(try run("cp", roll.place("same.jpg"), path, user: guest))
            expectSuccess(try run("cmp", roll.place("same.jpg"), path, user: guest))
            let status = try require("stat", "-c", "%a %h %u %y", path, user: guest).stdout
            #expect(status.hasPrefix("644 1 \(guest.uid) "))
            #expect(!status.contains("2001-"))
            #expect(try run("getfattr", "-d", "-m", "-", path, user: guest).stdout == "")
            for (name, isShown) in [
                ("state", true), ("type", true), ("captured", false), ("location", false), ("favorite", false),
                ("hidden", false), ("id", false), ("url", false), ("edited", false), ("user.xdg.tags", false),
            ] {
                let name = name.hasPrefix("user.") ? name : "user.cameraroll." + name
                let value = try run("getfattr", "--only-values", "-n", name, path, user: guest)
                #expect((value.stdout != "") == isShown, "\(name): \(value)")
            }
        }
    }
}
