import Platform
import Support
import Testing

/// Sidecars stay beside their asset byte for byte, and what they say is known of it, whichever comes first.
@Suite struct SidecarTests {
    private static let photo = Picture.jpeg(1, look: 1, date: "2024:05:17 10:11:12")

    private func full(at path: String) throws {
        try Sidecar.exifTool(
            "-XMP:Description=At the sea", "-XMP:Subject=sea", "-XMP:Subject=sun", "-XMP:Rating=4",
            "-XMP:DateTimeOriginal=2020:02:28 23:30:00+02:00", "-XMP:GPSLatitude=-12.5", "-XMP:GPSLongitude=45.25",
            at: path)
    }

    @Test(arguments: ["a.xmp", "a.jpg.xmp"], [true, false])
    func whicheverComesFirst(name: String, isFirst: Bool) throws {
        try withMountedLibrary { roll in
            let (photo, sidecar) = (roll.place("a.jpg"), roll.place(name))
            try Files.write(Self.photo, to: photo)
            try full(at: sidecar)
            for path in isFirst ? [sidecar, photo] : [photo, sidecar] { try require("cp", path, roll.dcim + "/") }
            for _ in 0..<2 {
                #expect(try Files.sameContents(sidecar, "\(roll.dcim)/\(name)"))
                try expectAsset(roll.dcim + "/a.jpg", holding: photo)
                try expectSaid(
                    of: roll.dcim + "/a.jpg", caption: "At the sea", rating: "8", keywords: "sea,sun",
                    captured: "2020-02-28T23:30:00+02:00", location: "geo:-12.5,45.25", favorite: "0")
                try expectLibrary(roll, lists: ["a.jpg", name], assets: 1)
                for query in ["rating:8", "keyword:sea", "\"At the sea\"", "on:2020-02-28"] {
                    #expect(try roll.assets(query).count == 1, "\(query)")
                }
                #expect(try Files.tree(roll.root + "/Dates") == ["2020/2020-02/2020-02-28/a.jpg"])
                #expect(try Files.tree(roll.root + "/Keywords") == ["sea/a.jpg", "sun/a.jpg"])
                try roll.remount()
            }
            // What it said stays when it goes.
            try require("rm", "\(roll.dcim)/\(name)")
            try expectSaid(of: roll.dcim + "/a.jpg", caption: "At the sea", rating: "8", keywords: "sea,sun")
        }
    }

    /// All kinds of sidecars are kept as they are, also alone: a THM is a JPEG, and an LRV a movie.
    @Test(arguments: ["thm", "lrv", "aae", "wav", "json", "XMP", "THM"]) func keptAsTheyAre(ending: String) throws {
        try withMountedLibrary { roll in
            let bytes =
                switch ending.lowercased() {
                case "thm": Picture.jpeg(7)
                case "lrv": try Generated.movie()
                default: Array("no \(ending) at all".utf8)
                }
            let source = roll.place("a.\(ending)")
            try Files.write(bytes, to: source)
            expectSuccess(try run("cp", source, roll.dcim + "/"))
            try expectLibrary(roll, lists: ["a.\(ending)"], assets: 0)
            try Files.write(Self.photo, to: roll.dcim + "/a.jpg")
            #expect(try Files.sameContents(source, "\(roll.dcim)/a.\(ending)"))
            try expectLibrary(roll, lists: ["a.\(ending)", "a.jpg"], assets: 1)
            try require("rm", "\(roll.dcim)/a.\(ending)")
            #expect(try roll.trash().isEmpty)
            // By another name it is what it is.
            if ending == "lrv" {
                expectSuccess(try run("cp", source, roll.dcim + "/b.lrv"))
                try require("mv", roll.dcim + "/b.lrv", roll.dcim + "/b.mp4")
                try expectLibrary(roll, lists: ["a.jpg", "b.mp4"], assets: 2)
            }
        }
    }

    /// What a person set stays until the sidecar says something else; what it says no more goes.
    @Test func theLatestWordCounts() throws {
        try withMountedLibrary { roll in
            let (photo, sidecar) = (roll.dcim + "/a.jpg", roll.dcim + "/a.xmp")
            let source = roll.place("a.xmp")
            try Files.write(Self.photo, to: photo)
            try full(at: source)
            try require("cp", source, sidecar)
            for (name, value) in [
                ("user.baloo.rating", "2"), ("user.xdg.comment", "Mine"), ("user.xdg.tags", "sea,mine"),
                ("user.cameraroll.captured", "2021-01-01T00:00:00Z"), ("user.cameraroll.location", "geo:1.5,2.5"),
            ] { try require("setfattr", "-n", name, "-v", value, photo) }
            func expectMine(rating: String, keywords: String) throws {
                try expectSaid(
                    of: photo, caption: "Mine", rating: rating, keywords: keywords, captured: "2021-01-01T00:00:00Z",
                    location: "geo:1.5,2.5")
            }
            // The same bytes again say nothing new.
            try require("cp", source, sidecar)
            try require("touch", sidecar)
            try expectMine(rating: "2", keywords: "mine,sea")
            // An editor changes the stars and a keyword, and leaves all else as it was.
            try require("exiftool", "-q", "-XMP:Rating=5", "-XMP:Subject+=moon", "-XMP:Subject-=sea", sidecar)
            try expectMine(rating: "10", keywords: "mine,moon")
            #expect(Set(try Files.names(in: roll.dcim)) == ["a.jpg", "a.xmp", "a.xmp_original"])
            #expect(try Files.sameContents(source, sidecar + "_original"))
            // And takes the stars away again.
            try require("exiftool", "-q", "-overwrite_original", "-XMP:Rating=", sidecar)
            try expectMine(rating: "", keywords: "mine,moon")
            // An edit of the picture, or what it says of itself, changes nothing of that.
            try Files.write(Picture.jpeg(2, look: 1, date: "2024:05:17 10:11:12"), to: photo)
            try expectMine(rating: "", keywords: "mine,moon")
            #expect(try Files.attribute("user.cameraroll.edited", of: photo) == "1")
            try roll.remount()
            try expectMine(rating: "", keywords: "mine,moon")
        }
    }

    /// A date in the sidecar stays where the picture is edited, though the picture's own differs.
    @Test func theSidecarsDateBeforeThePictures() throws {
        try withMountedLibrary { roll in
            try Files.write(Self.photo, to: roll.dcim + "/a.jpg")
            try full(at: roll.dcim + "/a.xmp")
            try Files.write(Picture.jpeg(2, look: 1, date: "2024:05:17 10:11:12"), to: roll.dcim + "/a.jpg")
            try expectSaid(of: roll.dcim + "/a.jpg", captured: "2020-02-28T23:30:00+02:00")
            // The same clock without its zone is the same date.
            try Sidecar.exifTool("-XMP:DateTimeOriginal=2024:05:17 10:11:12", at: roll.place("b.xmp"))
            try Files.write(Picture.jpeg(3, look: 2, date: "2024:05:17 10:11:12"), to: roll.dcim + "/b.jpg")
            try require("cp", roll.place("b.xmp"), roll.dcim)
            let found = try #require(try roll.assets("b.jpg").first)
            #expect(found.captured == "2024-05-17T10:11:12Z" && found.capturedSource == "exifLocal")
        }
    }

    /// Programs that save a sidecar by way of other files, in their own ways.
    @Test(arguments: ["vim", "vim with copies", "sed", "exiftool", "exiftool anew", "exiv2", "python", "append"])
    func editors(program: String) throws {
        try withMountedLibrary { roll in
            let (photo, sidecar) = (roll.dcim + "/a.jpg", roll.dcim + "/a.xmp")
            try Files.write(Self.photo, to: photo)
            try Sidecar.exifTool("-XMP:Rating=3", "-XMP:Description=Before", at: sidecar)
            try expectSaid(of: photo, caption: "Before", rating: "6")
            let outcome: Outcome
            switch program {
            case "vim":
                outcome = try run("vim", "-u", "NONE", "-N", "-es", "-c", "%s/Before/After/", "-c", "wq", sidecar)
            case "vim with copies":
                outcome = try run(
                    "vim", "-u", "NONE", "-N", "-es", "-c", "set backup backupcopy=no", "-c", "%s/Before/After/", "-c",
                    "wq", sidecar)
            case "sed": outcome = try run("sed", "-i", "s/Before/After/", sidecar)
            case "exiftool": outcome = try run("exiftool", "-XMP:Description=After", sidecar)
            case "exiftool anew":
                try require("rm", sidecar)
                outcome = try run("exiftool", "-XMP:Description=After", "-XMP:Rating=3", "-o", sidecar)
            case "exiv2":
                guard try run("sh", "-c", "command -v exiv2").succeeded else {
                    return print("SKIPPED: exiv2 is not installed")
                }
                outcome = try run("exiv2", "-M", "set Xmp.dc.description lang=x-default After", "mo", sidecar)
            case "python":
                let script = """
                    import os, sys
                    path = sys.argv[1]
                    text = open(path).read().replace('Before', 'After')
                    with open(path + '.tmp', 'w') as f:
                        f.write(text); f.flush(); os.fsync(f.fileno())
                    os.replace(path + '.tmp', path)
                    """
                outcome = try run("python3", "-c", script, sidecar)
            default:
                let text = try Files.text(sidecar).replacing("Before", with: "After")
                try require("truncate", "-s", "0", sidecar)
                try expectSaid(of: photo, caption: "Before", rating: "6")
                try Files.write(Array(text.utf8.prefix(300)), to: sidecar, append: true)
                // Half a sidecar says nothing, and takes nothing away.
                try expectSaid(of: photo, caption: "Before", rating: "6")
                try Files.write(Array(text.utf8.dropFirst(300)), to: sidecar, append: true)
                outcome = try run("true")
            }
            expectSuccess(outcome)
            try expectSaid(of: photo, caption: "After", rating: "6")
            #expect(try Files.text(sidecar).contains("After"))
            #expect(try roll.assets().count == 1)
        }
    }

    /// What is no XMP is kept all the same, and the log says why nothing came of it.
    @Test func nonsense() throws {
        try withMountedLibrary { roll in
            try Files.write(Self.photo, to: roll.dcim + "/a.jpg")
            let laughs = Array("<!DOCTYPE x [<!ENTITY a 'ha'>]><x>&a;</x>".utf8)
            for bytes in [laughs, [], [0xFF], [UInt8](repeating: 0x20, count: 5 << 20)] {
                let source = roll.place("a.xmp")
                try? Posix.unlink(source)
                try Files.write(bytes, to: source)
                expectSuccess(try run("cp", source, roll.dcim + "/"))
                #expect(try Files.sameContents(source, roll.dcim + "/a.xmp"))
                try expectSaid(of: roll.dcim + "/a.jpg", caption: "", rating: "", keywords: "")
            }
            let events = try Product.json("log", roll.library, as: EventList.self).events
            #expect(events.contains { $0.operation == "sidecar" && $0.path == "DCIM/a.xmp" }, "\(events)")
        }
    }

    @Test func synchronizing() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source")
            try Files.makeDirectory(source)
            try Files.write(Self.photo, to: source + "/a.jpg")
            try Files.write(Picture.jpeg(2), to: source + "/b.jpg")
            try full(at: source + "/a.xmp")
            try Files.write(Sidecar.takeout("b.jpg"), to: source + "/b.jpg.json")
            try Files.write(Array("x".utf8), to: source + "/b.aae")
            for (from, to) in [(source, roll.dcim), (roll.dcim, roll.place("back"))] {
                try require("rsync", "-a", from + "/", to + "/")
                let again = try require("rsync", "-ai", from + "/", to + "/")
                #expect(again.lines.filter { $0.hasPrefix(">f") || $0.hasPrefix("cL") } == [], "\(again)")
            }
            try require("diff", "-r", source, roll.place("back"))
            try expectSaid(of: roll.dcim + "/a.jpg", caption: "At the sea", rating: "8")
            try expectSaid(of: roll.dcim + "/b.jpg", location: "geo:48.5,11.25")
        }
    }

    /// The file's own date and place stay; the caption and the heart are Google's word.
    @Test(arguments: [true, false]) func takeout(isFirst: Bool) throws {
        try withMountedLibrary { roll in
            let source = roll.place("Takeout")
            try Files.makeDirectory(source)
            let pictures: [(name: String, json: String, date: String?)] = [
                ("IMG_1.jpg", "IMG_1.jpg.json", "2024:05:17 10:11:12"),
                ("IMG_2.jpg", "IMG_2.jpg.supplemental-metadata.json", nil),
                ("IMG_2(1).jpg", "IMG_2.jpg.supplemental-metadata(1).json", nil),
                ("IMG_3(1).jpg", "IMG_3.jpg(1).json", nil),
            ]
            for (number, picture) in pictures.enumerated() {
                try Files.write(
                    Picture.jpeg(UInt64(number), look: UInt8(number), date: picture.date),
                    to: "\(source)/\(picture.name)")
                try Files.write(
                    Sidecar.takeout(
                        picture.name, description: "Caption \(number)", timestamp: 1_558_084_812 + number,
                        favorite: number == 0), to: "\(source)/\(picture.json)")
            }
            try Files.write(Array("{\"title\": \"an album\"}".utf8), to: source + "/metadata.json")
            let patterns = isFirst ? ["*.json", "*.jpg"] : ["*.jpg", "*.json"]
            for pattern in patterns { try require("sh", "-c", "cp \"$1\"/\(pattern) \"$2\"", "sh", source, roll.dcim) }
            try require("diff", "-r", source, roll.dcim)
            try expectSaid(
                of: roll.dcim + "/IMG_1.jpg", caption: "Caption 0", captured: "2024-05-17T10:11:12Z",
                location: "geo:48.5,11.25", favorite: "1")
            for (number, picture) in pictures.enumerated().dropFirst() {
                try expectSaid(
                    of: "\(roll.dcim)/\(picture.name)", caption: "Caption \(number)",
                    captured: "2019-05-17T09:20:\(12 + number)Z", location: "geo:48.5,11.25", favorite: "0")
            }
            #expect(try roll.assets("is:favorite").map(\.name) == ["IMG_1.jpg"])
            #expect(try roll.assets("IMG_2.jpg").first?.capturedSource == "sidecar")
            // A time that a file manager sets afterwards is no date of the picture.
            try require("touch", "-d", "2000-01-01", roll.dcim + "/IMG_2.jpg")
            try expectSaid(of: roll.dcim + "/IMG_2.jpg", captured: "2019-05-17T09:20:13Z")
        }
    }

    /// An editor's word comes before Google's, in whatever order they come.
    @Test(arguments: [true, false]) func bothKinds(isFirst: Bool) throws {
        try withMountedLibrary { roll in
            try Files.write(Picture.jpeg(1), to: roll.dcim + "/a.jpg")
            try full(at: roll.place("a.xmp"))
            try Files.write(
                Sidecar.takeout("a.jpg", description: "Google's", favorite: true), to: roll.place("a.jpg.json"))
            for name in isFirst ? ["a.xmp", "a.jpg.json"] : ["a.jpg.json", "a.xmp"] {
                try require("cp", roll.place(name), roll.dcim)
            }
            try expectSaid(
                of: roll.dcim + "/a.jpg", caption: "At the sea", captured: "2020-02-28T23:30:00+02:00",
                location: "geo:-12.5,45.25", favorite: "1")
        }
    }

    /// Deleting a picture leaves its sidecar, and restoring it finds it again, with what it says by then.
    @Test func deletingAndRestoring() throws {
        try withMountedLibrary { roll in
            try Files.write(Self.photo, to: roll.dcim + "/a.jpg")
            try full(at: roll.dcim + "/a.xmp")
            try require("rm", roll.dcim + "/a.jpg")
            #expect(try Files.names(in: roll.dcim) == ["a.xmp"])
            try require("exiftool", "-q", "-overwrite_original", "-XMP:Rating=1", roll.dcim + "/a.xmp")
            try require("mv", roll.root + "/Recently Deleted/a.jpg", roll.dcim)
            try expectSaid(of: roll.dcim + "/a.jpg", caption: "At the sea", rating: "2")
            expectSuccess(try run("rm", roll.dcim + "/a.jpg", roll.dcim + "/a.xmp"))
            #expect(try Files.names(in: roll.dcim) == [])
            let id = try #require(try roll.trash().first?.id)
            try require(Product.command, "trash", roll.library, "restore", id)
            #expect(try Files.names(in: roll.dcim) == ["a.jpg"])
            try expectSaid(of: roll.dcim + "/a.jpg", caption: "At the sea", rating: "2")
        }
    }
}
