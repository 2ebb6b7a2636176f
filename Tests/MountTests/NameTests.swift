import Platform
import Support
import Testing

@Suite struct NameTests {
    /// Names that real files have; the last are one word in its composed and its decomposed form.
    static let awkward = [
        "📷🏝️ été.jpg", "line\nbreak.jpg", "-rf.jpg", "a (1).jpg", "tab\tin it.jpg", " leading and trailing .jpg",
        "quote'\"$`\\.jpg", "noextension", "upper.JPEG.jpg", "日本語の写真.jpg", ".hidden.jpg", "caf\u{E9}.jpg",
        "cafe\u{301}.jpg", String(repeating: "n", count: 251) + ".jpg", String(repeating: "é", count: 125) + "x.jpg",
    ]

    @Test func everyNameInAndOut() throws {
        try withMountedLibrary { roll in
            let source = roll.place("in")
            try Files.makeDirectory(source)
            for name in Self.awkward { try Files.write(Generated.jpeg(), to: "\(source)/\(name)") }
            let bytes = Self.awkward.map { Array($0.utf8) }
            func listed(_ path: String) throws -> Set<[UInt8]> { Set(try Files.names(in: path).map { Array($0.utf8) }) }

            try require("cp", "-r", source + "/.", roll.dcim)
            #expect(try listed(roll.dcim) == Set(bytes))
            try require("diff", "-r", source, roll.dcim)
            #expect(try roll.assets().count == Self.awkward.count)

            try roll.remount()
            #expect(try listed(roll.dcim) == Set(bytes))
            let out = roll.place("out")
            try require("cp", "-r", roll.dcim, out)
            try require("diff", "-r", source, out)
            // And away again, each name given to rm as it stands.
            try require("sh", "-c", "rm -- * .hidden.jpg", cwd: roll.dcim)
            #expect(try Files.names(in: roll.dcim).isEmpty)
        }
    }

    @Test func directoriesWithThoseNames() throws {
        try withMountedLibrary { roll in
            for name in Self.awkward { try require("mkdir", "--", "\(roll.dcim)/\(name)") }
            #expect(try Files.names(in: roll.dcim).count == Self.awkward.count)
            for name in Self.awkward { try require("rmdir", "--", "\(roll.dcim)/\(name)") }
            #expect(try Files.names(in: roll.dcim).isEmpty)
        }
    }

    @Test func namesThatAreRefused() throws {
        try withMountedLibrary { roll in
            let long = "\(roll.dcim)/" + String(repeating: "n", count: 256)
            #expect(failure { try Files.write([], to: long) } == .nameTooLong)
            #expect(failure { try Posix.makeDirectory(long) } == .nameTooLong)
            let outcome = try run("touch", long)
            #expect(outcome.stderr.contains("File name too long"))
            #expect(failure { try Files.write([], to: roll.dcim + "/bell\u{7}.jpg") } == .invalid)
            let latin = try run("bash", "-c", "touch \"$1\"/caf$'\\xe9'.jpg", "bash", roll.dcim)
            #expect(latin.status == 1)
            #expect(latin.stderr.contains("Invalid or incomplete multibyte"), "\(latin.stderr)")
            #expect(try Files.names(in: roll.dcim).isEmpty)
        }
    }

    /// Two cameras count from 1 alike: both pictures stay.
    @Test func sameNameFromTwoCameras() throws {
        try withMountedLibrary { roll in
            for camera in ["one", "two"] { try Files.makeDirectory(roll.place(camera)) }
            let first = try Generated.photo(
                at: roll.place("one/IMG_0001.JPG"), date: "2023:01:02 03:04:05", model: "One")
            let second = try Generated.photo(
                at: roll.place("two/IMG_0001.JPG"), date: "2024:05:17 10:00:00", model: "Two", scene: 1)
            try require("cp", roll.place("one/IMG_0001.JPG"), roll.dcim)
            try require("cp", roll.place("two/IMG_0001.JPG"), roll.dcim)
            #expect(try Files.names(in: roll.dcim) == ["IMG_0001.JPG", "IMG_0001~1.JPG"])
            #expect(try Files.read(roll.dcim + "/IMG_0001.JPG") == second)
            #expect(try Files.read(roll.dcim + "/IMG_0001~1.JPG") == first)
            #expect(try roll.assets().count == 2)
            #expect(try roll.trash().isEmpty)
            try roll.remount()
            #expect(try Files.read(roll.dcim + "/IMG_0001.JPG") == second)
            #expect(try Files.read(roll.dcim + "/IMG_0001~1.JPG") == first)
        }
    }

    /// The same by a rename, as programs that save safely do it.
    @Test func renameOverAnotherPicture() throws {
        try withMountedLibrary { roll in
            let first = try Generated.photo(at: roll.place("1.jpg"), date: "2023:01:02 03:04:05", model: "One")
            let second = try Generated.photo(
                at: roll.place("2.jpg"), date: "2024:05:17 10:00:00", model: "Two", scene: 1)
            try require("cp", roll.place("1.jpg"), roll.dcim + "/IMG_0001.JPG")
            try require("cp", roll.place("2.jpg"), roll.dcim + "/other.jpg")
            try require("mv", roll.dcim + "/other.jpg", roll.dcim + "/IMG_0001.JPG")
            #expect(try Files.read(roll.dcim + "/IMG_0001.JPG") == second)
            #expect(try Files.read(roll.dcim + "/IMG_0001~1.JPG") == first)
        }
    }

    @Test func letterCaseCounts() throws {
        try withMountedLibrary { roll in
            try Files.write(Generated.jpeg(), to: roll.dcim + "/IMG.JPG")
            try Files.write(Generated.jpeg(), to: roll.dcim + "/img.jpg")
            #expect(try Files.names(in: roll.dcim) == ["IMG.JPG", "img.jpg"])
            try Files.makeDirectory(roll.dcim + "/b")
            let bytes = Generated.jpeg()
            try Files.write(bytes, to: roll.dcim + "/b/a.JPG")
            try require("mv", roll.dcim + "/b/a.JPG", roll.dcim + "/b/a.jpg")
            #expect(try Files.names(in: roll.dcim + "/b") == ["a.jpg"])
            #expect(try Files.read(roll.dcim + "/b/a.jpg") == bytes)
            try roll.remount()
            #expect(try Files.names(in: roll.dcim + "/b") == ["a.jpg"])
        }
    }
}
