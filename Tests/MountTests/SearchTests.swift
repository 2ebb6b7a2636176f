import Platform
import Support
import Testing

@Suite struct SearchTests {
    private func withPhotos(_ body: (MountedLibrary, (String) throws -> [String]) throws -> Void) throws {
        try withMountedLibrary { roll in
            try require("mkdir", roll.dcim + "/d", roll.root + "/Albums/Sommer")
            try Files.write(Picture.jpeg(1, look: 1, date: "2024:05:17 10:00:00"), to: roll.dcim + "/beach.jpg")
            try Files.write(
                Picture.jpeg(2, look: 2, date: "2023:05:17 10:00:00", model: "Two"), to: roll.dcim + "/d/Beach.jpg")
            try Files.write(Picture.jpeg(3, look: 3), to: roll.dcim + "/Café.jpg")
            try Files.write(Generated.movie(), to: roll.dcim + "/m.mp4")
            try body(roll) { try Files.names(in: "\(roll.root)/Search/\($0)") }
        }
    }

    @Test func words() throws {
        try withPhotos { roll, search in
            #expect(try search("beach") == ["Beach.jpg", "beach.jpg"])
            #expect(try search("BEA") == ["Beach.jpg", "beach.jpg"], "parts of words, in any case")
            #expect(try search("beach camera:two") == ["Beach.jpg"])
            #expect(try search("beach -camera:two") == ["beach.jpg"])
            // Composed and decomposed are one word.
            #expect(try search("caf\u{E9}") == ["Café.jpg"] && search("cafe\u{301}") == ["Café.jpg"])
            #expect(try search("m4") == [] && search("p4") == ["m.mp4"], "short ones too")
            #expect(try search("type:video or camera:two") == ["Beach.jpg", "m.mp4"])
            #expect(try search("after:2023 before:2025 type:photo").contains("beach.jpg"))
            // What changes is found, and what is gone is not, at once.
            try require("mv", roll.dcim + "/beach.jpg", roll.dcim + "/shore.jpg")
            #expect(try search("beach") == ["Beach.jpg"] && search("shore") == ["shore.jpg"])
            try require("cp", roll.dcim + "/shore.jpg", roll.root + "/Albums/Sommer")
            #expect(try search("sommer") == ["shore.jpg"] && search("album:sommer") == ["shore.jpg"])
            #expect(try search("is:unfiled").count == 3)
            try require("mv", roll.root + "/Albums/Sommer", roll.root + "/Albums/Winter")
            #expect(try search("sommer") == [] && search("winter") == ["shore.jpg"])
            try require("setfattr", "-n", "user.xdg.comment", "-v", "a \"quoted\" thought", roll.dcim + "/shore.jpg")
            #expect(try search("thought") == ["shore.jpg"] && search("'\"quoted'") == [])
            try require("rm", roll.dcim + "/shore.jpg")
            #expect(try search("winter") == [] && search("is:deleted") == ["shore.jpg"])
            #expect(try run(Product.command, "find", roll.library, "beach").lines == ["DCIM/d/Beach.jpg"])
        }
    }

    @Test func places() throws {
        try withPhotos { roll, search in
            for (name, place) in [
                ("beach.jpg", "geo:0.01,179.99"), ("d/Beach.jpg", "geo:0.01,-179.99"), ("m.mp4", "geo:89.99,0"),
            ] {
                try require("setfattr", "-n", "user.cameraroll.location", "-v", place, roll.dcim + "/" + name)
            }
            #expect(try search("near:0,180,5km") == ["Beach.jpg", "beach.jpg"], "across the 180th meridian")
            #expect(try search("near:0,-180,5km") == ["Beach.jpg", "beach.jpg"])
            #expect(try search("near:0.01,179.99,100m") == ["beach.jpg"])
            #expect(try search("near:90,120,5km") == ["m.mp4"], "at the pole every meridian is near")
            #expect(try search("near:10,10,5km") == [])
        }
    }

    @Test func theDirectory() throws {
        try withPhotos { roll, search in
            let top = roll.root + "/Search"
            #expect(try Files.names(in: top) == ["README.txt"])
            #expect(try Files.text(top + "/README.txt").contains("camera:"))
            #expect(!Files.exists(top + "/size:nonsense"))
            let events = try Product.json("log", roll.library, as: EventList.self).events
            #expect(
                events.contains { $0.operation == "search" && $0.reason?.contains("column 6") == true }, "\(events)")
            for change in [
                { try Files.write([1], to: top + "/size:x") }, { try Files.write([1], to: top + "/beach/x.jpg") },
                { try Posix.rename(roll.dcim + "/m.mp4", top + "/beach/m.mp4") },
                { try Posix.unlink(top + "/README.txt") },
            ] { #expect(failure(of: change) == .notPermitted) }
            #expect(
                try Files.existing(top + "/beach/beach.jpg").inode == Files.existing(roll.dcim + "/beach.jpg").inode)
            expectSuccess(try run("cp", "-r", top + "/beach", roll.place("out")))
            #expect(try Files.names(in: roll.place("out")) == ["Beach.jpg", "beach.jpg"])
            expectSuccess(try run("ls", "-l", top + "/type:video"))
            try require("rm", top + "/type:video/m.mp4")
            #expect(try roll.trash().map(\.name) == ["m.mp4"])
            // The number of a query's directory is the same every time.
            let before = try Files.existing(top + "/beach").inode
            try roll.remount()
            #expect(try Files.existing(top + "/beach").inode == before)
        }
    }
}
