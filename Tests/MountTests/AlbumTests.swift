import Platform
import Support
import Testing

@Suite struct AlbumTests {
    /// A mounted library with `DCIM/a.jpg` and the empty album `Trip`.
    private func withAlbum(_ body: (MountedLibrary, String) throws -> Void) throws {
        try withMountedLibrary { roll in
            try Files.write(Picture.jpeg(1, look: 1, date: "2024:05:17 10:00:00"), to: roll.dcim + "/a.jpg")
            let album = roll.root + "/Albums/Trip"
            try require("mkdir", album)
            try body(roll, album)
        }
    }

    private func inode(_ path: String) throws -> UInt64 { try Files.existing(path).inode }

    @Test(arguments: [
        ["cp"], ["cp", "-a"], ["cp", "--reflink=auto"], ["ln"], ["mv"], ["rsync", "-a"], ["gio", "copy"],
    ])
    func whatJoins(command: [String]) throws {
        try withAlbum { roll, album in
            let before = try inode(roll.dcim + "/a.jpg")
            let arguments = command.dropFirst() + [roll.dcim + "/a.jpg", album + "/"]
            expectSuccess(try run(command[0], arguments: Array(arguments)))
            #expect(try Files.names(in: album) == ["a.jpg"])
            #expect(
                try Files.names(in: roll.dcim) == ["a.jpg"], "it keeps its name in the camera roll, and gets no other")
            #expect(try inode(album + "/a.jpg") == before)
            #expect(try Files.existing(album + "/a.jpg").links == 1)
            #expect(try roll.assets().count == 1)
            try roll.remount()
            #expect(try Files.names(in: album) == ["a.jpg"])
        }
    }

    /// A file from outside becomes an asset, in the camera roll and in the album.
    @Test(arguments: [["cp"], ["cp", "-p"], ["rsync", "-a"], ["mv"], ["install", "-m644"], ["gio", "copy"]])
    func whatComesFromOutside(command: [String]) throws {
        try withAlbum { roll, album in
            let source = roll.place("new.jpg")
            let bytes = Picture.jpeg(2, look: 2)
            try Files.write(bytes, to: source)
            let arguments = command.dropFirst() + [source, album + "/"]
            expectSuccess(try run(command[0], arguments: Array(arguments)))
            #expect(try Files.names(in: album) == ["new.jpg"])
            #expect(try Files.read(album + "/new.jpg") == bytes)
            #expect(try Files.names(in: roll.dcim) == ["a.jpg", "new.jpg"])
            #expect(try inode(album + "/new.jpg") == inode(roll.dcim + "/new.jpg"))
            #expect(try roll.pendingFiles().isEmpty)
        }
    }

    /// A name that the camera roll has already is free in an album.
    @Test func sameNames() throws {
        try withAlbum { roll, album in
            let source = roll.place("a.jpg")
            try Files.write(Picture.jpeg(3, look: 3, date: "2020:01:01 00:00:00"), to: source)
            expectSuccess(try run("cp", source, album + "/"))
            #expect(try Files.names(in: album) == ["a.jpg"])
            #expect(try Files.names(in: roll.dcim) == ["a.jpg", "a~1.jpg"])
            #expect(try inode(album + "/a.jpg") == inode(roll.dcim + "/a~1.jpg"))
            #expect(try Files.read(roll.dcim + "/a.jpg") == Picture.jpeg(1, look: 1, date: "2024:05:17 10:00:00"))
        }
    }

    @Test func whatDamagedFilesBecome() throws {
        try withAlbum { roll, album in
            let source = roll.place("cut.jpg")
            try Files.write(Picture.cutOff(1), to: source)
            #expect(try run("cp", source, album + "/").status == 1)
            #expect(try Files.names(in: album) == [])
            #expect(try roll.pendingFiles().map(\.path) == ["DCIM/cut.jpg"])
            // Written whole at its place, it joins the album it was meant for.
            try Files.write(Picture.jpeg(9), to: source)
            expectSuccess(try run("cp", source, roll.dcim + "/cut.jpg"))
            #expect(try Files.names(in: album) == ["cut.jpg"])
            #expect(try roll.pendingFiles().isEmpty)
        }
    }

    @Test func leaving() throws {
        try withAlbum { roll, album in
            try require("cp", roll.dcim + "/a.jpg", album)
            try require("rm", album + "/a.jpg")
            #expect(try Files.names(in: album) == [] && Files.names(in: roll.dcim) == ["a.jpg"])
            #expect(try roll.trash().isEmpty)
            // Deleted, it shows in no album; restored, it is back in all.
            try require("cp", roll.dcim + "/a.jpg", album)
            #expect(try run("rmdir", album).status == 1, "it holds something")
            try require("rm", roll.dcim + "/a.jpg")
            #expect(try Files.names(in: album) == [])
            try require("mv", roll.root + "/Recently Deleted/a.jpg", roll.dcim)
            #expect(try Files.names(in: album) == ["a.jpg"])
            try require("rm", "-r", album)
            #expect(try Files.names(in: roll.root + "/Albums") == [] && Files.names(in: roll.dcim) == ["a.jpg"])
        }
    }

    @Test func nesting() throws {
        try withAlbum { roll, album in
            try require("mkdir", "-p", album + "/Day 1/Morning", roll.root + "/Albums/Other")
            try require("cp", roll.dcim + "/a.jpg", album + "/Day 1/Morning")
            #expect(failure { try Posix.rename(album, album + "/Day 1/Trip") } == .invalid)
            #expect(failure { try Posix.makeDirectory(album) } == .exists)
            try require("mv", album, roll.root + "/Albums/Other/")
            #expect(try Files.tree(roll.root + "/Albums") == ["Other/Trip/Day 1/Morning/a.jpg"])
            try require("mv", roll.root + "/Albums/Other", roll.root + "/Albums/Ünter Wegs")
            try roll.remount()
            #expect(try Files.tree(roll.root + "/Albums") == ["Ünter Wegs/Trip/Day 1/Morning/a.jpg"])
            #expect(failure { try Posix.removeDirectory(roll.root + "/Albums/Ünter Wegs") } == .notEmpty)
            // From one album to another: it leaves the first.
            try require("mkdir", roll.root + "/Albums/B")
            try require(
                "mv", roll.root + "/Albums/Ünter Wegs/Trip/Day 1/Morning/a.jpg", roll.root + "/Albums/B/renamed.jpg")
            #expect(try Files.tree(roll.root + "/Albums") == ["B/renamed.jpg"])
            #expect(try Files.names(in: roll.dcim) == ["a.jpg"], "an album's name is the album's own")
            // The top holds albums only.
            #expect(try run("cp", roll.dcim + "/a.jpg", roll.root + "/Albums/").status == 1)
            #expect(try run("mv", roll.root + "/Albums/B", roll.dcim + "/").status == 1)
        }
    }

    /// A different picture under a name of the album: it takes the name, the other steps aside, there as everywhere.
    @Test func overwritten() throws {
        try withAlbum { roll, album in
            try require("cp", roll.dcim + "/a.jpg", album)
            let source = roll.place("a.jpg")
            for number in UInt64(1)...10 {
                let date = "2020:01:0\(number % 9 + 1) 00:0\(number % 10):00"
                try Files.write(Picture.jpeg(number + 10, look: UInt8(number + 10), date: date), to: source)
                expectSuccess(try run("cp", source, album + "/a.jpg"))
                #expect(try Files.sameContents(source, album + "/a.jpg"))
                #expect(try Files.names(in: album).count == Int(number) + 1)
            }
            #expect(try roll.assets().count == 11)
            #expect(try roll.trash().isEmpty)
            // The same picture, edited: the place stays.
            let edited = Picture.jpeg(99, look: 99, date: "2020:01:02 00:00:00")
            let before = try Files.names(in: album)
            try Files.write(edited, to: source)
            expectSuccess(try run("cp", source, album + "/a.jpg"))
            #expect(try Files.names(in: album) == before)
            #expect(try Files.read(album + "/a.jpg") == edited)
            #expect(try roll.assets().count == 11)
        }
    }

    @Test func rsyncThereAndBack() throws {
        try withAlbum { roll, album in
            for number in UInt64(2)..<12 {
                try Files.write(Picture.jpeg(number), to: roll.place("\(number).jpg"))
                try require("cp", "-p", roll.place("\(number).jpg"), album)
            }
            let disk = roll.place("disk")
            expectSuccess(try run("rsync", "-a", album + "/", disk + "/"))
            for (source, target) in [(album, disk), (disk, album)] {
                let again = try run("rsync", "-a", "-i", "--omit-dir-times", source + "/", target + "/")
                expectSuccess(again)
                #expect(again.lines.filter { $0.hasPrefix(">") || $0.hasPrefix("<") } == [], "\(again)")
            }
            #expect(try Files.names(in: disk).count == 10)
        }
    }

    /// Every album lists what it holds exactly once while others come and go.
    @Test func listingsAreStable() throws {
        try withAlbum { roll, album in
            let script = """
                for i in $(seq 400); do ln "$1/a.jpg" "$2/$i.jpg"; done
                """
            expectSuccess(try run("sh", "-c", script, "sh", roll.dcim, album))
            let noise = try RunningProgram(
                "sh",
                [
                    "-c",
                    "while :; do ln $1/a.jpg $2/x.jpg; rm $2/x.jpg $2/1.jpg; ln $1/a.jpg $2/1.jpg; done", "sh",
                    roll.dcim, album,
                ])
            defer { noise.kill() }
            for _ in 0..<20 {
                let names = try Files.names(in: album).filter { $0 != "x.jpg" && $0 != "1.jpg" }
                #expect(names.count == 399 && Set(names).count == 399)
            }
        }
    }
}
