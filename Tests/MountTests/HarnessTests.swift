import Glibc
import Platform
import Support
import Testing

/// What the other tests lean on does what they think it does.
@Suite struct HarnessTests {
    @Test func outcomes() throws {
        let outcome = try run("sh", "-c", "echo out; echo err >&2; exit 7")
        #expect(outcome.status == 7)
        #expect(outcome.stdout == "out\n")
        #expect(outcome.stderr == "err\n")
        #expect(try run("sh", "-c", "kill -9 $$").status == 128 + SIGKILL)
        #expect(try run("cat", stdin: Array("text".utf8)).stdout == "text")
        #expect(try run("pwd", cwd: "/usr").stdout == "/usr\n")
        #expect(try run("sh", "-c", "echo $NAME", environment: ["NAME": "value"]).stdout == "value\n")
        #expect(try run("head", "-c", "3000000", "/dev/zero").output.count == 3_000_000)
        #expect(throws: HarnessError.self) { try run("no-such-program") }
        #expect(throws: HarnessError.self) { try require("false") }
    }

    /// A program whose time is up goes, with the children that it waits for.
    @Test func timeouts() throws {
        let start = Clock.monotonic()
        let outcome = try run("sh", "-c", "sleep 3001 & echo $!; wait", timeout: 0.3)
        #expect(outcome.timedOut)
        #expect(!outcome.succeeded)
        #expect(Clock.monotonic() - start < 60_000_000_000)
        let child = try #require(pid_t(outcome.stdout.filter(\.isNumber)))
        var tries = 0
        while kill(child, 0) == 0, tries < 200, try !Files.text("/proc/\(child)/stat").contains(") Z ") {
            Clock.sleep(10_000_000)
            tries += 1
        }
        #expect(tries < 200, "the child lives on")
    }

    @Test(.enabled(if: Machine.isRoot, "needs root"))
    func users() throws {
        let uid = try Machine.withUser("harness") { user throws in
            #expect(try run("id", "-u", user: user).stdout == "\(user.uid)\n")
            #expect(try run("id", "-G", user: user).stdout == "\(user.gid)\n")
            return user.uid
        }
        #expect(uid != 0)
        #expect(try run("id", "cameraroll-harness").status != 0)
    }

    @Test(.enabled(if: Machine.canLoopMount, "needs root and loop devices"))
    func smallFileSystems() throws {
        let path = try Machine.withSmallFileSystem(mebibytes: 16) { directory in
            #expect(MountedLibrary.isMountPoint(directory))
            let full = try run("fallocate", "-l", "20M", directory + "/file")
            #expect(full.stderr.contains("No space left"))
            return directory
        }
        #expect(!MountedLibrary.isMountPoint(path))
        #expect(!Files.exists(path))
    }

    @Test func generatedMedia() throws {
        #expect(Generated.jpeg() != Generated.jpeg())
        #expect(Generated.jpeg().starts(with: [0xFF, 0xD8, 0xFF]))
        try withTemporaryPlace { place in
            try Generated.bigMovie(at: place("big.mp4"), size: 8 << 20, seed: 1)
            #expect(try Files.existing(place("big.mp4")).size == 8 << 20)
            let seconds = try require(
                "ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", place("big.mp4"))
            #expect(seconds.stdout.hasPrefix("1.0"))
            try Generated.photo(at: place("a.jpg"), date: "2024:05:17 10:00:00", offset: "+02:00")
            let date = try require("exiftool", "-s3", "-DateTimeOriginal", "-OffsetTimeOriginal", place("a.jpg"))
            #expect(date.lines == ["2024:05:17 10:00:00", "+02:00"])
            #expect(try Generated.sha256(place("a.jpg")).count == 64)
        }
    }

    /// A model that agrees with a native file system is worth comparing a mount with.
    @Test(arguments: 0..<UInt64(20))
    func theModelAgreesWithANativeFileSystem(seed: UInt64) throws {
        try withTemporaryPlace { place in
            var random = SeededGenerator(seed: seed)
            var run = try ModelRun(directory: place("native"))
            for number in 0..<400 {
                let step = ModelOperation.random(using: &random)
                #expect(throws: Never.self, "step \(number), \(step)") { try run.take(step) }
            }
            try run.finish()
            #expect(throws: Never.self) { try run.compare("at the end") }
        }
    }
}
