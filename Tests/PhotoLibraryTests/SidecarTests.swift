import Platform
import Support
import Testing

@testable import PhotoLibrary

/// What the catalogue does with sidecars, without a mount.
@Suite struct SidecarLibraryTests {
    private static func xmp(_ attributes: String, subjects: [String] = []) -> [UInt8] {
        let words = subjects.map { "<rdf:li>\($0)</rdf:li>" }.joined()
        return Array(
            """
            <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
            <rdf:Description xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/'
            xmlns:exif='http://ns.adobe.com/exif/1.0/' \(attributes)>
            <dc:subject><rdf:Bag>\(words)</rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>
            """.utf8)
    }

    private func withLibrary(_ body: (TestLibrary) throws -> Void) throws {
        try withTemporaryPlace { place in
            let test = try TestLibrary(at: place("library"))
            defer { test.close() }
            try body(test)
        }
    }

    /// Writes a sidecar as a mount does.
    private func write(_ test: TestLibrary, _ path: String, _ bytes: [UInt8]) throws {
        let made = try test.write(path, bytes)
        test.library.takeUpSidecar(made.node.id, file: made.file, client: TestLibrary.client)
    }

    private func rating(_ test: TestLibrary, _ path: String) throws -> String? {
        let node = try test.node(path)
        do throws(Errno) {
            return String(
                decoding: try test.library.extendedAttribute("user.baloo.rating", of: node.id), as: UTF8.self)
        } catch .noData { return nil }
    }

    private func keywords(_ test: TestLibrary, _ path: String) throws -> [String] {
        try test.library.keywords(of: try #require(try test.node(path).asset))
    }

    /// Of several pictures of one base name the RAW is meant, then the photo, then the movie; the other way for a movie's
    /// small copy.
    @Test func oneOfSeveral() throws {
        try withLibrary { test in
            try test.asset("DCIM/a.jpg", Picture.jpeg(1, look: 1))
            try test.asset("DCIM/a.mp4", Generated.movie())
            try write(test, "DCIM/a.xmp", Self.xmp("xmp:Rating='2'"))
            try write(test, "DCIM/a.mp4.xmp", Self.xmp("xmp:Rating='4'"))
            #expect(try rating(test, "DCIM/a.jpg") == "4" && rating(test, "DCIM/a.mp4") == "8")
            let thumbnail = try #require(SidecarName(try FileName("a.THM")))
            let owner = try test.library.catalog.read { (database) throws(Errno) in
                try database.asset(of: thumbnail, in: Library.cameraRollNode)
            }
            #expect(owner?.name.description == "a.mp4")
        }
    }

    /// The same base name in another directory is another picture.
    @Test func otherDirectories() throws {
        try withLibrary { test in
            try test.asset("DCIM/d/a.jpg", Picture.jpeg(1))
            try write(test, "DCIM/a.xmp", Self.xmp("xmp:Rating='2'"))
            #expect(try rating(test, "DCIM/d/a.jpg") == nil)
            // The picture comes beside it.
            try test.rename("DCIM/d/a.jpg", "DCIM/a.jpg")
            #expect(try rating(test, "DCIM/a.jpg") == "4")
        }
    }

    @Test func keywordsAreMerged() throws {
        try withLibrary { test in
            let node = try test.asset("DCIM/a.jpg", Picture.jpeg(1))
            try write(
                test, "DCIM/a.xmp", Self.xmp("", subjects: ["one", "two", "Places/Italy/Rome", "x,y", "  ", "/"]))
            #expect(try keywords(test, "DCIM/a.jpg") == ["Rome", "one", "two", "x", "y"])
            try test.library.setExtendedAttribute(
                "user.xdg.tags", of: node.id, to: Array("mine,two".utf8), rule: .createOrReplace)
            let sidecar = try test.node("DCIM/a.xmp")
            let file = try test.library.openFile(of: sidecar, forWriting: true)
            try file.truncate(to: 0)
            try file.write(Self.xmp("", subjects: ["one", "three"]), at: 0)
            test.library.takeUpSidecar(sidecar.id, client: TestLibrary.client)
            #expect(try keywords(test, "DCIM/a.jpg") == ["mine", "three"])
        }
    }

    /// A sidecar and its picture are found by a library that is opened anew, also one that nobody looked at.
    @Test func afterACrash() throws {
        try withLibrary { test in
            try test.asset("DCIM/a.jpg", Picture.jpeg(1))
            _ = try test.write("DCIM/a.xmp", Self.xmp("xmp:Rating='5'"))
            _ = try test.write("DCIM/notes.json", Array("{}".utf8))
            try test.reopen()
            #expect(try rating(test, "DCIM/a.jpg") == nil)
            try test.library.takeUpMissedSidecars()
            #expect(try rating(test, "DCIM/a.jpg") == "10")
            #expect(try test.bytes("DCIM/notes.json") == Array("{}".utf8))
        }
    }

    /// What is on the disk of an asset is on the disk with what its sidecar says: one transaction makes both.
    @Test func oneTransaction() throws {
        try withLibrary { test in
            try write(test, "DCIM/a.xmp", Self.xmp("xmp:Rating='5'"))
            let before = test.library.changeCount
            let made = try test.write("DCIM/a.jpg", Picture.jpeg(1))
            let middle = test.library.changeCount
            guard
                case .asset = try test.library.commitPending(made.node.id, file: made.file, client: TestLibrary.client)
            else { throw HarnessError("no asset") }
            // Each transaction counts twice: making the file, and committing it.
            #expect(middle - before == 2 && test.library.changeCount - middle == 2)
            #expect(try rating(test, "DCIM/a.jpg") == "10")
        }
    }

    @Test func following() throws {
        try withLibrary { test in
            for name in ["a.jpg", "a.mp4"] {
                try test.asset("DCIM/\(name)", name == "a.jpg" ? Picture.jpeg(1) : Generated.movie())
            }
            for name in ["a.xmp", "a.jpg.xmp", "a.thm"] { try write(test, "DCIM/\(name)", Self.xmp("")) }
            try test.rename("DCIM/a.jpg", "DCIM/b.jpg")
            let due = try #require(try test.library.nextSidecarMove())
            #expect(try test.library.moveSidecars(due: due - 1_000_000_000).isEmpty)
            // The other picture of the name comes after.
            try test.rename("DCIM/a.mp4", "DCIM/b.mp4")
            #expect(try test.library.moveSidecars(due: .max).count == 3)
            #expect(try test.names("DCIM") == ["b.jpg", "b.jpg.xmp", "b.mp4", "b.thm", "b.xmp"])
            #expect(try test.library.nextSidecarMove() == nil)
        }
    }

    /// Nothing follows what was moved back, deleted, or edited away meanwhile.
    @Test(arguments: ["back", "deleted", "sidecar moved", "sidecar deleted", "sidecar replaced", "into the trash"])
    func notFollowing(change: String) throws {
        try withLibrary { test in
            try test.asset("DCIM/a.jpg", Picture.jpeg(1))
            try write(test, "DCIM/a.xmp", Self.xmp(""))
            try test.rename("DCIM/a.jpg", change == "into the trash" ? ".Trash-0/files/a.jpg" : "DCIM/b.jpg")
            var expected = ["a.xmp"]
            switch change {
            case "back": try test.rename("DCIM/b.jpg", "DCIM/a.jpg")
            case "deleted": try test.unlink("DCIM/b.jpg")
            case "sidecar moved":
                try test.rename("DCIM/a.xmp", "DCIM/c.xmp")
                expected = ["c.xmp"]
            case "sidecar deleted":
                try test.unlink("DCIM/a.xmp")
                expected = []
            case "sidecar replaced":
                try test.unlink("DCIM/a.xmp")
                try write(test, "DCIM/a.xmp", Self.xmp(""))
            default: break
            }
            #expect(try test.library.moveSidecars(due: .max).isEmpty)
            #expect(try test.names("DCIM").filter { $0.hasSuffix(".xmp") } == expected)
        }
    }
}
