import Foundation
import Platform
import Support
import Testing

/// Live Photos: a still and a movie that are one asset.
@Suite struct LivePhotoTests {
    private static let identifier = "AE5B2C1D-1234-4E5F-8A9B-0C1D2E3F4A5B"
    private static let date = "2024:05:17 10:11:12"
    private static let movieDate = "2024-05-17T10:11:12+0000"

    private func still(_ number: UInt64 = 1, identifier: String? = Self.identifier, look: UInt8 = 1) -> [UInt8] {
        Picture.jpeg(number, look: look, date: Self.date, identifier: identifier)
    }

    private func movie(_ number: UInt64 = 1, identifier: String? = Self.identifier) throws -> [UInt8] {
        try Picture.movie(number, date: Self.movieDate, identifier: identifier)
    }

    /// What two files are to each other: one asset's number, or two.
    private func identifier(_ path: String) throws -> String? {
        try Files.attribute("user.cameraroll.id", of: path)
    }

    private func expectPair(
        _ roll: MountedLibrary, _ still: String, _ movie: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(
            try identifier("\(roll.dcim)/\(still)") == identifier("\(roll.dcim)/\(movie)"), sourceLocation: location)
        let names = Set([still, movie].map { ($0 as NSString).lastPathComponent })
        let shown = Set(try Files.names(in: roll.root + "/Media Types/Live Photos"))
        #expect(shown.isSuperset(of: names), "\(shown)", sourceLocation: location)
        #expect(
            try !Files.names(in: roll.root + "/Media Types/Videos").contains { names.contains($0) },
            sourceLocation: location)
    }

    private func expectNoPair(
        _ roll: MountedLibrary, _ still: String, _ movie: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(
            try identifier("\(roll.dcim)/\(still)") != identifier("\(roll.dcim)/\(movie)"), sourceLocation: location)
    }

    /// What the two halves are is what exiftool says they are.
    @Test func halvesAreReal() throws {
        try withTemporaryPlace { place in
            try Files.write(still(), to: place("a.jpg"))
            try Files.write(try movie(), to: place("a.mov"))
            for name in ["a.jpg", "a.mov"] {
                let said = try require("exiftool", "-s3", "-ContentIdentifier", "-MediaGroupUUID", place(name)).lines
                #expect(said == [Self.identifier], "\(name)")
            }
        }
    }

    @Test(arguments: [["a.jpg", "a.mov"], ["a.mov", "a.jpg"], ["a.jpg", "b.mov"], ["b.mov", "a.jpg"]])
    func whicheverComesFirst(_ names: [String]) throws {
        try withMountedLibrary { roll in
            for name in names {
                try Files.write(name.hasSuffix("jpg") ? still() : try movie(), to: roll.place(name))
                try require("cp", roll.place(name), roll.dcim)
            }
            try expectPair(roll, names[0], names[1])
            #expect(try roll.status().photos == 1)
            #expect(try roll.status().videos == 0)
            #expect(try Files.names(in: roll.dcim) == names.sorted())
            for view in ["Recently Added", "Dates/2024/2024-05/2024-05-17", "Search/is:live", "Search/type:photo"] {
                #expect(try Files.names(in: "\(roll.root)/\(view)") == names.sorted(), "\(view)")
            }
            #expect(try Files.names(in: roll.root + "/Search/type:video") == [])
            for name in names { #expect(try Files.sameContents(roll.place(name), "\(roll.dcim)/\(name)")) }
            try roll.remount()
            try expectPair(roll, names[0], names[1])
            try roll.requireWhole()
        }
    }

    /// Both at once, from two processes that write in small pieces.
    @Test func bothAtOnce() throws {
        try withMountedLibrary { roll in
            try Files.write(still(), to: roll.place("a.jpg"))
            try Files.write(try movie(), to: roll.place("a.mov"))
            for round in 0..<5 {
                let directory = "\(roll.dcim)/\(round)"
                try Files.makeDirectory(directory)
                let writers = try ["a.jpg", "a.mov"].map { name in
                    try RunningProgram(
                        "dd", ["bs=100", "status=none", "if=\(roll.place(name))", "of=\(directory)/\(name)"])
                }
                for writer in writers { #expect(writer.wait().succeeded) }
                try expectPair(roll, "\(round)/a.jpg", "\(round)/a.mov")
                try require("rm", "-r", directory)
                for name in try Files.names(in: roll.root + "/Recently Deleted") {
                    try require("rm", "\(roll.root)/Recently Deleted/\(name)")
                }
            }
        }
    }

    /// The same pair twice is stored once; two pairs of one name in two directories stay apart.
    @Test func sameNames() throws {
        try withMountedLibrary { roll in
            let other = "00000000-1234-4E5F-8A9B-0C1D2E3F4A5B"
            for (directory, number, identifier) in [
                ("one", 1, Self.identifier), ("two", 2, other), ("three", 1, Self.identifier),
            ] {
                let source = roll.place(directory)
                try Files.makeDirectory(source)
                try Files.write(still(UInt64(number), identifier: identifier), to: source + "/IMG_1.JPG")
                try Files.write(try movie(UInt64(number), identifier: identifier), to: source + "/IMG_1.MOV")
                try require("cp", "-r", source, roll.dcim)
            }
            try expectPair(roll, "one/IMG_1.JPG", "one/IMG_1.MOV")
            try expectPair(roll, "two/IMG_1.JPG", "two/IMG_1.MOV")
            try expectNoPair(roll, "one/IMG_1.JPG", "two/IMG_1.MOV")
            #expect(
                try Files.existing(roll.dcim + "/three/IMG_1.JPG").inode
                    == Files.existing(roll.dcim + "/one/IMG_1.JPG").inode)
            #expect(try roll.status().photos == 2)
            #expect(
                Set(try Files.names(in: roll.root + "/Recently Added")) == [
                    "IMG_1.JPG", "IMG_1.MOV", "IMG_1~2.JPG", "IMG_1~2.MOV",
                ])
        }
    }

    /// A movie encoded anew that carries the identifier too, beside the real one, whichever comes first.
    @Test(arguments: [["IMG_1.MOV", "IMG_1 small.MOV"], ["IMG_1 small.MOV", "IMG_1.MOV"]], [true, false])
    func encodedAnew(_ movies: [String], stillIsFirst: Bool) throws {
        try withMountedLibrary { roll in
            let names = stillIsFirst ? ["IMG_1.JPG"] + movies : movies + ["IMG_1.JPG"]
            for name in names {
                let bytes = name.hasSuffix("JPG") ? still() : try movie(name.contains("small") ? 2 : 1)
                try Files.write(bytes, to: "\(roll.dcim)/\(name)")
            }
            try expectPair(roll, "IMG_1.JPG", "IMG_1.MOV")
            try expectNoPair(roll, "IMG_1.JPG", "IMG_1 small.MOV")
            #expect(try Files.names(in: roll.root + "/Media Types/Videos") == ["IMG_1 small.MOV"])
            // Without the real one the copy is the nearest.
            try require("rm", roll.dcim + "/IMG_1.MOV")
            try expectPair(roll, "IMG_1.JPG", "IMG_1 small.MOV")
        }
    }

    /// Without identifiers: one directory, one name, short, and taken at one moment.
    @Test func identifiersThatWereLost() throws {
        try withMountedLibrary { roll in
            func put(_ name: String, _ bytes: [UInt8]) throws { try Files.write(bytes, to: "\(roll.dcim)/\(name)") }
            try put("a.jpg", still(1, identifier: nil))
            try put("a.mov", try movie(1, identifier: nil))
            try expectPair(roll, "a.jpg", "a.mov")
            // Years apart.
            try put("b.mov", try movie(2, identifier: nil))
            try require(
                "exiftool", "-q", "-o", roll.place("b.png"), "-DateTimeOriginal=2019:01:01 10:00:00", pngPath(roll))
            try require("cp", roll.place("b.png"), roll.dcim)
            try expectNoPair(roll, "b.png", "b.mov")
            // Too long; another name; another directory; neither says when.
            try put("c.jpg", still(3, identifier: nil))
            try put("c.mov", try Picture.movie(3, date: Self.movieDate, seconds: 6))
            try expectNoPair(roll, "c.jpg", "c.mov")
            try put("d.jpg", still(4, identifier: nil))
            try put("e.mov", try movie(4, identifier: nil))
            try expectNoPair(roll, "d.jpg", "e.mov")
            try Files.makeDirectory(roll.dcim + "/f")
            try put("f/d.mov", try movie(5, identifier: nil))
            try expectNoPair(roll, "d.jpg", "f/d.mov")
            try put("g.jpg", Picture.jpeg(6))
            try put("g.mov", try Picture.movie(6))
            try expectNoPair(roll, "g.jpg", "g.mov")
            // Coming together, and going apart.
            try require("mv", roll.dcim + "/f/d.mov", roll.dcim)
            try expectPair(roll, "d.jpg", "d.mov")
            try require("mv", roll.dcim + "/d.mov", roll.dcim + "/f/")
            try expectNoPair(roll, "d.jpg", "f/d.mov")
            try require("mv", roll.dcim + "/d.jpg", roll.dcim + "/f/")
            try expectPair(roll, "f/d.jpg", "f/d.mov")
            // An edit that corrects the date of one half parts nothing.
            try require(
                "exiftool", "-q", "-overwrite_original", "-DateTimeOriginal=2023:01:01 01:01:01", roll.dcim + "/a.jpg")
            try expectPair(roll, "a.jpg", "a.mov")
            try roll.requireWhole()
        }
    }

    private func pngPath(_ roll: MountedLibrary) throws -> String {
        let path = roll.place("plain.png")
        try GeneratedPictures.png(path, 8, 8, color: 2)
        return path
    }

    /// What is said of one half is said of both, before and after they came together.
    @Test(arguments: [true, false]) func oneAsset(isPairedFirst: Bool) throws {
        try withMountedLibrary { roll in
            let (photo, film) = (roll.dcim + "/a.jpg", roll.dcim + "/a.mov")
            let albums = roll.root + "/Albums"
            try require("mkdir", albums + "/Trip", roll.root + "/Keywords/sea")
            try Files.write(still(), to: photo)
            if isPairedFirst { try Files.write(try movie(), to: film) }
            try require("mv", photo, albums + "/Trip/")
            try require("mv", photo, roll.root + "/Keywords/sea/")
            try require("mv", photo, roll.root + "/Favorites/")
            try require("setfattr", "-n", "user.xdg.comment", "-v", "Waves", photo)
            try require("setfattr", "-n", "user.cameraroll.captured", "-v", "2020-02-03T04:05:06+01:00", photo)
            if !isPairedFirst { try Files.write(try movie(), to: film) }
            for place in ["Albums/Trip", "Keywords/sea", "Favorites", "Search/waves", "Search/keyword:sea album:trip"] {
                #expect(try Files.names(in: "\(roll.root)/\(place)") == ["a.jpg", "a.mov"], "\(place)")
            }
            #expect(try Files.names(in: roll.root + "/Dates/2020/2020-02/2020-02-03") == ["a.jpg", "a.mov"])
            #expect(try Files.attribute("user.xdg.comment", of: film) == "Waves")
            #expect(try Files.attribute("user.xdg.tags", of: film) == "sea")
            // Both move as one from place to place; a name that is removed is one file's.
            try require("mkdir", albums + "/Other")
            try require("mv", albums + "/Trip/a.jpg", albums + "/Other/")
            #expect(try Files.names(in: albums + "/Trip") == [])
            #expect(try Files.names(in: albums + "/Other") == ["a.jpg", "a.mov"])
            try require("mv", roll.root + "/Favorites/a.jpg", roll.root + "/Hidden/")
            #expect(try Files.names(in: roll.root + "/Favorites") == [])
            #expect(try Files.names(in: roll.root + "/Hidden") == ["a.jpg", "a.mov"])
            try require("rm", roll.root + "/Hidden/a.jpg", roll.root + "/Hidden/a.mov")
            try require("rm", "-r", albums + "/Other")
            #expect(try Files.names(in: roll.root + "/Recently Added") == ["a.jpg", "a.mov"])
            #expect(try Files.names(in: roll.dcim) == ["a.jpg", "a.mov"])
            // Who copies or moves both himself finds none in the way; where it is one, the other is there for all who look.
            for command in ["cp", "mv"] {
                try require(command, photo, film, albums + "/Trip/")
                try require(command, photo, film, roll.root + "/Favorites/")
                #expect(try Files.names(in: albums + "/Trip") == ["a.jpg", "a.mov"])
                try require(
                    "rm", "-r", albums + "/Trip", roll.root + "/Favorites/a.jpg", roll.root + "/Favorites/a.mov")
                try require("mkdir", albums + "/Trip")
                try require(command, photo, albums + "/Trip/")
                try require("test", "-e", albums + "/Trip/a.mov")
                try require("rm", albums + "/Trip/a.jpg", albums + "/Trip/a.mov")
            }
            try roll.unmount()
            try roll.requireWhole()
        }
    }

    /// Removing one file leaves the other as what it is alone; restoring pairs them again.
    @Test(arguments: ["a.jpg", "a.mov"]) func oneHalfRemoved(_ name: String) throws {
        try withMountedLibrary { roll in
            try Files.write(still(), to: roll.dcim + "/a.jpg")
            try Files.write(try movie(), to: roll.dcim + "/a.mov")
            try require("mv", roll.dcim + "/a.jpg", roll.root + "/Favorites/")
            let other = name == "a.jpg" ? "a.mov" : "a.jpg"
            let paired = try identifier(roll.dcim + "/a.jpg")
            try require("rm", "\(roll.dcim)/\(name)")
            #expect(try Files.names(in: roll.root + "/Media Types/Live Photos") == [])
            #expect(try Files.names(in: roll.root + "/Media Types/Videos") == (other == "a.mov" ? ["a.mov"] : []))
            #expect(try Files.names(in: roll.root + "/Favorites") == [other])
            #expect(try Files.names(in: roll.root + "/Recently Deleted") == [name])
            #expect(try roll.assets("is:live").isEmpty)
            try roll.remount()
            try require("mv", "\(roll.root)/Recently Deleted/\(name)", roll.dcim)
            try expectPair(roll, "a.jpg", "a.mov")
            #expect(try identifier(roll.dcim + "/a.mov") == paired)
            #expect(try Files.names(in: roll.root + "/Favorites") == ["a.jpg", "a.mov"])
            // For good.
            try require("rm", "\(roll.dcim)/\(name)")
            try require("rm", "\(roll.root)/Recently Deleted/\(name)")
            #expect(try Files.names(in: roll.dcim) == [other])
            #expect(try Files.names(in: roll.root + "/Favorites") == [other])
            try roll.requireWhole()
        }
    }

    /// An edit of a half keeps the pair; the original is kept, and comes back.
    @Test func halvesThatAreEdited() throws {
        try withMountedLibrary { roll in
            try Files.write(still(), to: roll.dcim + "/a.jpg")
            try Files.write(try movie(), to: roll.dcim + "/a.mov")
            try require("exiftool", "-q", "-overwrite_original", "-all=", roll.dcim + "/a.jpg")
            try require("exiftool", "-q", "-overwrite_original", "-Title=x", roll.dcim + "/a.mov")
            try expectPair(roll, "a.jpg", "a.mov")
            #expect(try Files.names(in: roll.root + "/Originals") == ["a.jpg", "a.mov"])
            #expect(try Files.read(roll.root + "/Originals/a.jpg") == still())
            try require("cp", roll.root + "/Originals/a.jpg", roll.root + "/Originals/a.mov", roll.dcim)
            #expect(try Files.read(roll.dcim + "/a.mov") == movie())
            try expectPair(roll, "a.jpg", "a.mov")
            try roll.requireWhole()
        }
    }

    /// Whoever makes a file with somebody else's identifier gets no hold of that asset.
    @Test(.enabled(if: Machine.isRoot, "needs root, to make users"))
    func somebodyElsesIdentifier() throws {
        try Machine.withUser("guest") { guest in
            try withMountedLibrary(MountOptions(options: ["allow_other"])) { roll in
                try Posix.setMode(roll.dcim, 0o777)
                try Files.write(try movie(), to: roll.dcim + "/a.mov")
                let allowed = try Product.run("authorization", roll.library, "allow", "user:\(guest.uid)")
                #expect(allowed.succeeded, "\(allowed)")
                try Files.write(still(), to: roll.place("b.jpg"))
                expectSuccess(try run("cp", roll.place("b.jpg"), roll.dcim + "/a.jpg", user: guest))
                try expectNoPair(roll, "a.jpg", "a.mov")
            }
        }
    }

    /// A RAW and its JPEG are one asset, by name and moment.
    @Test func rawAndJPEG() throws {
        try withMountedLibrary { roll in
            let raw = roll.place("a.dng")
            try require(
                "exiftool", "-q", "-o", raw, "-Make=Example", "-Model=One", "-DateTimeOriginal=\(Self.date)",
                try dngPath(roll))
            try Files.write(Picture.jpeg(1, look: 1, date: Self.date), to: roll.dcim + "/a.jpg")
            try require("cp", raw, roll.dcim)
            #expect(try identifier(roll.dcim + "/a.jpg") == identifier(roll.dcim + "/a.dng"))
            #expect(try roll.status().photos == 1)
            for view in ["Media Types/RAW", "Search/is:raw"] {
                #expect(try Files.names(in: "\(roll.root)/\(view)") == ["a.dng", "a.jpg"], "\(view)")
            }
            // Another moment is another photo.
            try Files.write(Picture.jpeg(2, look: 2, date: "2024:05:17 10:12:00"), to: roll.dcim + "/b.jpg")
            try require("mv", roll.dcim + "/a.dng", roll.dcim + "/b.dng")
            try expectNoPair(roll, "b.jpg", "b.dng")
            try expectNoPair(roll, "a.jpg", "b.dng")
            #expect(try Files.names(in: roll.root + "/Media Types/RAW") == ["b.dng"])
            try roll.requireWhole()
        }
    }

    /// The smallest DNG: an uncompressed picture with the tag that makes it one.
    private func dngPath(_ roll: MountedLibrary) throws -> String {
        let path = roll.place("plain.dng")
        func little<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        // Width, height, bits, compression, photometric, strip offset, samples, rows, byte count, DNGVersion.
        let entries: [(UInt16, UInt16, UInt32, UInt32)] = [
            (0x0100, 4, 1, 8), (0x0101, 4, 1, 8), (0x0102, 3, 1, 8), (0x0103, 3, 1, 1), (0x0106, 3, 1, 32803),
            (0x0111, 4, 1, 134), (0x0115, 3, 1, 1), (0x0116, 4, 1, 8), (0x0117, 4, 1, 64), (0xC612, 1, 4, 0x0000_0401),
        ]
        var bytes = Array("II".utf8) + little(UInt16(42)) + little(UInt32(8)) + little(UInt16(entries.count))
        for (tag, type, count, value) in entries {
            bytes += little(tag) + little(type) + little(count) + little(value)
        }
        bytes += little(UInt32(0)) + [UInt8](repeating: 7, count: 64)
        try Files.write(bytes, to: path)
        return path
    }
}
