import Foundation
import PhotoLibrary
import Platform
import Support
import Testing

@Suite struct CommitTests {
    @Test func aPictureBecomesAnAsset() throws {
        try withLibrary { library in
            let bytes = Picture.jpeg(1, date: "2024:05:17 10:11:12")
            let made = try library.write("DCIM/100APPLE/IMG_0001.JPG", bytes)
            #expect(made.node.kind == .pending)
            #expect(try library.library.commitPending(made.node.id, file: made.file, client: "user:5").isAsset)
            let record = try library.record("DCIM/100APPLE/IMG_0001.JPG")
            #expect(record.node.id == made.node.id)
            #expect(record.node.kind == .asset)
            #expect(record.size == Int64(bytes.count))
            #expect(record.capturedText.hasPrefix("2024-05-17T10:11:12"))
            #expect(record.make == "Example" && record.model == "One")
            #expect(!record.isEdited && !record.isVideo)
            #expect(record.node.displayName?.description == "IMG_0001.JPG")
            #expect(record.digestText == (try Generated.sha256("\(library.path)/\(try #require(record.node.file))")))
            #expect(try library.bytes("DCIM/100APPLE/IMG_0001.JPG") == bytes)
            #expect(try library.stored("staging") == [])
            #expect(try library.stored("originals").count == 1)
            // A descriptor from before goes on reading the same bytes.
            #expect(try made.file.readBytes(bytes.count, at: 0) == bytes)
        }
    }

    @Test(arguments: ["mp4", "mov", "mkv"])
    func aMovieBecomesAnAsset(kind: String) throws {
        try withLibrary { library in
            try library.asset("DCIM/movie.\(kind)", Generated.movie(kind))
            #expect(try library.record("DCIM/movie.\(kind)").isVideo)
        }
    }

    @Test func equalBytesAreOneAssetWithTwoNames() throws {
        try withLibrary { library in
            let first = try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            let outcome = try library.add("DCIM/sub/b.jpg", Picture.jpeg(1))
            #expect(outcome.mergedNode == first.id)
            #expect(try library.node("DCIM/sub/b.jpg").id == first.id)
            #expect(try library.node("DCIM/a.jpg").links == 2)
            #expect(try library.stored("originals").count == 1)
            #expect(try library.library.paths(ofNode: first.id).sorted() == ["DCIM/a.jpg", "DCIM/sub/b.jpg"])
            // One name goes: the asset stays. The last one goes: it is deleted.
            try library.unlink("DCIM/a.jpg")
            #expect(try library.library.trash().count == 0)
            try library.unlink("DCIM/sub/b.jpg")
            #expect(try library.library.trash().map(\.origin) == ["DCIM/sub/b.jpg"])
        }
    }

    @Test func aDeletedPictureThatComesAgainIsBack() throws {
        try withLibrary { library in
            let first = try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            try library.unlink("DCIM/a.jpg")
            #expect(try library.library.trash().count == 1)
            #expect(try library.add("DCIM/b.jpg", Picture.jpeg(1)).mergedNode == first.id)
            #expect(try library.library.trash().count == 0)
            #expect(try library.node("DCIM/b.jpg").id == first.id)
            #expect(try library.record("DCIM/b.jpg").deleted == nil)
        }
    }

    @Test(arguments: [
        ("cut off", Picture.cutOff(1)), ("text", Array("hello".utf8)), ("zeros", [UInt8](repeating: 0, count: 5000)),
    ])
    func refusedBytesStayAndSayWhy(what: String, bytes: [UInt8]) throws {
        try withLibrary { library in
            let made = try library.write("DCIM/a.jpg", bytes)
            var said = ""
            do throws(CommitFailure) {
                _ = try library.library.commitPending(made.node.id, file: made.file, client: "user:5")
                Issue.record("\(what) was not refused")
            } catch {
                #expect(error.errno == .invalid)
                if case .refused(let reason) = error { said = reason }
            }
            #expect(said.count > 10)
            let node = try library.node("DCIM/a.jpg")
            #expect(node.kind == .pending && node.reason == said)
            #expect(try library.bytes("DCIM/a.jpg") == bytes)
            let error = try library.library.extendedAttribute("user.cameraroll.error", of: node.id)
            #expect(String(decoding: error, as: UTF8.self) == said)
            // A later write and close tries again.
            try Picture.jpeg(1).withUnsafeBytes { try made.file.writeFully($0, at: 0) }
            try made.file.truncate(to: Int64(Picture.jpeg(1).count))
            #expect(try library.library.commitPending(node.id, file: made.file, client: "user:5").isAsset)
            #expect(try library.node("DCIM/a.jpg").reason == nil)
        }
    }

    @Test func noBytesAreNoErrorAndNoAsset() throws {
        try withLibrary { library in
            #expect(try library.add("DCIM/a.jpg", []).isKept)
            #expect(try library.node("DCIM/a.jpg").kind == .pending)
            try library.unlink("DCIM/a.jpg")
            #expect(try library.stored("staging") == [])
        }
    }

    @Test func temporaryAndPlainNamesAreKeptAsTheyAre() throws {
        try withLibrary { library in
            let outcome = try library.add("DCIM/a.jpg.part", Picture.jpeg(1))
            #expect(outcome.isKept)
            #expect(try library.node("DCIM/a.jpg.part").kind == .pending)
            #expect(try library.add("DCIM/.DS_Store", Picture.jpeg(2)).isKept)
            #expect(try library.node("DCIM/.DS_Store").kind == .plain)
            #expect(try library.add("DCIM/a.xmp", Array("<x/>".utf8)).isKept)
        }
    }

    @Test func aFileUnlinkedWhileItIsOpenComesToNothing() throws {
        try withLibrary { library in
            let made = try library.write("DCIM/a.jpg", Picture.jpeg(1))
            #expect(try library.unlink("DCIM/a.jpg").isGone)
            #expect(try library.library.commitPending(made.node.id, file: made.file, client: "user:5").isKept)
            #expect(try library.stored("staging") == [] && library.stored("originals") == [])
        }
    }

    @Test func displayNamesAreUniqueAndStable() throws {
        try withLibrary { library in
            for number in 1...70 {
                try library.asset("DCIM/\(number)/IMG_0001.JPG", Picture.jpeg(UInt64(number)))
            }
            let names = try (1...70).map { try library.node("DCIM/\($0)/IMG_0001.JPG").displayName?.description ?? "" }
            #expect(names[0] == "IMG_0001.JPG" && names[1] == "IMG_0001~2.JPG")
            #expect(Set(names).count == 70)
            try library.unlink("DCIM/1/IMG_0001.JPG")
            try library.asset("DCIM/99/other.jpg", Picture.jpeg(1000))
            try library.reopen()
            for number in 2...70 {
                let name = try library.node("DCIM/\(number)/IMG_0001.JPG").displayName?.description
                #expect(name == names[number - 1])
            }
            // Changed by a rename.
            try library.rename("DCIM/5/IMG_0001.JPG", "DCIM/5/holiday.jpg")
            #expect(try library.node("DCIM/5/holiday.jpg").displayName?.description == "holiday.jpg")
        }
    }

    /// The name that a crowded name falls back to may be taken too.
    @Test func aDisplayNameIsFoundWhereTheObviousOnesAreTaken() throws {
        try withLibrary { library in
            for number in 1...66 { try library.asset("DCIM/\(number)/a.jpg", Picture.jpeg(UInt64(number))) }
            let next = try library.write("DCIM/z/a.jpg", Picture.jpeg(500))
            for number in 0..<200 {
                let name = "a~\(next.node.id + UInt64(number)).jpg"
                try library.asset("DCIM/y/\(name)", Picture.jpeg(UInt64(1000 + number)))
            }
            #expect(try library.library.commitPending(next.node.id, file: next.file, client: "user:5").isAsset)
        }
    }

    @Test(arguments: [4, 248, 250, 253])
    func displayNamesFit(count: Int) throws {
        try withLibrary { library in
            let name = "x." + String(repeating: "e", count: count)
            try library.asset("DCIM/a/\(name)", Picture.jpeg(1))
            try library.asset("DCIM/b/\(name)", Picture.jpeg(2))
            try library.asset("DCIM/c/\(name)", Picture.jpeg(3, look: 3, date: "2024:01:01 00:00:00"))
            // Steps aside under a name that fits.
            #expect(
                try library.overwrite("DCIM/c/\(name)", Picture.jpeg(4, look: 4, date: "2023:01:01 00:00:00")).isAsset)
            #expect(try library.names("DCIM/c").count == 2)
        }
    }

    @Test func relaxedLibrariesCommitToo() throws {
        var options = Library.Options()
        options.isRelaxed = true
        try withLibrary(options) { library in
            try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            try library.reopen()
            #expect(try library.bytes("DCIM/a.jpg") == Picture.jpeg(1))
        }
    }
}
