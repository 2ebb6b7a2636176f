import Glibc
import Platform
import Support
import Testing

/// The mount process is killed with -9 in the middle of copies.
@Suite(.serialized) struct CrashTests {
    /// Every file whose `cp` had returned is there, whole; nothing is broken; the dead mount point is cleared.
    @Test(arguments: [120, 350, 700, 1500])
    func killedAmongCopies(milliseconds: Int64) throws {
        let script = """
            for file in "$1"/"$3"*; do cp "$file" "$2/" && echo "${file##*/}" || break; done
            """
        try withMountedLibrary { roll in
            let source = roll.place("in")
            try Files.makeDirectory(source)
            for writer in ["a", "b"] {
                for number in 0..<120 {
                    let size = number % 7 == 0 ? 2_000_000 : 20_000
                    try Files.write(Generated.jpeg(size: size), to: "\(source)/\(writer)\(number).jpg")
                }
            }
            let writers = try ["a", "b"].map {
                try RunningProgram("bash", ["-c", script, "bash", source, roll.dcim, $0])
            }
            Clock.sleep(milliseconds * 1_000_000)
            roll.kill9()
            let done = writers.flatMap { $0.wait(timeout: 30).lines }
            #expect(MountedLibrary.isMountPoint(roll.root), "a killed mount leaves its mount point behind")

            try roll.mount()
            for name in done { try expectAsset("\(roll.dcim)/\(name)", holding: "\(source)/\(name)") }
            // Whatever else is there is whole, or pending and readable.
            for name in try Files.names(in: roll.dcim) where !done.contains(name) {
                let bytes = try Files.read("\(roll.dcim)/\(name)")
                let whole = try Files.read("\(source)/\(name)")
                let isBeginning = whole.starts(with: bytes)
                #expect(isBeginning, "\(name) holds bytes that nobody wrote")
                if try Files.attribute("user.cameraroll.state", of: "\(roll.dcim)/\(name)") == "asset" {
                    #expect(bytes.count == whole.count, "\(name) is an asset of \(bytes.count) bytes")
                }
            }
            try roll.requireWhole()
            for asset in try roll.assets() {
                #expect(try Generated.sha256("\(roll.root)/\(asset.path)") == asset.sha256, "\(asset.path)")
            }
            // The copy made again completes what was cut.
            expectSuccess(try run("cp", "-r", source + "/.", roll.dcim))
            try require("diff", "-r", source, roll.dcim)
            #expect(try roll.pendingFiles().isEmpty)
            #expect(try roll.assets().count == 240)
        }
    }

    /// What stood there before the crash is as it was, names, times and deletions included.
    @Test func whatWasThereStays() throws {
        try withMountedLibrary { roll in
            let kept = Generated.jpeg()
            try Files.write(kept, to: roll.dcim + "/kept.jpg")
            try Files.write(Generated.jpeg(), to: roll.dcim + "/removed.jpg")
            try Files.write(Generated.jpeg(), to: roll.dcim + "/renamed.jpg")
            try require("rm", roll.dcim + "/removed.jpg")
            try require("mkdir", roll.dcim + "/trip")
            try require("mv", roll.dcim + "/renamed.jpg", roll.dcim + "/trip/new.jpg")
            try require("touch", "-d", "2001-02-03T04:05:06.789Z", roll.dcim + "/kept.jpg")
            try Files.write(Array("half".utf8), to: roll.dcim + "/half.jpg.part")
            try Files.write(Array("plain".utf8), to: roll.dcim + "/.DS_Store")
            // A file still open, its bytes written and synced.
            let file = try Posix.open(roll.dcim + "/open.jpg.part", O_CREAT | O_RDWR)
            _ = try Posix.pwrite(file, Array("synced".utf8), at: 0)
            try Posix.sync(file)
            roll.kill9()
            try? Posix.close(file)
            try roll.mount()
            let expected = [".DS_Store", "half.jpg.part", "kept.jpg", "open.jpg.part", "trip/new.jpg"]
            #expect(try Files.tree(roll.dcim) == expected)
            #expect(try Files.read(roll.dcim + "/kept.jpg") == kept)
            #expect(try Files.existing(roll.dcim + "/kept.jpg").modificationTime == TimeTests.old)
            #expect(try Files.text(roll.dcim + "/half.jpg.part") == "half")
            #expect(try Files.text(roll.dcim + "/.DS_Store") == "plain")
            #expect(try Files.text(roll.dcim + "/open.jpg.part") == "synced")
            #expect(try Files.names(in: roll.root + "/Recently Deleted") == ["removed.jpg"])
        }
    }

    /// A picture whose last bytes were still to come holds a whole picture, and is a cut copy all the same: a motion
    /// photo has its movie there. It stays pending until somebody writes the rest.
    @Test func cutBehindTheEndOfThePicture() throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/motion.jpg"
            let bytes = Generated.jpeg() + [UInt8](repeating: 7, count: 200_000)
            try Files.write(bytes, to: roll.place("whole.jpg"))
            // A process of its own: every program that this one starts closes what it inherits, which is a close.
            let script = """
                import os, sys, time
                bytes = open(sys.argv[1], "rb").read()
                file = os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY)
                os.write(file, bytes[:len(bytes) // 2])
                os.fsync(file)
                print("written", flush=True)
                time.sleep(60)
                """
            let writer = try RunningProgram("python3", ["-c", script, roll.place("whole.jpg"), path])
            while writer.isRunning, !writer.outputSoFar.contains("written") { usleep(10_000) }
            #expect(writer.isRunning)
            roll.kill9()
            writer.kill()
            _ = writer.wait()
            try roll.mount()
            #expect(try roll.assets().isEmpty)
            #expect(try Files.existing(path).size == Int64(bytes.count / 2))
            try Files.write(bytes, to: path)
            let asset = try #require(try roll.assets().first)
            #expect(asset.size == Int64(bytes.count))
            #expect(asset.edited == false)
        }
    }

    /// Programs that wait for a process that dies get an error, not a hang.
    @Test func waitingProgramsAreReleased() throws {
        try withMountedLibrary { roll in
            try Files.write(Generated.jpeg(), to: roll.dcim + "/a.jpg")
            roll.kill9()
            let outcome = try run("cat", roll.dcim + "/a.jpg", timeout: 20)
            #expect(!outcome.timedOut)
            // The first where the connection is closed already, the second where it is just being closed.
            let errors = ["Transport endpoint is not connected", "Software caused connection abort"]
            #expect(errors.contains { outcome.stderr.contains($0) }, "\(outcome)")
            expectSuccess(try Product.run("unmount", roll.root))
            #expect(!MountedLibrary.isMountPoint(roll.root))
            try roll.mount()
        }
    }
}
