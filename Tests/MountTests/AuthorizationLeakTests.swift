import Foundation
import Platform
import Support
import Testing

/// Who sees a part of the library, or nothing, finds no trace of the rest.
///
/// Everything hidden has "secret" in its name or its value; whatever a client's programs print must not hold that word.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, to make users"))
struct AuthorizationLeakTests {
    private struct Clients {
        var limited: TestUser
        var adder: TestUser
        var denied: TestUser
        var all: [TestUser] { [limited, adder, denied] }
    }

    private static let longName = "secret" + String(repeating: "x", count: 245) + ".tmp"

    private func withClients(_ body: (MountedLibrary, Clients) throws -> Void) throws {
        try withUsers(["limited", "adder", "denied"]) { users in
            try withMountedLibrary(MountOptions(options: ["allow_other", "relaxed", "prompt_timeout=1"])) { roll in
                let clients = Clients(limited: users[0], adder: users[1], denied: users[2])
                try fill(roll)
                try roll.authorize("limit", "user:\(clients.limited.uid)", "--to", roll.dcim + "/shared/chosen.jpg")
                try roll.authorize("allow", "user:\(clients.adder.uid)", "--level", "add-only")
                try roll.authorize("deny", "user:\(clients.denied.uid)")
                // Both copy the same picture, of which neither learns that the other has it.
                try Generated.photo(at: roll.place("mine.jpg"), date: "2024:05:17 10:00:00")
                for (user, name) in [(clients.limited, "mine.jpg"), (clients.adder, "added.jpg")] {
                    expectSuccess(try run("cp", roll.place("mine.jpg"), "\(roll.dcim)/\(name)", user: user))
                }
                try body(roll, clients)
            }
        }
    }

    /// What root keeps: open to all as far as the kernel is concerned.
    private func fill(_ roll: MountedLibrary) throws {
        let dcim = roll.dcim
        for directory in ["secret-trip", "shared", "secret-empty"] {
            try Files.makeDirectory("\(dcim)/\(directory)")
            try Posix.setMode("\(dcim)/\(directory)", 0o777)
        }
        try Posix.setMode(dcim, 0o777)
        try Generated.photo(at: roll.place("old.jpg"), date: "2019:03:04 10:00:00")
        try require("cp", roll.place("old.jpg"), "\(dcim)/secret-trip/secret-one.jpg")
        for name in ["secret-top.jpg", "shared/secret-sibling.jpg", "shared/chosen.jpg", "secret-gone.jpg"] {
            try Files.write(Generated.jpeg(), to: "\(dcim)/\(name)")
        }
        try Posix.unlink("\(dcim)/secret-gone.jpg")
        try Posix.symlink("secret-target", "\(dcim)/secret-link")
        try require("mkfifo", "\(dcim)/secret-fifo")
        for name in ["secret.tmp", ".DS_Store", "secret.xmp", Self.longName] {
            try Files.write(Array("secret".utf8), to: "\(dcim)/\(name)")
        }
        for path in [dcim, "\(dcim)/shared", "\(dcim)/secret-top.jpg"] {
            try require("setfattr", "-n", "user.secret", "-v", "secret", path)
        }
        try Files.makeDirectory(roll.root + "/.Trash-0")
    }

    private static let walk = """
        cd "$1" || exit
        find . -ls
        ls -laR .
        getfattr -R -h -d -m - . 2>&1
        stat -f . DCIM Dates 'Recently Deleted'
        df -a . ; df -i . ; du -a .
        find . -type f -exec head -c 10 {} + | strings
        ls -la 'Recently Deleted' 'Recently Added'
        cat /proc/self/mountinfo | grep -v library
        ls -l /proc/"$2"/fd /proc/"$2"/cwd /proc/"$2"/task 2>/dev/null
        ls -la "$3" 2>/dev/null
        cat "$3"/catalog.sqlite "$3"/logs/* 2>/dev/null | strings
        true
        """

    private func walk(_ roll: MountedLibrary, _ user: TestUser?) throws -> Outcome {
        try run(
            "sh", "-c", Self.walk, "sh", roll.root, String(roll.pid), roll.library, user: user, timeout: 60)
    }

    private func names(_ roll: MountedLibrary, _ user: TestUser) throws -> Set<String> {
        let outcome = try run("find", roll.dcim, "-mindepth", "1", "-printf", "%P\\n", user: user)
        return Set(outcome.lines)
    }

    private func expectOwnOnly(_ roll: MountedLibrary, _ clients: Clients) throws {
        for user in clients.all {
            let outcome = try walk(roll, user)
            let leaks = outcome.lines.filter { $0.lowercased().contains("secret") || $0.contains("DS_Store") }
            #expect(leaks == [], "\(user.name)")
        }
        #expect(try names(roll, clients.limited) == ["mine.jpg", "shared", "shared/chosen.jpg"])
        #expect(try names(roll, clients.adder) == ["added.jpg"])
        #expect(try names(roll, clients.denied) == [])
    }

    @Test func walksFindOnlyTheirOwn() throws {
        try withClients { roll, clients in
            // Twice: the second time everything is in the kernel's caches.
            for _ in 0..<2 {
                let whole = try walk(roll, nil)
                #expect(whole.stdout.contains("secret-one.jpg"))
                #expect(whole.stdout.contains("user.secret"))
                try expectOwnOnly(roll, clients)
            }
            try roll.remount()
            _ = try walk(roll, nil)
            // What was added lately is forgotten with the mount: the drop box is empty.
            #expect(try names(roll, clients.adder) == [])
            #expect(try names(roll, clients.limited) == ["mine.jpg", "shared", "shared/chosen.jpg"])
        }
    }

    /// Everyone walks at once, for some seconds, while root makes and removes names.
    @Test func walksAtOnce() throws {
        try withClients { roll, clients in
            let busy = try RunningProgram(
                "sh",
                [
                    "-c",
                    """
                    cd "$1" && while :; do ls -lR . ; cp DCIM/secret-top.jpg DCIM/shared/secret-copy.tmp
                    mv DCIM/shared/secret-copy.tmp DCIM/shared/secret-moved.tmp; mkdir DCIM/secret-new
                    find . -type f -exec cat {} + ; rm -r DCIM/shared/secret-moved.tmp DCIM/secret-new; done >/dev/null 2>&1
                    """, "sh", roll.root,
                ])
            defer { busy.kill() }
            let end = Date().addingTimeInterval(5)
            var rounds = 0
            while Date() < end {
                let walkers = try clients.all.map { user in
                    try RunningProgram(
                        "sh", ["-c", Self.walk, "sh", roll.root, String(roll.pid), roll.library], user: user)
                }
                for (user, walker) in zip(clients.all, walkers) {
                    let outcome = walker.wait()
                    #expect(!outcome.stdout.contains("secret"), "\(user.name)")
                    #expect(!outcome.timedOut)
                }
                rounds += 1
            }
            #expect(rounds > 1)
            #expect(busy.isRunning)
        }
    }

    /// A name that something hidden has answers like one that nothing ever had, to every operation.
    @Test func guessedNames() throws {
        try withClients { roll, clients in
            let program = roll.place("guess.py")
            try Files.write(Array(NameGuesses.program.utf8), to: program)
            let long = "DCIM/" + String(repeating: "y", count: 251) + ".tmp"
            let pairs = [
                "DCIM/secret-top.jpg::DCIM/never.jpg", "DCIM/secret-trip::DCIM/never", "DCIM/secret-empty::DCIM/never",
                "DCIM/secret-trip/secret-one.jpg::DCIM/never/secret-one.jpg",
                "DCIM/shared/secret-sibling.jpg::DCIM/shared/never.jpg", "DCIM/secret-link::DCIM/never",
                "DCIM/secret-fifo::DCIM/never", "DCIM/secret.tmp::DCIM/never.tmp", "DCIM/.DS_Store::DCIM/Thumbs.db",
                "DCIM/secret.xmp::DCIM/never.xmp", "DCIM/\(Self.longName)::\(long)", "Dates/2019::Dates/2018",
                "Dates/2019/2019-03/2019-03-04/secret-one.jpg::Dates/2019/2019-03/2019-03-04/never.jpg",
                "Recently Added/secret-top.jpg::Recently Added/never.jpg",
                "Recently Deleted/secret-gone.jpg::Recently Deleted/never.jpg", ".Trash-0::.Trash-9",
            ]
            let before = try Files.tree(roll.dcim)
            for user in clients.all {
                for hindered in [true, false] {
                    let words = ["/usr/bin/python3", program, roll.root] + pairs
                    let outcome =
                        hindered
                        ? try run(words[0], arguments: Array(words.dropFirst()), user: user)
                        : try runUnhindered(user, words)
                    let report = try JSONDecoder().decode(NameGuesses.Report.self, from: Data(outcome.output))
                    #expect(report.differences == [], "\(user.name)")
                    #expect(report.count == pairs.count * 35, "\(report.count) for \(pairs.count) names")
                }
            }
            #expect(Set(try Files.tree(roll.dcim)) == Set(before))
            try expectOwnOnly(roll, clients)
        }
    }

    /// Numbers that count the whole stay the same, whatever others store.
    @Test func numbers() throws {
        try withClients { roll, clients in
            let script = "cd \"$1\" && stat -f . DCIM && stat -c '%n %h %s %b %Y %Z' . DCIM DCIM/* && ls -lU DCIM"
            func look(_ user: TestUser) throws -> String {
                try run("sh", "-c", script, "sh", roll.root, user: user).stdout
            }
            let before = try clients.all.map(look)
            for number in 0..<20 {
                try Files.makeDirectory("\(roll.dcim)/shared/secret-\(number)")
                try Files.write(Generated.jpeg(size: 100_000), to: "\(roll.dcim)/shared/secret-\(number)/a.jpg")
            }
            #expect(try clients.all.map(look) == before)
        }
    }

    /// The name in views is chosen among what a client sees: it does not tell whoever was second that there is a first.
    @Test func namesInViews() throws {
        try withClients { roll, clients in
            try Files.write(Generated.jpeg(), to: roll.place("b.jpg"))
            expectSuccess(try run("cp", roll.place("b.jpg"), roll.dcim + "/secret-top.jpg", user: clients.limited))
            let shown = try run("ls", roll.root + "/Recently Added", user: clients.limited).lines
            #expect(Set(shown) == ["chosen.jpg", "secret-top.jpg"])
            let path = roll.root + "/Recently Added/secret-top.jpg"
            expectSuccess(try run("cmp", path, roll.place("b.jpg"), user: clients.limited))
            // What full clients see it as is no name here.
            let full = try Files.names(in: roll.root + "/Recently Added")
            let other = try #require(full.first { $0.hasPrefix("secret-top~") })
            #expect(
                try run("cat", "\(roll.root)/Recently Added/\(other)", user: clients.limited).stderr
                    .contains("No such file"))
        }
    }

    /// inotify(7) tells what happens in a directory to everyone who may read it, and asks no file system.
    @Test func changeEvents() throws {
        try withClients { roll, clients in
            let program = """
                import ctypes, os, select, sys
                libc = ctypes.CDLL(None)
                watch = libc.inotify_init()
                libc.inotify_add_watch(watch, sys.argv[1].encode(), 0xfff)
                print("ready", flush=True)
                if select.select([watch], [], [], 3)[0]: print(os.read(watch, 65536))
                """
            let watcher = try RunningProgram("/usr/bin/python3", ["-c", program, roll.dcim], user: clients.denied)
            let end = Date().addingTimeInterval(5)
            while !watcher.outputSoFar.contains("ready"), Date() < end { usleep(10_000) }
            try Files.write([1], to: roll.dcim + "/secret-new.tmp")
            let outcome = watcher.wait()
            withKnownIssue("the kernel sends events without asking; the manual says so") {
                #expect(!outcome.stdout.contains("secret"))
            }
        }
    }
}
