import Platform
import Support
import Testing

@Suite struct ResumedCopyTests {
    /// A copy that is killed, and made once more: one asset, whole, and no leftover.
    @Test(arguments: [
        "cp --sparse=never \"$1\" \"$2\"", "rsync --inplace \"$1\" \"$2\"", "rsync -a --partial \"$1\" \"$2\"",
    ])
    func killedHalfWay(command: String) throws {
        try withMountedLibrary(limit: 240) { roll in
            let source = roll.place("big.mov")
            let copy = roll.dcim + "/big.mov"
            let size = 512 << 20
            try Generated.bigMovie(at: source, size: size, seed: 3)
            // Killed as soon as a good part of it has been written, wherever that goes.
            let running = try RunningProgram("bash", ["-c", command, "bash", source, copy])
            var tries = 0
            while tries < 2000, running.isRunning {
                let used = (try? Files.names(in: roll.dcim).map { try Files.existing("\(roll.dcim)/\($0)").size }) ?? []
                if (used.max() ?? 0) > 40 << 20 { break }
                Clock.sleep(2_000_000)
                tries += 1
            }
            #expect(running.isRunning, "the copy was over before it could be killed")
            running.kill()
            _ = running.wait()
            #expect(try roll.assets().isEmpty)

            expectSuccess(try run("bash", "-c", command, "bash", source, copy, timeout: 120))
            try expectAsset(copy, holding: source)
            // rsync without --partial cannot tidy up what it left when it was killed: that name stays, as anywhere.
            let names = try Files.names(in: roll.dcim).filter { !$0.hasPrefix(".big.mov.") }
            #expect(names == ["big.mov"])
            #expect(try roll.assets().count == 1)
            for name in try Files.names(in: roll.dcim) where name != "big.mov" {
                try Posix.unlink("\(roll.dcim)/\(name)")
            }
            #expect(try roll.pendingFiles().isEmpty)
            let used = try Files.spaceUsed(by: roll.library)
            #expect(used < Int64(size + (64 << 20)), "the library takes \(used) bytes")
        }
    }

    /// The same with the program that the words describe, as a person would.
    @Test func timeoutKillsCp() throws {
        try withMountedLibrary(limit: 240) { roll in
            let source = roll.place("big.mov")
            try Generated.bigMovie(at: source, size: 1536 << 20, seed: 4)
            let killed = try run("timeout", "-s", "KILL", "0.2", "cp", "--sparse=never", source, roll.dcim)
            #expect(killed.status != 0)
            #expect(try roll.assets().isEmpty)
            expectSuccess(try run("cp", source, roll.dcim, timeout: 120))
            try expectAsset(roll.dcim + "/big.mov", holding: source)
            try expectLibrary(roll, lists: ["big.mov"], assets: 1)
        }
    }

    @Test func emptyFileThenRenameOverIt() throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/x.jpg"
            try require("touch", path)
            #expect(try roll.assets().isEmpty)
            #expect(try Files.existing(path).size == 0)
            let source = roll.place("source.jpg")
            try WriterProgramsTests.makeSource(source)
            try require("cp", source, roll.dcim + "/x.jpg.part")
            expectSuccess(try run("mv", roll.dcim + "/x.jpg.part", path))
            try expectAsset(path, holding: source)
            try expectLibrary(roll, lists: ["x.jpg"], assets: 1)
        }
    }

    /// Names that programs give to what is not complete: pending, without an error, until the last rename.
    @Test(arguments: [
        "x.jpg.part", ".x.jpg.Ab3dEf", ".goutputstream-AB12C3", "x.tmp", "x.jpg.crdownload", "x.jpg_exiftool_tmp",
        ".syncthing.x.jpg.tmp", "x.jpg~",
    ])
    func temporaryNames(name: String) throws {
        try withMountedLibrary { roll in
            let temporary = "\(roll.dcim)/\(name)"
            let source = roll.place("source.jpg")
            try WriterProgramsTests.makeSource(source)
            let bytes = try Files.read(source)
            // Half of it, closed without a complaint; the rest; the final name.
            try Files.write(Array(bytes.prefix(900)), to: temporary)
            #expect(try roll.assets().isEmpty)
            try Files.write(Array(bytes.dropFirst(900)), to: temporary, append: true)
            #expect(try Files.attribute("user.cameraroll.state", of: temporary) == "pending")
            #expect(try roll.assets().isEmpty)
            try Posix.rename(temporary, roll.dcim + "/x.jpg")
            try expectAsset(roll.dcim + "/x.jpg", holding: source)
            try expectLibrary(roll, lists: ["x.jpg"], assets: 1)
            try roll.remount()
            try expectAsset(roll.dcim + "/x.jpg", holding: source)
        }
    }

    /// A temporary file of another run of the mount is still one.
    @Test func temporaryNameOverARemount() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            try WriterProgramsTests.makeSource(source)
            try require("cp", source, roll.dcim + "/x.jpg.part")
            try roll.remount()
            #expect(try Files.sameContents(source, roll.dcim + "/x.jpg.part"))
            try require("mv", roll.dcim + "/x.jpg.part", roll.dcim + "/x.jpg")
            try expectAsset(roll.dcim + "/x.jpg", holding: source)
            try expectLibrary(roll, lists: ["x.jpg"], assets: 1)
        }
    }

    @Test func emptyFilesStopNobody() throws {
        try withMountedLibrary { roll in
            let source = roll.place("in")
            try Files.makeDirectory(source)
            for name in ["empty.jpg", "empty.mov", "nothing"] { try Files.write([], to: "\(source)/\(name)") }
            try WriterProgramsTests.makeSource(source + "/full.jpg")
            expectSuccess(try run("rsync", "-a", source + "/", roll.dcim + "/rsync"))
            expectSuccess(try run("cp", "-r", source, roll.dcim + "/cp"))
            try require("diff", "-r", source, roll.dcim + "/rsync")
            try require("diff", "-r", source, roll.dcim + "/cp")
            #expect(try roll.assets().count == 1)
            try roll.remount()
            try require("diff", "-r", source, roll.dcim + "/cp")
        }
    }
}
