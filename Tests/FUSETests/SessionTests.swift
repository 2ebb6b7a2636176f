import CFuse
import Foundation
import Platform
import Testing

@testable import FUSE

extension MountTests {
    /// The life of a mount.
    struct SessionTests {
        private func threadNames() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { task in
                try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            }.filter { $0.hasPrefix("fuse-") }
        }

        private func isMounted(_ path: String) -> Bool { (try? MountTable())?.mount(at: path) != nil }

        @Test func showsInTheMountTable() throws {
            try withMount { mount in
                let entry = try #require(try MountTable().mount(at: mount.directory))
                #expect(entry.type == "fuse.scratch")
                #expect(entry.source == "scratch,roll")
                #expect(entry.options.contains("noatime"))
                #expect(entry.options.contains("nosuid"))
                #expect(mount.session.mountPoint == mount.directory)
            }
        }

        @Test(.enabled(if: isRoot)) func theReadAheadIsRaised() throws {
            try withMount { mount in
                let entry = try #require(try MountTable().mount(at: mount.directory))
                _ = try mount.shell("ls")
                let readAhead = try String(
                    contentsOfFile: "/sys/class/bdi/\(entry.device)/read_ahead_kb", encoding: .utf8)
                #expect(readAhead == "1024\n")
            }
        }

        @Test func stopEndsAnIdleMount() throws {
            try withMount { mount in
                _ = try mount.shell("echo x > f")
                #expect(mount.fileSystem.counted("start") == 1)
                mount.session.stop()
                #expect(mount.waitForEnd(seconds: 20) == .stopped)
                #expect(!isMounted(mount.directory))
                #expect(mount.fileSystem.counted("end") == 1)
                #expect(try threadNames().isEmpty)
            }
        }

        @Test func stopBeforeTheFirstRequest() throws {
            try withMount { mount in
                mount.session.stop()
                mount.session.stop()
                #expect(mount.waitForEnd(seconds: 20) == .stopped)
                #expect(!isMounted(mount.directory))
            }
        }

        @Test func stopWhileADirectoryAndAFileAreOpen() throws {
            try withMount { mount in
                let client = try Client(
                    "/usr/bin/python3",
                    [
                        "-c",
                        """
                        import os, time
                        f = open("f", "w"); f.write("kept"); f.flush()
                        d = os.open(".", os.O_RDONLY)
                        print("ready", flush=True)
                        while True:
                            time.sleep(0.05)
                            try: os.fstat(f.fileno()); os.pwrite(f.fileno(), b"x", 0)
                            except OSError as e: print(e.errno, flush=True); break
                        """,
                    ], in: mount.directory)
                #expect(client.someOutput().hasPrefix("ready"))
                mount.session.stop()
                #expect(mount.waitForEnd(seconds: 20) == .stopped)
                #expect(!isMounted(mount.directory))
                #expect(mount.fileSystem.counted("end") == 1)
                #expect(try threadNames().isEmpty)
                // ENOTCONN, or ECONNABORTED for the request that was on its way.
                #expect(["107", "103"].contains(client.finish().text))
            }
        }

        @Test func stopWaitsForTheRequestThatIsServed() throws {
            try withMount { mount in
                let client = try Client("/bin/bash", ["-c", "stat slow"], in: mount.directory)
                #expect(eventually { mount.fileSystem.counted("slow") == 1 })
                mount.session.stop()
                #expect(mount.waitForEnd(seconds: 0.7) == nil)
                #expect(mount.fileSystem.counted("end") == 0)
                mount.fileSystem.openGate()
                #expect(mount.waitForEnd(seconds: 20) == .stopped)
                #expect(client.finish().text.contains("No such file"))
            }
        }

        @Test(arguments: ["umount .", "umount -l .", "fusermount3 -u ."]) func anotherUnmounts(command: String) throws {
            try withMount { mount in
                _ = try mount.shell("echo x > f")
                let path = mount.directory
                let output = try run(
                    "/bin/bash", ["-c", command.replacingOccurrences(of: " .", with: " '\(path)'")], in: "/")
                #expect(output.status == 0, "\(output.text)")
                #expect(mount.waitForEnd(seconds: 20) == .unmounted)
                #expect(mount.fileSystem.counted("end") == 1)
                #expect(try threadNames().isEmpty)
            }
        }

        @Test func anotherUnmountsWhileAHandlerBlocks() throws {
            try withMount { mount in
                let client = try Client("/bin/bash", ["-c", "cd /; stat '\(mount.directory)/slow'"], in: "/")
                #expect(eventually { mount.fileSystem.counted("slow") == 1 })
                try MountTable.unmount(mount.directory, lazily: true)
                #expect(mount.waitForEnd(seconds: 0.3) == nil)
                mount.fileSystem.openGate()
                #expect(mount.waitForEnd(seconds: 20) == .unmounted)
                client.finish()
            }
        }

        @Test(.enabled(if: isRoot)) func aCutConnectionLeavesNoDeadMount() throws {
            try withMount { mount in
                let entry = try #require(try MountTable().mount(at: mount.directory))
                let number = try #require(entry.device.split(separator: ":").last)
                let abort = "/sys/fs/fuse/connections/\(number)/abort"
                if FileManager.default.fileExists(atPath: abort) {
                    try "1".write(toFile: abort, atomically: false, encoding: .utf8)
                } else {
                    // MNT_FORCE cuts the connection, and is then refused for the open directory.
                    let client = try Client("/bin/sleep", ["2"], in: mount.directory)
                    _ = try run("/bin/umount", ["-f", mount.directory], in: "/")
                    client.terminate()
                    client.finish()
                }
                #expect(mount.waitForEnd(seconds: 20) == .unmounted)
                #expect(!isMounted(mount.directory))
            }
        }

        /// The kernel gives the number of a mount that is gone to the next one, which is somebody else's.
        @Test(.enabled(if: isRoot)) func theNextMountWithItsNumberIsLeftAlone() throws {
            let isReleased = Monitor(false)
            let fileSystem = ScratchFileSystem()
            fileSystem.ending.withLock {
                $0 = { _ = isReleased.wait(timeout: 30_000_000_000) { $0 ? true : nil } }
            }
            try withMount(fileSystem) { mount in
                let entry = try #require(try MountTable().mount(at: mount.directory))
                // Whoever looks at new mounts may have a file open for a moment.
                #expect(eventually { (try? run("/bin/umount", [mount.directory], in: "/").status) == 0 })
                var others: [Mounted] = []
                defer { for other in others { other.finish() } }
                var next: Mounted?
                for _ in 0..<32 where next == nil {
                    let other = try Mounted(ScratchFileSystem(), threads: 2)
                    others.append(other)
                    if try MountTable().mount(at: other.directory)?.identifier == entry.identifier { next = other }
                }
                isReleased.update { $0 = true }
                #expect(mount.waitForEnd(seconds: 20) == .unmounted)
                let other = try #require(next, "another mount took the number meanwhile")
                #expect(isMounted(other.directory))
                #expect(try other.shell("echo x > f").status == 0)
            }
        }

        @Test(.enabled(if: isRoot)) func anotherMountOnTopIsLeftAlone() throws {
            try withMount { mount in
                let made = try run("/bin/mount", ["-t", "tmpfs", "cover", mount.directory], in: "/")
                #expect(made.status == 0, "\(made.text)")
                mount.session.stop()
                #expect(mount.waitForEnd(seconds: 20) == .stopped)
                #expect(try MountTable().mount(at: mount.directory)?.type == "tmpfs")
                try MountTable.unmount(mount.directory)
                // What was below is dead, and still in the table since nobody could reach it.
                try MountTable.unmount(mount.directory, lazily: true)
                #expect(!isMounted(mount.directory))
            }
        }

        @Test func aMountWhosePathChangedIsUnmounted() throws {
            let parent = try temporaryDirectory()
            let renamed = parent + " renamed"
            defer {
                rmdir(renamed + "/mnt")
                rmdir(renamed)
            }
            mkdir(parent + "/mnt", 0o755)
            let session = try Session(
                fileSystem: ScratchFileSystem(), mountPoint: parent + "/mnt",
                options: MountOptions(source: "s", subtype: "s"))
            let thread = try Platform.Thread(name: "session") { _ = session.run() }
            #expect(rename(parent, renamed) == 0)
            #expect(try run("/bin/bash", ["-c", "echo x > f; cat f"], in: renamed + "/mnt").text == "x")
            session.stop()
            thread.join()
            #expect(!isMounted(renamed + "/mnt"))
        }

        @Test func aSessionThatNeverRanUnmounts() throws {
            let path = try temporaryDirectory()
            defer { rmdir(path) }
            do {
                let session = try Session(
                    fileSystem: ScratchFileSystem(), mountPoint: path, options: MountOptions(source: "s", subtype: "s"))
                #expect(isMounted(session.mountPoint))
            }
            #expect(!isMounted(path))
        }

        @Test(.enabled(if: isRoot)) func aDeadMountIsNamedAndCanBeTakenAway() throws {
            let path = try temporaryDirectory(named: "fuse dead")
            defer { rmdir(path) }
            let made = try run(
                "/usr/bin/python3",
                [
                    "-c",
                    """
                    import ctypes, os, sys
                    fd = os.open("/dev/fuse", os.O_RDWR)
                    options = f"fd={fd},rootmode=40000,user_id=0,group_id=0".encode()
                    sys.exit(ctypes.CDLL(None).mount(b"dead", sys.argv[1].encode(), b"fuse", 6, options))
                    """, path,
                ], in: "/")
            #expect(made.status == 0, "\(made.text)")
            let options = MountOptions(source: "s", subtype: "s")
            do throws(SessionError) {
                _ = try Session(fileSystem: ScratchFileSystem(), mountPoint: path, options: options)
                Issue.record("mounted over a dead mount")
            } catch {
                #expect(error.code == .notConnected)
                #expect(error.description.contains("fusermount3 -u"))
            }
            let resolved = try MountTable.resolve(path)
            #expect(try MountTable().mount(at: resolved)?.source == "dead")
            try MountTable.unmount(resolved)
            #expect(!isMounted(resolved))
        }

        @Test func refusalsSayWhy() throws {
            func failure(_ path: String, _ flags: [String] = []) -> SessionError? {
                var options = MountOptions(source: "s", subtype: "s")
                options.flags = flags
                do throws(SessionError) {
                    _ = try Session(fileSystem: ScratchFileSystem(), mountPoint: path, options: options)
                    return nil
                } catch { return error }
            }
            #expect(failure("/tmp/nothing here")?.code == .noEntry)
            #expect(failure("/etc/passwd")?.code == .notDirectory)
            #expect(failure("/tmp", ["nosuid,allow_other"])?.code == .invalid)
            #expect(failure("/tmp", ["nosuch"])?.description.contains("nosuch is not known") == true)
            #expect(throws: SessionError.self) { try MountTable.unmount("/tmp/nothing here") }
        }

        @Test func aDroppedRequestAnswersAnError() throws {
            let path = try temporaryDirectory()
            defer { rmdir(path) }
            var operations = fuse_lowlevel_ops.all()
            operations.lookup = { raw, _, _ in
                guard let request = Request(raw) else { return }
                _ = request.caller
            }
            let session = try Session(
                fileSystem: ScratchFileSystem(), mountPoint: path, options: MountOptions(source: "s", subtype: "s"),
                operations: operations)
            let thread = try Platform.Thread(name: "session") { _ = session.run() }
            let output = try run("/usr/bin/stat", ["\(path)/x"], in: "/")
            #expect(output.text.contains("Input/output error"))
            session.stop()
            thread.join()
        }
    }
}
