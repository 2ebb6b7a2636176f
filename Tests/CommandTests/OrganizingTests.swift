import Foundation
import PhotoLibrary
import Platform
import Support
import Testing

/// Albums, favorites, keywords and hiding, by the built command on libraries that are not mounted.
@Suite(.serialized) struct OrganizingTests {
    private struct Albums: Decodable {
        struct Album: Decodable {
            var id: String
            var path: String
            var count: Int
            var modified: String
        }
        var albums: [Album]
    }
    private struct Keywords: Decodable {
        struct Keyword: Decodable {
            var name: String
            var count: Int
        }
        var keywords: [Keyword]
    }

    private func expect(
        _ words: [String], _ status: Int32 = 0, _ mention: String = "", location: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try Support.run(Product.command, arguments: words)
        #expect(outcome.status == status, "\(outcome)", sourceLocation: location)
        #expect(mention.isEmpty || outcome.stderr.contains(mention), "\(outcome)", sourceLocation: location)
        #expect(outcome.stderr.isEmpty == (status == 0), "\(outcome)", sourceLocation: location)
    }

    @Test func albums() throws {
        try withTestLibrary { test in
            let library = test.path
            func list() throws -> [String] {
                try Product.json("album", library, "list", as: Albums.self).albums.map { "\($0.path) \($0.count)" }
            }
            for path in ["a.jpg", "d/a.jpg", "d/e/b.jpg"] { try test.add(Generated.jpeg(), path) }
            try expect(["album", library, "create", "Trips/Rome", "Home"])
            try expect(["album", library, "create", "Home"], 9, "already")
            try expect(["album", library, "add", "Trips/Rome", "DCIM/a.jpg", library + "/DCIM/d"])
            // Another picture of that name; the same one twice is there once.
            try expect(["album", library, "add", "Albums/Trips/Rome", "DCIM/a.jpg"])
            #expect(try list() == ["Home 0", "Trips 0", "Trips/Rome 3"])
            #expect(
                try test.library.entry(FileName("a~1.jpg"), inAlbum: albumNode(["Trips", "Rome"], test))?.node.id
                    == test.library.node(atPath: "DCIM/d/a.jpg")?.id)
            // By the name that the album gives it.
            try expect(["favorite", library + "/Albums/Trips/Rome/a~1.jpg"])
            #expect(try Product.run("find", library, "is:favorite").lines == ["DCIM/d/a.jpg"])
            try expect(["album", library, "remove", "Trips/Rome", "DCIM/d/a.jpg"])
            try expect(["album", library, "remove", "Trips/Rome", "DCIM/d/a.jpg"])
            #expect(try list() == ["Home 0", "Trips 0", "Trips/Rome 2"])
            try expect(["album", library, "rename", "Trips/Rome", "Home/Roma"])
            try expect(["album", library, "rename", "Home", "Home/Roma/Inside"], 9, "itself")
            try expect(["album", library, "rename", "None", "Other"], 6, "None")
            try expect(["album", library, "rename", "Trips", "None/Other"], 6, "None/Other")
            try expect(["album", library, "rename", "Trips", "Home"], 9, "already")
            #expect(try list() == ["Home 0", "Home/Roma 2", "Trips 0"])
            try expect(["album", library, "delete", "Home"], 9, "holds albums")
            try expect(["album", library, "delete", "Home/Roma"])
            try expect(["album", library, "delete", "Home/Roma"], 6)
            #expect(try list() == ["Home 0", "Trips 0"])
            #expect(try Product.run("find", library).lines.count == 3)
            try expect(["album", library, "add", "Home", "DCIM/none.jpg"], 6, "none.jpg")
            try expect(["album", library, "add", "Home", "DCIM/none.jpg", "DCIM/a.jpg"], 1, "none.jpg")
            try expect(["album", library, "add", "None", "DCIM/a.jpg"], 6, "None")
            try expect(["album", library, "add", "Home"], 2)
            try expect(["album", library, "frobnicate", "Home"], 2, "frobnicate")
            try expect(["album", library, "create", "a\u{7}"], 2)
            try expect(["album", library, "create", "x", "--json"], 2)
            #expect(try list() == ["Home 1", "Trips 0"])
            #expect(try LibraryInvariants.problems(in: library).isEmpty)
        }
    }

    private func albumNode(_ names: [String], _ test: TestLibrary) throws -> UInt64 {
        var parent: UInt64 = 0
        for name in names { parent = try #require(try test.library.album(named: FileName(name), in: parent)).id }
        return parent
    }

    @Test func marks() throws {
        try withTestLibrary { test in
            let library = test.path
            for path in ["a.jpg", "d/b.jpg", "d/e/c.jpg"] { try test.add(Generated.jpeg(), path) }
            func found(_ query: String) throws -> [String] { try Product.run("find", library, query).lines }
            try expect(["favorite", library + "/DCIM/a.jpg", library + "/DCIM/d"])
            #expect(try found("is:favorite").count == 3)
            try expect(["favorite", "--off", library + "/DCIM/d/e"])
            #expect(try found("is:favorite") == ["DCIM/a.jpg", "DCIM/d/b.jpg"])
            try expect(["hide", library + "/DCIM/d"])
            #expect(try found("is:hidden") == ["DCIM/d/b.jpg", "DCIM/d/e/c.jpg"])
            try expect(["hide", library + "/DCIM/d", "--off"])
            #expect(try found("is:hidden") == [])
            try expect(["favorite", library + "/DCIM/none"], 6, "none")
            try expect(["favorite", "/etc/hostname"], 6, "neither")
            try expect(["favorite", "/etc/hostname", library + "/DCIM/d/e/c.jpg"], 1, "neither")
            #expect(try found("is:favorite").count == 3)
            try expect(["favorite"], 2)
            // Of two libraries at once, from inside a directory.
            try Library.create(at: test.place("second"))
            _ = try Product.run("import", test.place("second"), "\(Product.command)")
            try Files.write(Generated.jpeg(), to: test.place("x.jpg"))
            try require(Product.command, "import", test.place("second"), test.place("x.jpg"))
            let both = try run(
                Product.command, "favorite", "second/DCIM/x.jpg", "library/DCIM/a.jpg", "--off", cwd: test.place.path)
            #expect(both.status == 0, "\(both)")
            #expect(try found("is:favorite") == ["DCIM/d/b.jpg", "DCIM/d/e/c.jpg"])
        }
    }

    @Test func keywords() throws {
        try withTestLibrary { test in
            let library = test.path
            for path in ["a.jpg", "d/b.jpg"] { try test.add(Generated.jpeg(), path) }
            func list() throws -> [String] {
                try Product.json("keyword", library, "list", as: Keywords.self).keywords.map {
                    "\($0.name) \($0.count)"
                }
            }
            try expect(["keyword", library, "add", "Sea side", "DCIM/a.jpg", "DCIM/d"])
            try expect(["keyword", library, "add", "sun", library + "/DCIM/a.jpg"])
            #expect(try list() == ["Sea side 2", "sun 1"])
            #expect(try Product.run("keyword", library).lines == ["Sea side  2", "sun       1"])
            #expect(try Product.run("find", library, "keyword:sun").lines == ["DCIM/a.jpg"])
            try expect(["keyword", library, "remove", "sun"], 9, "sun")
            try expect(["keyword", library, "remove", "sun", "DCIM/a.jpg"])
            try expect(["keyword", library, "remove", "sun"])
            #expect(try list() == ["Sea side 2"])
            try expect(["keyword", library, "remove", "sun"], 6, "sun")
            try expect(["keyword", library, "remove", "sun", "DCIM/a.jpg"], 6, "sun")
            try expect(["keyword", library, "add", "a,b", "DCIM/a.jpg"], 2, "comma")
            try expect(["keyword", library, "add", "sun"], 2)
            try expect(["keyword", library, "add", "sun", "DCIM/none"], 6, "none")
            #expect(try LibraryInvariants.problems(in: library).isEmpty)
        }
    }
}
