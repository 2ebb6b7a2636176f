import Platform
import Support
import Testing

/// Favourites, hidden assets, keywords, media types, and the attributes that stand for them.
@Suite struct OrganizationTests {
    private func withPhoto(_ body: (MountedLibrary) throws -> Void) throws {
        try withMountedLibrary { roll in
            try Files.write(Picture.jpeg(1, look: 1, date: "2024:05:17 10:11:12"), to: roll.dcim + "/a.jpg")
            try body(roll)
        }
    }

    private func set(_ name: String, _ value: String, of path: String) throws -> Outcome {
        try run("setfattr", "-n", name, "-v", value, path)
    }

    @Test(arguments: ["Favorites", "Hidden"]) func marks(view: String) throws {
        try withPhoto { roll in
            let directory = "\(roll.root)/\(view)"
            let attribute = view == "Hidden" ? "user.cameraroll.hidden" : "user.cameraroll.favorite"
            for command in [["cp"], ["mv"], ["ln"]] {
                try require(command[0], roll.dcim + "/a.jpg", directory + "/")
                #expect(try Files.names(in: directory) == ["a.jpg"], "\(command)")
                #expect(try Files.names(in: roll.dcim) == ["a.jpg"])
                #expect(try Files.attribute(attribute, of: roll.dcim + "/a.jpg") == "1")
                #expect(try roll.assets(view == "Hidden" ? "is:hidden" : "is:favorite").count == 1)
                try require("rm", directory + "/a.jpg")
                #expect(try Files.names(in: directory) == [])
                #expect(try roll.trash().isEmpty && Files.names(in: roll.dcim) == ["a.jpg"])
            }
            expectSuccess(try set(attribute, "1", of: roll.dcim + "/a.jpg"))
            #expect(try Files.names(in: directory) == ["a.jpg"])
            #expect(try set(attribute, "perhaps", of: roll.dcim + "/a.jpg").stderr.contains("Invalid argument"))
            // A new file made there has the mark.
            let source = roll.place("b.jpg")
            try Files.write(Picture.jpeg(2), to: source)
            expectSuccess(try run("cp", source, directory + "/"))
            try roll.remount()
            #expect(try Files.names(in: directory) == ["a.jpg", "b.jpg"])
            #expect(try Files.names(in: roll.dcim) == ["a.jpg", "b.jpg"])
            #expect(failure { try Posix.makeDirectory(directory + "/d") } == .notPermitted)
        }
    }

    /// Of the views only the camera roll and albums list what is hidden.
    @Test func hiddenIsHidden() throws {
        try withPhoto { roll in
            try require("mkdir", roll.root + "/Albums/A", roll.root + "/Keywords/w")
            for view in ["Albums/A", "Keywords/w", "Favorites"] {
                try require("cp", roll.dcim + "/a.jpg", "\(roll.root)/\(view)")
            }
            try require("mv", roll.dcim + "/a.jpg", roll.root + "/Hidden")
            for view in ["Keywords", "Favorites", "Dates", "Recently Added", "Media Types", "Search/a"] {
                #expect(try Files.tree("\(roll.root)/\(view)") == [], "\(view)")
            }
            for view in ["DCIM", "Albums/A", "Hidden", "Search/is:hidden"] {
                #expect(try Files.tree("\(roll.root)/\(view)") == ["a.jpg"], "\(view)")
            }
        }
    }

    @Test func keywords() throws {
        try withPhoto { roll in
            let words = roll.root + "/Keywords"
            #expect(try run("cp", roll.dcim + "/a.jpg", words).status == 1)
            expectSuccess(try set("user.xdg.tags", "sea, sun,sea", of: roll.dcim + "/a.jpg"))
            #expect(try Files.tree(words) == ["sea/a.jpg", "sun/a.jpg"])
            try require("mkdir", words + "/moon")
            try require("cp", roll.dcim + "/a.jpg", words + "/moon")
            #expect(try Files.attribute("user.xdg.tags", of: roll.dcim + "/a.jpg") == "moon,sea,sun")
            try require("rm", words + "/moon/a.jpg")
            try require("mv", words + "/sea/a.jpg", words + "/moon/")
            #expect(try Files.attribute("user.xdg.tags", of: roll.dcim + "/a.jpg") == "moon,sun")
            try require("mv", words + "/sun", words + "/sunshine")
            #expect(try Files.attribute("user.xdg.tags", of: roll.dcim + "/a.jpg") == "moon,sunshine")
            #expect(failure { try Posix.removeDirectory(words + "/moon") } == .notEmpty)
            try require("rm", "-r", words + "/moon")
            #expect(try Files.attribute("user.xdg.tags", of: roll.dcim + "/a.jpg") == "sunshine")
            #expect(try Files.names(in: roll.dcim) == ["a.jpg"])
            #expect(try roll.assets("keyword:Sunshine").count == 1 && roll.assets("keyword:sun").isEmpty)
            #expect(failure { try Posix.makeDirectory(words + "/sunshine/x") } == .notPermitted)
            let source = roll.place("b.jpg")
            try Files.write(Picture.jpeg(2), to: source)
            expectSuccess(try run("rsync", "-a", source, words + "/sunshine/"))
            #expect(try Files.names(in: words + "/sunshine") == ["a.jpg", "b.jpg"])
            #expect(try set("user.xdg.tags", "a/b", of: roll.dcim + "/a.jpg").stderr.contains("Invalid argument"))
            expectSuccess(try run("setfattr", "-x", "user.xdg.tags", roll.dcim + "/a.jpg"))
            #expect(try Files.names(in: words + "/sunshine") == ["b.jpg"])
        }
    }

    @Test func attributes() throws {
        try withPhoto { roll in
            let path = roll.dcim + "/a.jpg"
            for (name, good, bad) in [
                ("user.baloo.rating", ["0", "10"], ["11", "-1", "x", "1.5"]),
                ("user.xdg.comment", ["At the sea, with Ünal"], []),
                (
                    "user.cameraroll.captured", ["2020-02-28T23:30:00+02:00"],
                    ["2020-02-30T00:00:00Z", "yesterday", ""]
                ),
                ("user.cameraroll.location", ["geo:48.1,11.5", "geo:-90,180,12"], ["geo:91,0", "geo:1", "48,11"]),
            ] {
                for value in good { expectSuccess(try set(name, value, of: path)) }
                for value in bad {
                    #expect(try set(name, value, of: path).stderr.contains("Invalid argument"), "\(name) \(value)")
                }
            }
            for name in ["id", "url", "type", "state", "sha256", "edited", "nonsense"] {
                #expect(
                    try set("user.cameraroll." + name, "1", of: path).stderr.contains("Operation not permitted"))
            }
            #expect(try Files.tree(roll.root + "/Dates") == ["2020/2020-02/2020-02-28/a.jpg"])
            #expect(try Files.attribute("user.cameraroll.location", of: path) == "geo:-90.0,180.0")
            // Programs that copy attributes take along what people said, and no more.
            let out = roll.place("out.jpg")
            try require("cp", "-a", path, out)
            #expect(try Files.attribute("user.xdg.comment", of: out) == "At the sea, with Ünal")
            #expect(
                try run("getfattr", out).lines.filter { $0.hasPrefix("user.") } == [
                    "user.baloo.rating", "user.xdg.comment",
                ])
            // And bring it: set before the close, of a file that is no asset yet.
            try Files.write(Picture.jpeg(2), to: out)
            expectSuccess(try set("user.xdg.tags", "brought", of: out))
            try require("cp", "-a", out, roll.dcim + "/b.jpg")
            #expect(try Files.names(in: roll.root + "/Keywords/brought") == ["b.jpg"])
            #expect(try Files.attribute("user.xdg.comment", of: roll.dcim + "/b.jpg") == "At the sea, with Ünal")
            #expect(try roll.assets("rating:10").count == 2)
        }
    }

    /// An asset in three albums, favourite, with keywords, edited, then deleted and restored: all of it is back.
    @Test func everythingComesBack() throws {
        try withPhoto { roll in
            let path = roll.dcim + "/a.jpg"
            for album in ["A", "B", "C"] {
                try require("mkdir", "\(roll.root)/Albums/\(album)")
                try require("cp", path, "\(roll.root)/Albums/\(album)/")
            }
            try require("cp", path, roll.root + "/Favorites")
            expectSuccess(try set("user.xdg.tags", "v,w,x,y,z", of: path))
            let edited = Picture.jpeg(2, look: 2, date: "2024:05:17 10:11:12")
            try Files.write(edited, to: path)
            func everything() throws -> [String] {
                try ["Albums", "Favorites", "Keywords", "Originals", "DCIM"].flatMap { view in
                    try Files.tree("\(roll.root)/\(view)").map { "\(view)/\($0)" }
                }
            }
            let before = try everything()
            #expect(before.count == 11)
            try require("rm", path)
            #expect(try everything() == [])
            try roll.remount()
            try require("mv", roll.root + "/Recently Deleted/a.jpg", roll.dcim)
            #expect(try everything() == before)
            #expect(try Files.read(path) == edited)
            #expect(
                try Files.read(roll.root + "/Originals/a.jpg") == Picture.jpeg(1, look: 1, date: "2024:05:17 10:11:12"))
        }
    }

    @Test func mediaTypes() throws {
        try withPhoto { roll in
            let types = roll.root + "/Media Types"
            try Files.write(Generated.movie(), to: roll.dcim + "/m.mp4")
            #expect(try Files.tree(types) == ["Videos/m.mp4"])
            #expect(try Files.names(in: types).contains("Live Photos"))
            for change in [
                { try Files.write([], to: types + "/Videos/x.mp4") }, { try Posix.makeDirectory(types + "/x") },
                { try Posix.rename(roll.dcim + "/a.jpg", types + "/Videos/a.jpg") },
                { try Posix.removeDirectory(types + "/Videos") },
            ] { #expect(failure(of: change) == .notPermitted) }
            try require("rm", types + "/Videos/m.mp4")
            #expect(try Files.names(in: roll.dcim) == ["a.jpg"] && roll.trash().map(\.name) == ["m.mp4"])
        }
    }

    /// A file without a date that is made in a day's directory was taken that day.
    @Test func madeOnADay() throws {
        try withPhoto { roll in
            let day = roll.root + "/Dates/2024/2024-05/2024-05-17"
            let source = roll.place("b.jpg")
            try Files.write(Picture.jpeg(2), to: source)
            expectSuccess(try run("cp", source, day + "/"))
            #expect(try Files.names(in: day) == ["a.jpg", "b.jpg"])
            // One that says when it was taken lies there.
            try Files.write(Picture.jpeg(3, date: "1999:12:31 10:00:00"), to: source)
            expectSuccess(try run("cp", source, day + "/c.jpg"))
            #expect(try Files.tree(roll.root + "/Dates").contains("1999/1999-12/1999-12-31/c.jpg"))
            #expect(try Files.names(in: day) == ["a.jpg", "b.jpg"])
            #expect(failure { try Files.write([], to: roll.root + "/Dates/2024/x.jpg") } == .notPermitted)
        }
    }
}
