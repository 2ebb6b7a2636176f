import Platform
import Support
import Testing

@Suite struct DuplicateTests {
    @Test(arguments: ["IMG_0002.JPG", "other/IMG_0001.JPG"])
    func sameBytesUnderTwoNames(second: String) throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.mp4")
            try Generated.bigMovie(at: source, size: 24 << 20, seed: 7)
            try Files.makeDirectory(roll.dcim + "/other")
            let names = [roll.dcim + "/IMG_0001.JPG", "\(roll.dcim)/\(second)"]
            try require("cp", "--sparse=never", source, names[0])
            let before = try Files.spaceUsed(by: roll.library)
            try require("cp", "--sparse=never", source, names[1])

            #expect(try roll.assets().count == 1)
            #expect(try roll.assets().first?.paths.count == 2)
            let fields = try names.map { try require("stat", "-c", "%i %h", $0).stdout }
            #expect(fields[0] == fields[1], "one inode")
            #expect(fields[0].hasSuffix(" 2\n"), "two links: \(fields[0])")
            let after = try Files.spaceUsed(by: roll.library)
            #expect(after - before < 4 << 20, "the second copy took \(after - before) bytes")

            try require("rm", names[0])
            #expect(try Files.sameContents(source, names[1]))
            #expect(try Files.existing(names[1]).links == 1)
            #expect(try roll.trash().isEmpty, "an asset with a name left is not deleted")
        }
    }

    /// What a hard link of `ln` makes is the same: two names of one asset.
    @Test func linkByLn() throws {
        try withMountedLibrary { roll in
            let bytes = Generated.jpeg()
            try Files.write(bytes, to: roll.dcim + "/a.jpg")
            try require("ln", roll.dcim + "/a.jpg", roll.dcim + "/b.jpg")
            #expect(try Files.existing(roll.dcim + "/a.jpg").links == 2)
            #expect(try Files.existing(roll.dcim + "/a.jpg").inode == Files.existing(roll.dcim + "/b.jpg").inode)
            #expect(try roll.assets().count == 1)
            try require("rm", roll.dcim + "/a.jpg")
            #expect(try Files.read(roll.dcim + "/b.jpg") == bytes)
            try roll.remount()
            #expect(try Files.names(in: roll.dcim) == ["b.jpg"])
        }
    }
}
