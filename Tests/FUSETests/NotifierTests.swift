import FUSE
import Platform
import Testing

extension MountTests {
    /// What the kernel keeps, and that it is dropped on demand.
    struct NotifierTests {
        private static let second: Int64 = 1_000_000_000

        private func notifier(_ mount: Mounted) throws -> any KernelNotifier {
            #expect(eventually { mount.fileSystem.counted("start") == 1 })
            return try #require(mount.fileSystem.notifier.withLock { $0 })
        }

        private func inode(_ name: String, _ mount: Mounted) throws -> UInt64 {
            try mount.fileSystem.tree.withLock { tree throws(Errno) in try tree.child(FileName(name), of: 1) }
        }

        @Test func attributesAreDropped() throws {
            try withMount(ScratchFileSystem(timeout: 600)) { mount in
                #expect(try mount.shell("echo x > f; stat -c %a f").text == "644")
                let inode = try inode("f", mount)
                mount.fileSystem.tree.withLock { $0.nodes[inode]?.attributes.mode = 0o100600 }
                #expect(try mount.shell("stat -c %a f").text == "644")
                try notifier(mount).dropAttributes(of: inode)
                #expect(try mount.shell("stat -c %a f").text == "600")
            }
        }

        @Test func contentsAreDropped() throws {
            try withMount(ScratchFileSystem(timeout: 600, keepsCache: true)) { mount in
                #expect(try mount.shell("echo before > f; cat f").text == "before")
                let inode = try inode("f", mount)
                let data = try #require(mount.fileSystem.tree.withLock { $0.nodes[inode]?.data })
                let bytes = Array("after!\n".utf8)
                try bytes.withUnsafeBytes { try data.writeFully($0, at: 0) }
                #expect(try mount.shell("cat f").text == "before")
                try notifier(mount).dropContents(of: inode, waiting: 5 * Self.second)
                #expect(try mount.shell("cat f").text == "after!")
            }
        }

        @Test func entriesAreDropped() throws {
            try withMount(ScratchFileSystem(timeout: 600)) { mount in
                #expect(try mount.shell("echo x > f; cat f").text == "x")
                let name = try FileName("f")
                mount.fileSystem.tree.withLock { $0.remove(name, from: 1) }
                #expect(try mount.shell("test -e f && echo there").text == "there")
                try notifier(mount).dropEntry(name, in: 1, waiting: 5 * Self.second)
                #expect(try mount.shell("test -e f || echo gone").text == "gone")
            }
        }

        @Test func unknownInodesAreNoError() throws {
            try withMount { mount in
                let notifier = try notifier(mount)
                notifier.dropAttributes(of: 4711)
                notifier.dropContents(of: 4711, waiting: Self.second)
                notifier.dropEntry(try FileName("none"), in: 4711, waiting: Self.second)
                #expect(try mount.shell("echo x > f; cat f").text == "x")
            }
        }

        @Test func waitingGivesUp() throws {
            try withMount { mount in
                let notifier = try notifier(mount)
                // The client's lookup holds the directory's lock, which dropping a name in it needs.
                _ = try mount.shell("mkdir d; touch d/x")
                let directory = try inode("d", mount)
                let client = try Client("/bin/bash", ["-c", "touch d/slow"], in: mount.directory)
                #expect(eventually { mount.fileSystem.counted("slow") == 1 })
                let start = Clock.monotonic()
                notifier.dropEntry(try FileName("x"), in: directory, waiting: Self.second / 5)
                let first = Clock.monotonic() - start
                notifier.dropEntry(try FileName("x"), in: directory, waiting: 0)
                #expect(first >= Self.second / 5 && first < Self.second)
                #expect(Clock.monotonic() - start - first < Self.second / 5)
                mount.fileSystem.openGate()
                notifier.dropEntry(try FileName("x"), in: directory, waiting: 5 * Self.second)
                client.finish()
            }
        }

        @Test func stopWithANoticeOnItsWay() throws {
            try withMount { mount in
                let notifier = try notifier(mount)
                _ = try mount.shell("mkdir d; touch d/x")
                let directory = try inode("d", mount)
                let client = try Client("/bin/bash", ["-c", "touch d/slow"], in: mount.directory)
                #expect(eventually { mount.fileSystem.counted("slow") == 1 })
                for number in 0..<100 { notifier.dropEntry(try FileName("x\(number)"), in: directory, waiting: 0) }
                mount.session.stop()
                #expect(mount.waitForEnd(seconds: 0.5) == nil)
                mount.fileSystem.openGate()
                #expect(mount.waitForEnd(seconds: 20) == .stopped)
                client.finish()
            }
        }

        @Test func afterTheEndCallsDoNothing() throws {
            try withMount { mount in
                let notifier = try notifier(mount)
                mount.session.stop()
                #expect(mount.waitForEnd(seconds: 20) == .stopped)
                let start = Clock.monotonic()
                notifier.dropAttributes(of: 1)
                notifier.dropContents(of: 1, waiting: 5 * Self.second)
                notifier.dropEntry(try FileName("f"), in: 1, waiting: 5 * Self.second)
                #expect(Clock.monotonic() - start < Self.second)
            }
        }

        @Test func manyThreadsNotifyWhileClientsWork() throws {
            try withMount(ScratchFileSystem(timeout: 600, keepsCache: true)) { mount in
                let notifier = try notifier(mount)
                _ = try mount.shell("touch f{0..9}")
                let threads = try (0..<4).map { thread in
                    try Thread(name: "notify") {
                        for number in 0..<2000 {
                            notifier.dropAttributes(of: UInt64(2 + number % 10))
                            notifier.dropContents(of: UInt64(2 + number % 10), waiting: 0)
                            if let name = try? FileName("f\((number + thread) % 10)") {
                                notifier.dropEntry(name, in: 1, waiting: number % 100 == 0 ? Self.second : 0)
                            }
                        }
                    }
                }
                let output = try mount.shell(
                    "for i in {1..200}; do echo $i > f$((i % 10)); cat f$((i % 10)); done | wc -l")
                #expect(output.text == "200")
                for thread in threads { thread.join() }
            }
        }
    }
}
