import Platform
import Support
import Testing

@Suite struct OriginalsTests {
    private static let original = Picture.jpeg(1, look: 1, date: "2024:05:17 10:00:00")
    private static let edited = Picture.jpeg(2, look: 2, date: "2024:05:17 10:00:00")

    @Test func whatTheyShow() throws {
        try withMountedLibrary { roll in
            let originals = roll.root + "/Originals"
            try require("mkdir", "-p", roll.dcim + "/one/two", roll.dcim + "/three")
            try Files.write(Self.original, to: roll.dcim + "/one/two/a.jpg")
            try Files.write(Picture.jpeg(9), to: roll.dcim + "/three/b.jpg")
            #expect(try Files.names(in: originals) == [], "nothing is edited")
            try Files.write(Self.edited, to: roll.dcim + "/one/two/a.jpg")
            #expect(try Files.tree(originals) == ["one/two/a.jpg"])
            #expect(try Files.read(originals + "/one/two/a.jpg") == Self.original)
            #expect(try Files.read(roll.dcim + "/one/two/a.jpg") == Self.edited)
            #expect(try Files.existing(originals + "/one/two/a.jpg").size == Int64(Self.original.count))
            #expect(
                try Files.existing(originals + "/one/two/a.jpg").inode
                    != Files.existing(roll.dcim + "/one/two/a.jpg").inode)
            for change in [
                { try Files.write([1], to: originals + "/one/two/a.jpg") },
                { try Files.write([1], to: originals + "/new.jpg") },
                { try Posix.unlink(originals + "/one/two/a.jpg") }, { try Posix.makeDirectory(originals + "/d") },
                { try Posix.rename(roll.dcim + "/three/b.jpg", originals + "/b.jpg") },
                { try Posix.rename(originals + "/one/two/a.jpg", roll.dcim + "/c.jpg") },
                { try Posix.removeDirectory(originals + "/one") },
            ] { #expect(failure(of: change) == .notPermitted) }
            try roll.remount()
            #expect(try Files.read(originals + "/one/two/a.jpg") == Self.original)
            // The original's bytes copied back: the edit is gone.
            expectSuccess(try run("cp", originals + "/one/two/a.jpg", roll.dcim + "/one/two/a.jpg"))
            #expect(try Files.names(in: originals) == [])
            #expect(try Files.read(roll.dcim + "/one/two/a.jpg") == Self.original)
            #expect(try Files.attribute("user.cameraroll.edited", of: roll.dcim + "/one/two/a.jpg") == "0")
        }
    }

    /// A descriptor that is open reads the original on, whatever becomes of the edit.
    @Test func anOpenOriginal() throws {
        try withMountedLibrary { roll in
            try Files.write(Self.original, to: roll.dcim + "/a.jpg")
            try Files.write(Self.edited, to: roll.dcim + "/a.jpg")
            let file = try Posix.open(roll.root + "/Originals/a.jpg", 0)
            try Files.write(Picture.jpeg(3, look: 3, date: "2024:05:17 10:00:00"), to: roll.dcim + "/a.jpg")
            #expect(try Posix.pread(file, count: 100_000, at: 0) == Self.original)
            try Posix.close(file)
        }
    }
}
