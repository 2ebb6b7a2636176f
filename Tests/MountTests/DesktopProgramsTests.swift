import Platform
import Support
import Testing

/// What file managers of the desktop do, by the library they share (GIO).
@Suite struct DesktopProgramsTests {
    @Test func gioCopyAndMove() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            try WriterProgramsTests.makeSource(source)
            try Files.setTimes(source, to: TimeTests.old)
            expectSuccess(try run("gio", "copy", "-p", source, roll.dcim + "/copied.jpg"))
            try expectAsset(roll.dcim + "/copied.jpg", holding: source)
            expectSuccess(try run("gio", "move", roll.dcim + "/copied.jpg", roll.dcim + "/moved.jpg"))
            try expectAsset(roll.dcim + "/moved.jpg", holding: source)

            let second = roll.place("second.jpg")
            try WriterProgramsTests.makeSource(second)
            let bytes = try Files.read(second)
            expectSuccess(try run("gio", "move", second, roll.dcim + "/second.jpg"))
            #expect(!Files.exists(second))
            #expect(try Files.read(roll.dcim + "/second.jpg") == bytes)
            expectSuccess(try run("gio", "mkdir", roll.dcim + "/directory"))
            expectSuccess(try run("gio", "move", roll.dcim + "/second.jpg", roll.dcim + "/directory/"))
            try expectLibrary(roll, lists: ["directory/second.jpg", "moved.jpg"], assets: 2)
            // A file manager asks what it is before it shows it.
            let info = try require(
                "gio", "info", "-a", "standard::content-type,standard::size,id::file", roll.dcim + "/moved.jpg")
            #expect(info.stdout.contains("image/jpeg"))
        }
    }

    /// Over another version of the same picture: an edit. Over another picture: that one steps aside.
    @Test func gioCopyOverAnExistingFile() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            let path = roll.dcim + "/IMG_0001.JPG"
            let original = try Generated.photo(at: source, date: "2024:05:17 10:00:00")
            expectSuccess(try run("gio", "copy", source, path))
            let asset = try #require(try roll.assets().first)

            try require("exiftool", "-q", "-overwrite_original", "-Comment=edited", source)
            expectSuccess(try run("gio", "copy", source, path))
            try expectAsset(path, holding: source)
            try expectLibrary(roll, lists: ["IMG_0001.JPG"], assets: 1)
            #expect(try roll.assets().first?.id == asset.id)
            #expect(try roll.assets().first?.edited == true)
            let edited = try Files.read(source)

            try Generated.photo(at: source, date: "2020:01:01 12:00:00", model: "Two", scene: 1)
            expectSuccess(try run("gio", "copy", source, path))
            try expectAsset(path, holding: source)
            try expectLibrary(roll, lists: ["IMG_0001.JPG", "IMG_0001~1.JPG"], assets: 2)
            #expect(try Files.read(roll.dcim + "/IMG_0001~1.JPG") == edited)
            #expect(edited != original)
        }
    }

    @Test func gioSavesByReplacing() throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/saved.jpg"
            let bytes = Generated.jpeg()
            expectSuccess(try run("gio", "save", path, stdin: bytes))
            #expect(try Files.read(path) == bytes)
            let edited = bytes + Array("more".utf8)
            expectSuccess(try run("gio", "save", path, stdin: edited))
            #expect(try Files.read(path) == edited)
            try expectLibrary(roll, lists: ["saved.jpg"], assets: 1)
        }
    }

    /// A file manager's Delete: the asset shows in the desktop's trash and in Recently Deleted, and comes back from either.
    @Test func gioTrash() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            try WriterProgramsTests.makeSource(source)
            try require("cp", source, roll.dcim + "/a.jpg")
            let id = try roll.assets().first?.id
            let outcome = try run("gio", "trash", roll.dcim + "/a.jpg")
            expectSuccess(outcome)
            #expect(!Files.exists(roll.dcim + "/a.jpg"))
            #expect(try roll.assets().isEmpty)
            #expect(try roll.trash().map(\.name) == ["a.jpg"])
            #expect(try Files.names(in: roll.root + "/Recently Deleted") == ["a.jpg"])
            #expect(try Files.sameContents(source, roll.root + "/.Trash-0/files/a.jpg"))
            #expect(try Files.text(roll.root + "/.Trash-0/info/a.jpg.trashinfo").contains("Path="))

            try roll.remount()
            #expect(try Files.names(in: roll.root + "/.Trash-0/files") == ["a.jpg"])
            expectSuccess(try run("mv", roll.root + "/.Trash-0/files/a.jpg", roll.dcim + "/a.jpg"))
            try expectAsset(roll.dcim + "/a.jpg", holding: source)
            try expectLibrary(roll, lists: ["a.jpg"], assets: 1)
            #expect(try roll.assets().first?.id == id)
            #expect(try roll.trash().isEmpty)
            #expect(try Files.names(in: roll.root + "/.Trash-0/files").isEmpty)

            // A file manager takes its own record away with the file.
            expectSuccess(try run("rm", roll.root + "/.Trash-0/info/a.jpg.trashinfo"))

            // Emptying the desktop's trash deletes for good.
            expectSuccess(try run("gio", "trash", roll.dcim + "/a.jpg"))
            expectSuccess(try run("rm", roll.root + "/.Trash-0/files/a.jpg"))
            #expect(try roll.trash().isEmpty)
            #expect(try Files.names(in: roll.root + "/Recently Deleted").isEmpty)
        }
    }
}
