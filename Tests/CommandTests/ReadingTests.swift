import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

@testable import cameraroll

/// What the command reads that others may have written: the mount lock, logs.
@Suite struct ReadingTests {
    /// No byte sequence does harm.
    @Test func randomBytes() {
        var generator = SeededGenerator(seed: 7)
        let pieces = Array("{}\":,\\u0123456789abcdefnt\u{80}é \n".utf8)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<24, using: &generator)
            let bytes = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? 0 }
            _ = EventReader.Event(line: Array("{\"".utf8) + bytes)
            _ = MountLock.holder(in: bytes)
        }
    }

    @Test(arguments: [
        "", "garbage", "{\"pid\":0,\"mountpoint\":\"/m\"}", "{\"pid\":-5,\"mountpoint\":\"/m\"}",
        "{\"pid\":99999999999,\"mountpoint\":\"/m\"}", "{\"pid\":\"1\",\"mountpoint\":\"/m\"}", "{\"pid\":1}",
        "{\"pid\":1,\"mountpoint\":\"relative\"}", "{\"pid\":1,\"mountpoint\":7}", "{\"pid\":1,\"mountpoint\":\"\"}",
    ])
    func lockLinesThatSayNothing(text: String) { #expect(MountLock.holder(in: Array(text.utf8)) == nil) }

    @Test func lock() throws {
        try withTemporaryPlace { place in
            #expect(try MountLock.state(of: place.path) == .free(last: nil))
            do {
                let lock = try MountLock.take(of: place.path)
                #expect(try MountLock.state(of: place.path) == .held(nil))
                try lock.note(mountPoint: "/a \"b\"\n")
                let holder = MountLock.Holder(pid: getpid(), mountPoint: "/a \"b\"\n")
                #expect(try MountLock.state(of: place.path) == .held(holder))
                #expect {
                    try MountLock.take(of: place.path)
                } throws: { error in
                    (error as? CommandFailure)?.code == .busy
                        && (error as? CommandFailure)?.message.contains("\(getpid())") == true
                }
            }
            // Let go as by a process that died.
            let left = try MountLock.state(of: place.path)
            #expect(left == .free(last: MountLock.Holder(pid: getpid(), mountPoint: "/a \"b\"\n")))
            let next = try MountLock.take(of: place.path)
            next.clear()
        }
    }

    /// A link in the lock's place is not followed, a FIFO does not hang.
    @Test func lockOfAnotherKind() throws {
        try withTemporaryPlace { place in
            try Files.write([], to: place("target"))
            try Posix.symlink(place("target"), place("mount.lock"))
            #expect(throws: CommandFailure.self) { try MountLock.take(of: place.path) }
            unlink(place("mount.lock"))
            #expect(mkfifo(place("mount.lock"), 0o600) == 0)
            #expect(try MountLock.state(of: place.path) == .free(last: nil))
        }
    }

    private func withLogs(_ lines: [String: String], _ body: (String) throws -> Void) throws {
        try withTemporaryPlace { place in
            try Files.makeDirectory(place("logs"))
            for (name, text) in lines { try Files.write(Array(text.utf8), to: place("logs/\(name)")) }
            try body(place.path)
        }
    }

    private func line(_ time: Int) -> String { "{\"time\":\(time),\"operation\":\"create\",\"path\":\"p\(time)\"}\n" }

    @Test func lastEvents() throws {
        let files = ["e.1.jsonl": line(1) + line(2), "e.jsonl": line(3) + line(4) + "{\"time\":5"]
        try withLogs(files) { library in
            let names = ["e.1.jsonl", "e.jsonl"]
            let (events, broken) = try EventReader.last(3, of: names, library: library)
            #expect(events.map(\.time) == [2, 3, 4])
            #expect(broken == 1)
            #expect(try EventReader.last(100, of: names, library: library).events.count == 4)
            #expect(try EventReader.last(100, of: ["none"], library: library).events.isEmpty)
        }
    }

    @Test func manyEventsAndHugeLines() throws {
        let many = (0..<5000).map(line).joined() + String(repeating: "x", count: 200_000) + "\n" + line(5000)
        try withLogs(["e.jsonl": many]) { library in
            let (events, broken) = try EventReader.last(10, of: ["e.jsonl"], library: library)
            #expect(events.map(\.time) == Array(4991...5000))
            #expect(broken == 1)
        }
        // Of a file that is far too long, the end.
        let long = String(repeating: line(1), count: 250_000) + line(2)
        try withLogs(["e.jsonl": long]) { library in
            let (events, broken) = try EventReader.last(2, of: ["e.jsonl"], library: library)
            #expect(events.map(\.time) == [1, 2])
            #expect(broken == 0)
        }
    }

    @Test(
        arguments: [("", nil), ("0", 0), ("1000", 1000), ("root", 0), ("4294967295", nil), ("-1", nil), ("+1", nil)]
            as [(String, UInt32?)])
    func users(text: String, uid: UInt32?) { #expect(UserName.identifier(of: text) == uid) }

    @Test(arguments: [
        "", "user:", "1000", "group:1000", "program:rsync@1000", "program:/bin/sh", "program:/bin/sh@",
        "user:no-such-user-here", "program:/bin/sh@-1",
    ])
    func whatIsNoClient(text: String) { #expect(throws: CommandFailure.self) { try ClientText.client(text) } }

    @Test func clients() throws {
        #expect(try ClientText.client("user:root") == .user(0))
        let shell = try PathName.resolved("/bin/sh")
        #expect(try ClientText.client("program:/bin/sh@root") == .program(path: shell, user: 0))
        #expect(try ClientText.client("program:/no/such@x@12") == .program(path: "/no/such@x", user: 12))
    }
}
