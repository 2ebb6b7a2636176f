import Foundation
import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

/// What `import --json` prints.
struct ImportDocument: Decodable {
    struct Item: Decodable {
        var source: String
        var outcome: String
        var path: String?
        var reason: String?
    }
    var items: [Item]
    var added: Int
    var same: Int
    var restored: Int
    var sidecars: Int
    var refused: Int
    var passedOver: Int
    var removed: Int
    var bytes: Int64
    var interrupted: Bool

    enum CodingKeys: String, CodingKey {
        case items, added, same, restored, sidecars, refused, removed, bytes, interrupted
        case passedOver = "passed_over"
    }

    /// `NAME outcome PATH` of each item, in the order of the document.
    var lines: [String] {
        items.map { "\($0.source.split(separator: "/").last ?? "") \($0.outcome) \($0.path ?? "-")" }
    }
}

/// The built command imports files into libraries that are not mounted.
@Suite(.serialized) struct ImportTests {
    private func document(_ words: String..., status: Int32 = 0) throws -> ImportDocument {
        let outcome = try Support.run(Product.command, arguments: ["import"] + words + ["--json"])
        guard outcome.status == status else { throw HarnessError(outcome.description) }
        return try JSONDecoder().decode(ImportDocument.self, from: Data(outcome.output))
    }

    private func expectWhole(_ test: TestLibrary) throws {
        #expect(try LibraryInvariants.problems(in: test.path).isEmpty)
    }

    @Test func aFolder() throws {
        try withTestLibrary { test in
            let card = test.place("card")
            try Files.makeDirectory(card + "/sub/deep".replacingOccurrences(of: "/sub/deep", with: ""))
            for folder in ["/sub", "/sub/deep", "/@eaDir"] { try Files.makeDirectory(card + folder) }
            let first = Generated.jpeg()
            try Files.write(first, to: card + "/IMG_1.JPG")
            try Files.setTimes(card + "/IMG_1.JPG", to: 1_400_000_000_123_456_789)
            try Files.write(try Generated.movie(), to: card + "/sub/deep/clip.mp4")
            try Files.write(first, to: card + "/sub/copy.jpg")
            try Files.write(Array("<x/>".utf8), to: card + "/IMG_1.xmp")
            try Files.write(Array("{}".utf8), to: card + "/IMG_1.JPG.supplemental-metadata.json")
            try Files.write(Array("{}".utf8), to: card + "/alone.json")
            try Files.write(Array("no picture".utf8), to: card + "/notes.txt")
            try Files.write(Array(Generated.jpeg().dropLast(30)), to: card + "/cut.jpg")
            try Files.write(Generated.jpeg(), to: card + "/half.jpg.part")
            try Files.write([], to: card + "/empty.jpg")
            for name in [".DS_Store", "Thumbs.db", "._IMG_1.JPG", "@eaDir/IMG_1.JPG"] {
                try Files.write(Array("x".utf8), to: card + "/" + name)
            }
            try Posix.check(symlink("/etc/hostname", card + "/link.jpg"))
            try Posix.check(symlink("sub", card + "/linked"))
            try Posix.check(mkfifo(card + "/pipe", 0o600))
            try FileDescriptor.open(card + "/IMG_1.JPG", .readOnly)
                .setAttribute("user.xdg.tags", to: Array("Sea,Sun".utf8))

            let made = try document(test.path, card, status: 1)
            #expect(
                made.lines == [
                    "IMG_1.JPG added DCIM/card/IMG_1.JPG", "cut.jpg refused -", "empty.jpg refused -",
                    "half.jpg.part refused -", "notes.txt refused -",
                    "IMG_1.JPG.supplemental-metadata.json sidecar DCIM/card/IMG_1.JPG.supplemental-metadata.json",
                    "IMG_1.xmp sidecar DCIM/card/IMG_1.xmp", "copy.jpg same DCIM/card/IMG_1.JPG",
                    "clip.mp4 added DCIM/card/sub/deep/clip.mp4",
                ])
            #expect(made.added == 2 && made.same == 1 && made.sidecars == 2 && made.refused == 4)
            // Three droppings, the folder of one, two links, the pipe, and the sidecar of nothing.
            #expect(made.passedOver == 8)
            #expect(made.items[1].reason?.contains("cut off") == true)

            let assets = try Product.json("find", test.path, as: AssetList.self).assets
            #expect(assets.map(\.path) == ["DCIM/card/IMG_1.JPG", "DCIM/card/sub/deep/clip.mp4"])
            #expect(try Product.run("find", test.path, "keyword:sea").lines == ["DCIM/card/IMG_1.JPG"])
            let node = try #require(try test.library.node(atPath: "DCIM/card/IMG_1.JPG"))
            #expect(node.modified == 1_400_000_000_123_456_789)
            #expect(assets.first?.captured?.hasPrefix("2014-05-13T") == true)
            #expect(try Files.read(test.path + "/" + (node.file ?? "")) == first)
            // Nothing outside was touched, and a second time nothing is changed.
            #expect(try Files.read(card + "/IMG_1.JPG") == first)
            let again = try document(test.path, card, status: 1)
            #expect(again.added == 0 && again.same == 3 && again.sidecars == 2)
            #expect(try Product.json("find", test.path, as: AssetList.self).assets.count == 2)
            #expect(try test.library.paths(ofNode: node.id) == ["DCIM/card/IMG_1.JPG"])
            // What is in it alone, as cp -r takes it.
            #expect(try document(test.path, card + "/sub/.").lines.first == "copy.jpg same DCIM/card/IMG_1.JPG")
            try expectWhole(test)
        }
    }

    /// What a sidecar says counts as if it had been copied into a mount.
    @Test func sidecarsSpeak() throws {
        try withTestLibrary { test in
            let card = test.place("card")
            try Files.makeDirectory(card)
            try Files.write(Generated.jpeg(), to: card + "/a.jpg")
            try require("exiftool", "-q", "-XMP:Subject=Harbour", card + "/a.jpg", "-o", card + "/a.xmp")
            let made = try document(test.path, card, "--move")
            #expect(made.added == 1 && made.sidecars == 1 && made.removed == 2)
            #expect(try Product.run("find", test.path, "keyword:harbour").lines == ["DCIM/card/a.jpg"])
            try expectWhole(test)
        }
    }

    @Test func takenNames() throws {
        try withTestLibrary { test in
            try test.add(Generated.jpeg(), "a.jpg")
            try test.add(Array("no picture".utf8), "b.jpg")
            let sources = test.place("sources")
            try Files.makeDirectory(sources)
            for name in ["a.jpg", "b.jpg"] { try Files.write(Generated.jpeg(), to: "\(sources)/\(name)") }
            try Files.write(Array("<x/>".utf8), to: sources + "/a.jpg.xmp")
            let made = try document(test.path, sources + "/.")
            #expect(
                made.lines == [
                    "a.jpg added DCIM/a~1.jpg", "b.jpg added DCIM/b~1.jpg", "a.jpg.xmp sidecar DCIM/a~1.jpg.xmp",
                ])
            // A file where a folder is to be.
            try test.add(Generated.jpeg(), "folder")
            try Files.makeDirectory(sources + "/folder")
            try Files.write(Generated.jpeg(), to: sources + "/folder/c.jpg")
            let refused = try document(test.path, sources + "/folder", status: 1)
            #expect(refused.lines == ["c.jpg refused -"])
            try expectWhole(test)
        }
    }

    /// What the library has as an original, in the trash or under another name is not added again.
    @Test func knownBytes() throws {
        try withTestLibrary { test in
            let path = test.place("IMG_1.JPG")
            let bytes = try Generated.photo(at: path, date: "2024:05:17 10:00:00")
            let id = try test.add(bytes, "IMG_1.JPG")
            // An edit: the same capture, other bytes.
            let edited = try Generated.photo(
                at: test.place("edit.jpg"), date: "2024:05:17 10:00:00", more: ["-Artist=x"])
            let node = try #require(try test.library.node(id))
            let draft = try test.library.makeDraft(of: id, copying: nil)
            try draft.file.write(edited, at: 0)
            _ = try test.library.commitDraft(draft, of: id, amends: false, written: nil, client: "user:0")
            #expect(try test.library.node(id)?.file != node.file)
            #expect(try document(test.path, path).lines == ["IMG_1.JPG same DCIM/IMG_1.JPG"])
            #expect(try Product.json("find", test.path, "is:edited", as: AssetList.self).assets.count == 1)

            let gone = Generated.jpeg()
            try test.add(gone, "gone.jpg")
            try test.remove("gone.jpg")
            try Files.write(gone, to: test.place("back.jpg"))
            #expect(
                try document(test.path, test.place("back.jpg"), "--album", "Trips/Rome").lines
                    == ["back.jpg restored DCIM/back.jpg"])
            #expect(try test.library.trash().isEmpty)
            // In the album once, whoever imports it again; another of that name steps beside it.
            try Files.write(Generated.jpeg(), to: test.place("back.jpg"))
            _ = try document(test.path, test.place("back.jpg"), "--album", "Albums/Trips/Rome")
            _ = try document(test.path, test.place("back.jpg"), "--album", "Trips/Rome")
            #expect(
                try Product.run("find", test.path, "album:Rome").lines == ["DCIM/back.jpg", "DCIM/back~1.jpg"])
            // An album for nothing is not made.
            try Files.write(Array("x".utf8), to: test.place("bad.jpg"))
            _ = try document(test.path, test.place("bad.jpg"), "--album", "None", status: 1)
            #expect(try test.library.album(named: FileName("None"), in: 0) == nil)
            try expectWhole(test)
        }
    }

    @Test func moving() throws {
        try withTestLibrary { test in
            let card = test.place("card")
            for folder in ["", "/all", "/some"] { try Files.makeDirectory(card + folder) }
            let names = ["all/a.jpg", "all/linked.jpg", "some/open.jpg", "some/same.jpg"]
            var bytes: [String: [UInt8]] = [:]
            for name in names {
                bytes[name] = Generated.jpeg()
                try Files.write(bytes[name] ?? [], to: "\(card)/\(name)")
            }
            try Files.write(Array("<x/>".utf8), to: card + "/all/a.xmp")
            try Posix.check(link(card + "/all/linked.jpg", test.place("other-name.jpg")))
            try Files.write(Array("no picture".utf8), to: card + "/some/bad.jpg")
            try test.add(bytes["some/same.jpg"] ?? [], "there.jpg")
            let moved = try Files.existing(card + "/all/a.jpg")
            let shared = try Files.existing(card + "/all/linked.jpg")
            let beingWritten = try Posix.open(card + "/some/open.jpg", O_RDWR)
            let open = try Files.existing(card + "/some/open.jpg")

            let made = try document(test.path, card, "--move", status: 1)
            #expect(made.added == 3 && made.same == 1 && made.sidecars == 1 && made.refused == 1)
            #expect(made.removed == 5)
            // The folder that is empty now went too; what was refused is where it was.
            #expect(try Files.tree(card) == ["some/bad.jpg"])
            #expect(!Files.exists(card + "/all"))
            #expect(try Files.read(test.place("other-name.jpg")) == bytes["all/linked.jpg"])
            func stored(_ path: String) throws -> FileStatus {
                try Files.existing(test.path + "/" + (try #require(try test.library.node(atPath: path)?.file)))
            }
            let original = try stored("DCIM/card/all/a.jpg")
            #expect(original.inode == moved.inode && original.links == 1 && original.mode & 0o777 == 0o600)
            // Somebody else could change these: the library has files of its own.
            #expect(try stored("DCIM/card/all/linked.jpg").inode != shared.inode)
            #expect(try stored("DCIM/card/some/open.jpg").inode != open.inode)
            try Posix.close(beingWritten)
            try expectWhole(test)
        }
    }

    /// The library says that it has the bytes, but does not: the last copy of them stays.
    @Test func movingOntoDamage() throws {
        try withTestLibrary { test in
            let bytes = Generated.jpeg()
            let id = try test.add(bytes, "a.jpg")
            let file = try #require(try test.library.node(id)?.file)
            try Files.write([UInt8](repeating: 0, count: bytes.count), to: test.path + "/" + file)
            let source = test.place("a.jpg")
            try Files.write(bytes, to: source)
            let made = try document(test.path, source, "--move", status: 1)
            #expect(made.lines == ["a.jpg refused -"])
            #expect(made.items.first?.reason?.contains("damaged") == true)
            #expect(try Files.read(source) == bytes)
        }
    }

    @Test func otherFileSystem() throws {
        guard try Files.status("/dev/shm")?.device != Files.status(temporaryRoot)?.device else { return }
        let shared = try TemporaryPlace(in: "/dev/shm")
        defer { shared.remove() }
        try withTestLibrary { test in
            let bytes = Generated.jpeg(size: 20 << 20)
            try Files.write(bytes, to: shared("big.jpg"))
            #expect(try document(test.path, shared("big.jpg"), "--move").removed == 1)
            #expect(!Files.exists(shared("big.jpg")))
            let node = try #require(try test.library.node(atPath: "DCIM/big.jpg"))
            #expect(try Files.read(test.path + "/" + (node.file ?? "")) == bytes)
            try expectWhole(test)
        }
    }

    @Test func whatIsNotImported() throws {
        try withTestLibrary { test in
            try test.add(Generated.jpeg(), "a.jpg")
            func status(_ words: String...) throws -> Int32 {
                let outcome = try Support.run(Product.command, arguments: ["import", test.path] + words)
                #expect(outcome.stderr.hasPrefix("cameraroll: "), "\(outcome)")
                return outcome.status
            }
            #expect(try status(test.place("none")) == 6)
            #expect(try status(test.place("none"), test.place("no more")) == 1)
            #expect(try status() == 2)
            #expect(try status("") == 2)
            #expect(try status(test.place.path, "--album", "") == 2)
            #expect(try status(test.path) == 1)
            #expect(try status(test.path + "/originals", "--move") == 1)
            // Nor by another way to the same name; another name of the file, as an interrupted move leaves it, goes.
            let file = test.path + "/" + (try #require(try test.library.node(atPath: "DCIM/a.jpg")?.file))
            if Machine.isRoot {
                let alias = test.place("alias")
                try Files.makeDirectory(alias)
                try require("mount", "--bind", test.path + "/originals", alias)
                defer { _ = try? run("umount", alias) }
                #expect(try status(alias, "--move") == 1)
            }
            try Posix.check(link(file, test.place("same.jpg")))
            #expect(try document(test.path, test.place("same.jpg"), "--move").removed == 1)
            #expect(try Files.existing(file).links == 1)
            #expect(try Product.json("find", test.path, as: AssetList.self).assets.count == 1)
            // A folder around the library comes without it.
            try Files.write(Generated.jpeg(), to: test.place("b.jpg"))
            #expect(try document(test.path, test.place.path + "/.").added == 1)
            let odd = try run(
                "bash", "-c", "touch \"$2\"/$'x\\xff.jpg' && \"$1\" import \"$3\" \"$2\"", "bash", Product.command,
                test.place.path, test.path)
            #expect(odd.status == 1, "\(odd)")
            #expect(odd.stderr.contains("not UTF-8"))
            try expectWhole(test)
        }
    }

    @Test(.enabled(if: Samples.available, "needs the samples")) func samples() throws {
        try withTestLibrary { test in
            var digests: Set<String> = []
            for folder in Samples.goodFolders {
                let made = try run(Product.command, "import", test.path, Samples.root + "/" + folder, "--json")
                let document = try JSONDecoder().decode(ImportDocument.self, from: Data(made.output))
                let refused = document.items.filter { $0.outcome == "refused" }.map(\.source)
                #expect(refused.filter { $0 != Samples.withoutPicture } == [])
                for item in document.items where item.outcome == "added" {
                    digests.insert(try Generated.sha256(item.source))
                }
            }
            let assets = try Product.json("find", test.path, as: AssetList.self).assets
            #expect(Set(assets.map(\.sha256)) == digests && assets.count == digests.count)
            #expect(digests.count > 80)
            try expectWhole(test)
        }
    }
}
