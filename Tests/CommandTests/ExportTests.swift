import Foundation
import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

/// What `export --json` prints.
struct ExportDocument: Decodable {
    struct Item: Decodable {
        var path: String
        var outcome: String
        var to: String?
        var sidecar: String?
        var reason: String?
    }
    var items: [Item]
    var exported: Int
    var same: Int
    var sidecars: Int
    var failed: Int
    var bytes: Int64
    var interrupted: Bool
}

/// The built command copies photos out; exiftool judges what lies beside them.
@Suite(.serialized) struct ExportTests {
    private func document(_ words: String..., status: Int32 = 0) throws -> ExportDocument {
        let outcome = try Support.run(Product.command, arguments: ["export"] + words + ["--json"])
        guard outcome.status == status else { throw HarnessError(outcome.description) }
        return try JSONDecoder().decode(ExportDocument.self, from: Data(outcome.output))
    }

    /// What exiftool reads in a file, by tag.
    private func tags(_ path: String) throws -> [String: Any] {
        let outcome = try require("exiftool", "-json", "-n", "-XMP:all", path)
        let list = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]]
        return try #require(list?.first)
    }

    private func set(_ name: String, _ value: String, of node: UInt64, _ test: TestLibrary) throws {
        try test.library.setExtendedAttribute(name, of: node, to: Array(value.utf8), rule: .createOrReplace)
    }

    @Test func sidecarsAsExiftoolReadsThem() throws {
        try withTestLibrary { test in
            let node = try test.addPhoto("trip/IMG_1.JPG", date: "2024:05:17 10:00:00")
            try set("user.xdg.tags", "Sea & <Sand>,\"Größe\",日本", of: node, test)
            let caption = "First line\nsecond ]]> & <b>\"'\u{1} 🏖"
            try set("user.xdg.comment", caption, of: node, test)
            try set("user.baloo.rating", "8", of: node, test)
            try set("user.cameraroll.location", "geo:-33.8567,151.2152999,-4.5", of: node, test)
            try set("user.cameraroll.captured", "2023-01-02T03:04:05+11:00", of: node, test)
            let plain = try test.addPhoto("plain.jpg", date: "2020:01:01 00:00:00", offset: "+00:00")
            let located = try test.addPhoto(
                "located.jpg",
                more: ["-GPSLatitude=48.85", "-GPSLatitudeRef=N", "-GPSLongitude=2.35", "-GPSLongitudeRef=E"])
            #expect(try test.library.assetRecord(test.library.node(located)?.asset ?? 0)?.latitude != nil)

            let to = test.place("out")
            let made = try document(test.path, "--to", to)
            #expect(made.exported == 3 && made.sidecars == 1 && made.failed == 0)
            #expect(
                try Files.tree(to) == ["located.jpg", "plain.jpg", "trip/IMG_1.JPG", "trip/IMG_1.JPG.xmp"])
            let found = try tags(to + "/trip/IMG_1.JPG.xmp")
            #expect(found["Subject"] as? [String] == ["\"Größe\"", "Sea & <Sand>", "日本"])
            #expect(found["Description"] as? String == caption.replacingOccurrences(of: "\u{1}", with: ""))
            #expect(found["Rating"] as? Int == 4)
            #expect(abs((found["GPSLatitude"] as? Double ?? 0) + 33.8567) < 1e-7, "\(found)")
            #expect(abs((found["GPSLongitude"] as? Double ?? 0) - 151.2152999) < 1e-7, "\(found)")
            #expect(found["GPSAltitude"] as? Double == 4.5 || found["GPSAltitude"] as? Double == -4.5)
            #expect(found["GPSAltitudeRef"] as? Int == 1)
            #expect(found["DateTimeOriginal"] as? String == "2023:01:02 03:04:05+11:00")
            #expect(found["DateCreated"] as? String == "2023:01:02 03:04:05+11:00")
            let xml = try run(
                "python3", "-c", "import sys,xml.dom.minidom as m; m.parse(sys.argv[1])", to + "/trip/IMG_1.JPG.xmp")
            #expect(xml.succeeded, "\(xml)")
            // exiftool writes it all into a copy, as people do.
            try require(
                "exiftool", "-q", "-overwrite_original", "-tagsfromfile", to + "/trip/IMG_1.JPG.xmp", "-all:all",
                to + "/trip/IMG_1.JPG")

            // The time that the mount shows.
            let record = try #require(try test.library.node(plain))
            #expect(try Files.existing(to + "/plain.jpg").modificationTime == record.captured)
            #expect(try Files.existing(to + "/plain.jpg").mode & 0o777 == 0o644)
        }
    }

    @Test func nothingIsWrittenOver() throws {
        try withTestLibrary { test in
            let bytes = Generated.jpeg()
            let node = try test.add(bytes, "a.jpg")
            try test.library.setExtendedAttribute(
                "user.xdg.comment", of: node, to: Array("one".utf8), rule: .createOrReplace)
            let to = test.place("out")
            try Files.makeDirectory(to)
            let other = Generated.jpeg()
            try Files.write(other, to: to + "/a.jpg")
            try Posix.check(symlink("/etc/hostname", to + "/a~1.jpg"))
            try Files.makeDirectory(to + "/a~2.jpg")
            #expect(try document(test.path, "--to", to).items.first?.to == to + "/a~3.jpg")
            #expect(try Files.read(to + "/a.jpg") == other)
            #expect(try Files.read(to + "/a~3.jpg") == bytes)
            #expect(try Files.status(to + "/a~1.jpg")?.kind == .symbolicLink)
            // Again: nothing new. With another caption the old sidecar stays too.
            let again = try document(test.path, "--to", to + "/")
            #expect(again.exported == 0 && again.same == 1)
            #expect(again.items.first?.to == to + "/a~3.jpg")
            try test.library.setExtendedAttribute(
                "user.xdg.comment", of: node, to: Array("two".utf8), rule: .createOrReplace)
            #expect(try document(test.path, "--to", to).items.first?.sidecar == to + "/a~3.jpg~1.xmp")
            #expect(try tags(to + "/a~3.jpg.xmp")["Description"] as? String == "one")
            #expect(try Files.tree(to) == ["a.jpg", "a~1.jpg", "a~3.jpg", "a~3.jpg.xmp", "a~3.jpg~1.xmp"])
        }
    }

    @Test func editsAndOriginals() throws {
        try withTestLibrary { test in
            let bytes = try Generated.photo(at: test.place("x.jpg"), date: "2024:05:17 10:00:00")
            let edit = try Generated.photo(at: test.place("x.jpg"), date: "2024:05:17 10:00:00", more: ["-Artist=x"])
            let id = try test.add(bytes, "a.jpg")
            let draft = try test.library.makeDraft(of: id, copying: nil)
            try draft.file.write(edit, at: 0)
            _ = try test.library.commitDraft(draft, of: id, amends: false, written: nil, client: "user:0")
            _ = try document(test.path, "--to", test.place("edited"))
            _ = try document(test.path, "is:edited", "--to", test.place("original"), "--originals")
            #expect(try Files.read(test.place("edited") + "/a.jpg") == edit)
            #expect(try Files.read(test.place("original") + "/a.jpg") == bytes)
            // Back to the original; a second time there is nothing to do.
            try Product.run("revert", test.path + "/DCIM/a.jpg")
            #expect(try Files.read(test.path + "/" + (try test.library.node(id)?.file ?? "")) == bytes)
            #expect(try Product.run("revert", test.path + "/DCIM/a.jpg").status == 0)
            #expect(try Product.run("revert", test.path + "/DCIM/none.jpg").status == 6)
            #expect(try LibraryInvariants.problems(in: test.path).isEmpty)
        }
    }

    @Test func whatIsRefused() throws {
        try withTestLibrary { test in
            try test.add(Generated.jpeg(), "a.jpg")
            func status(_ words: String...) throws -> Int32 {
                let outcome = try Support.run(Product.command, arguments: ["export", test.path] + words)
                #expect(outcome.stderr.hasPrefix("cameraroll: "), "\(outcome)")
                return outcome.status
            }
            #expect(try status() == 2)
            #expect(try status("--to", "") == 2)
            #expect(try status("rating:>", "--to", test.place("out")) == 2)
            #expect(try status("camera:none", "--to", test.place("out")) == 6)
            #expect(try status("--to", test.path + "/export") == 9)
            #expect(try status("--to", test.path) == 9)
            try Files.write([], to: test.place("file"))
            #expect(try status("--to", test.place("file")) == 6)
            #expect(try Files.names(in: test.path).contains("export") == false)
        }
    }

    @Test(arguments: [SIGINT, SIGKILL]) func interrupted(signal: Int32) throws {
        try withTestLibrary { test in
            var pictures: Set<[UInt8]> = []
            for number in 0..<200 {
                let bytes = Generated.jpeg(size: 60_000)
                pictures.insert(bytes)
                try test.add(bytes, "IMG_\(number).JPG")
            }
            let to = test.place("out")
            let program = try RunningProgram(Product.command, ["export", test.path, "--to", to])
            for _ in 0..<3000 where !program.outputSoFar.contains("exported as") { usleep(1000) }
            program.kill(signal)
            #expect(program.wait().status == 128 + signal)
            let names = try Files.names(in: to)
            #expect((1..<200).contains(names.count))
            for name in names where signal == SIGINT || !name.hasPrefix(".cameraroll-export-") {
                #expect(pictures.contains(try Files.read("\(to)/\(name)")), "\(name)")
            }
            let again = try document(test.path, "--to", to)
            #expect(again.exported + again.same == 200 && again.same > 0)
        }
    }

    /// Out and in again: nothing is lost on the way.
    @Test(.enabled(if: Samples.available, "needs the samples")) func roundTrip() throws {
        try withTestLibrary { test in
            for folder in ["photos", "heic", "video"] {
                _ = try run(Product.command, "import", test.path, "\(Samples.root)/\(folder)")
            }
            _ = try document(test.path, "--to", test.place("out"))
            try Library.create(at: test.place("second"))
            _ = try run(Product.command, "import", test.place("second"), test.place("out") + "/.")
            func summary(_ library: String) throws -> [String] {
                try Product.json("find", library, as: AssetList.self).assets
                    .map { "\($0.path) \($0.sha256) \($0.captured ?? "")" }.sorted()
            }
            let first = try summary(test.path)
            #expect(first.count > 60)
            #expect(try summary(test.place("second")) == first)
        }
    }
}
