import Platform
import Support
import Testing

/// Programs that change a picture in place: it stays the asset that it was, wherever it was put, and its original is kept.
@Suite struct EditorTests {
    struct Editor: CustomStringConvertible {
        let description: String
        /// For a shell in `DCIM`; the picture is `x.jpg`, `$dir` an ordinary directory.
        let command: String
        /// What else lies beside the picture afterwards.
        var leaves: [String] = []
        /// Where the program is to be found; nil for what the tests cannot do without.
        var optional: String?
    }

    static let editors = [
        Editor(
            description: "exiftool -overwrite_original",
            command: "exiftool -q -overwrite_original -AllDates+=1:30 x.jpg"),
        Editor(
            description: "exiftool", command: "exiftool -q -AllDates-=2:0 x.jpg", leaves: ["x.jpg_original"]),
        Editor(
            description: "exiftool -overwrite_original_in_place",
            command: "exiftool -q -overwrite_original_in_place -Artist=Me x.jpg"),
        Editor(description: "exiv2", command: "exiv2 -M 'set Exif.Image.Artist Me' x.jpg"),
        Editor(description: "mogrify", command: "mogrify -rotate 90 x.jpg"),
        Editor(description: "jpegoptim", command: "jpegoptim -q -m 20 x.jpg"),
        Editor(description: "convert", command: "convert x.jpg -negate x.jpg"),
        Editor(
            description: "ffmpeg and mv",
            command: "ffmpeg -v error -i x.jpg -vf negate $dir/out.jpg && exiftool -q -overwrite_original"
                + " -TagsFromFile x.jpg $dir/out.jpg && mv $dir/out.jpg x.jpg"),
        Editor(
            description: "with a backup's name", command: "mv x.jpg x.jpg.bak && convert x.jpg.bak -flip x.jpg",
            leaves: ["x.jpg.bak"]),
        Editor(
            description: "gimp",
            command: """
                gimp -i -d -f -c -b '(let* ((image (car (gimp-file-load RUN-NONINTERACTIVE "x.jpg" "x.jpg")))
                  (drawable (car (gimp-image-get-active-drawable image))))
                  (gimp-drawable-invert drawable FALSE)
                  (gimp-file-save RUN-NONINTERACTIVE image drawable "x.jpg" "x.jpg"))' -b '(gimp-quit 0)'
                """, optional: "gimp"),
        Editor(
            description: "darktable-cli",
            command: "darktable-cli x.jpg $dir/out.jpg --core --configdir $dir/darktable && cp $dir/out.jpg x.jpg",
            optional: "darktable-cli"),
    ]

    /// A library with the picture `x.jpg` in two albums, a favourite with two keywords.
    private func withPicture(_ body: (MountedLibrary, String, [UInt8]) throws -> Void) throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/x.jpg"
            let bytes = try Generated.photo(at: roll.place("x.jpg"), date: "2024:05:17 10:00:00", scene: 1)
            try require("cp", roll.place("x.jpg"), path)
            for album in ["One", "Two"] {
                try require("mkdir", "\(roll.root)/Albums/\(album)")
                try require("ln", path, "\(roll.root)/Albums/\(album)/")
            }
            try require("ln", path, roll.root + "/Favorites/")
            try require("setfattr", "-n", "user.xdg.tags", "-v", "sea,sun", path)
            try body(roll, path, bytes)
        }
    }

    private func places(_ roll: MountedLibrary) throws -> [String] {
        try ["Albums", "Favorites", "Keywords", "Originals"].flatMap { view in
            try Files.tree("\(roll.root)/\(view)").map { "\(view)/\($0)" }
        }
    }

    private static let places = [
        "Albums/One/x.jpg", "Albums/Two/x.jpg", "Favorites/x.jpg", "Keywords/sea/x.jpg", "Keywords/sun/x.jpg",
    ]

    private static func isThere(_ program: String) -> Bool {
        let isThere = (try? run("sh", "-c", "command -v \(program)").succeeded) == true
        if !isThere { print("\(program) is not installed: what it does to a picture is not tested.") }
        return isThere
    }

    @Test(arguments: editors) func inPlace(editor: Editor) throws {
        if let program = editor.optional, !Self.isThere(program) { return }
        try withPicture { roll, path, bytes in
            let id = try Files.attribute("user.cameraroll.id", of: path)
            let outcome = try run(
                "sh", "-c", editor.command, cwd: roll.dcim,
                environment: ["dir": roll.place.path, "HOME": roll.place.path])
            expectSuccess(outcome)
            #expect(try Files.names(in: roll.dcim) == ["x.jpg"] + editor.leaves, "\(outcome)")
            #expect(try Files.read(path) != bytes)
            #expect(try Files.attribute("user.cameraroll.id", of: path) == id)
            #expect(try Files.attribute("user.cameraroll.edited", of: path) == "1")
            #expect(try places(roll) == Self.places + ["Originals/x.jpg"])
            #expect(try Files.read(roll.root + "/Originals/x.jpg") == bytes)
            let edited = try Files.read(path)
            #expect(try Files.read(roll.root + "/Albums/Two/x.jpg") == edited)
            for backup in editor.leaves {
                #expect(try Files.read("\(roll.dcim)/\(backup)") == bytes)
                #expect(try Files.attribute("user.cameraroll.id", of: "\(roll.dcim)/\(backup)") != id)
            }
            #expect(try roll.assets().count == 1 + editor.leaves.count)
            #expect(try roll.pendingFiles().isEmpty)
            try roll.remount()
            #expect(try LibraryInvariants.problems(in: roll.library) == [])
            #expect(try Files.read(path) == edited)

            // The original's bytes written back: the edit is gone, byte for byte.
            expectSuccess(try run("cp", roll.root + "/Originals/x.jpg", path))
            #expect(try Files.read(path) == bytes)
            #expect(try Files.attribute("user.cameraroll.id", of: path) == id)
            #expect(try Files.attribute("user.cameraroll.edited", of: path) == "0")
            #expect(try places(roll) == Self.places)
        }
    }

    /// Edited again and again with backups, as people work: one asset, its first bytes the original.
    @Test func againAndAgain() throws {
        try withPicture { roll, path, bytes in
            let id = try Files.attribute("user.cameraroll.id", of: path)
            for command in ["mogrify -flip x.jpg", "exiftool -q -Artist=Me x.jpg", "mogrify -flop x.jpg"] {
                expectSuccess(try run("sh", "-c", command, cwd: roll.dcim))
                #expect(try Files.attribute("user.cameraroll.id", of: path) == id, "\(command)")
                #expect(try Files.read(roll.root + "/Originals/x.jpg") == bytes, "\(command)")
                #expect(try places(roll) == Self.places + ["Originals/x.jpg"])
            }
            #expect(try Files.names(in: roll.dcim) == ["x.jpg", "x.jpg_original"])
            // exiftool's way back: the backup is renamed over the picture.
            expectSuccess(try run("mv", "x.jpg_original", "x.jpg", cwd: roll.dcim))
            #expect(try Files.attribute("user.cameraroll.id", of: path) == id)
            #expect(try Files.names(in: roll.dcim) == ["x.jpg"])
            #expect(try LibraryInvariants.problems(in: roll.library) == [])
        }
    }

    /// A name that is given away and taken by another picture is no edit.
    @Test func anotherPictureUnderTheOldName() throws {
        try withPicture { roll, path, bytes in
            let id = try Files.attribute("user.cameraroll.id", of: path)
            let other = try Generated.photo(at: roll.place("y.jpg"), date: "2020:01:01 10:00:00", scene: 2)
            for name in ["x.jpg.old", "elsewhere.jpg"] {
                try require("mv", path, "\(roll.dcim)/\(name)")
                expectSuccess(try run("cp", roll.place("y.jpg"), path))
                #expect(try Files.read(path) == other)
                #expect(try Files.attribute("user.cameraroll.id", of: path) != id)
                #expect(try Files.attribute("user.cameraroll.id", of: "\(roll.dcim)/\(name)") == id)
                #expect(try Files.read("\(roll.dcim)/\(name)") == bytes)
                #expect(try Files.tree(roll.root + "/Originals") == [])
                try require("rm", path)
                try require("mv", "\(roll.dcim)/\(name)", path)
            }
            #expect(try Files.attribute("user.cameraroll.id", of: path) == id)
        }
    }

    /// Ten different pictures over one name: all are kept, each under a name.
    @Test(arguments: ["cp", "mv"]) func differentPicturesOverOneName(command: String) throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/x.jpg"
            var pictures: [[UInt8]] = []
            for number in 0..<10 {
                let bytes = Picture.jpeg(
                    UInt64(number), look: UInt8(number), date: "202\(number):05:17 10:00:00", model: "M\(number)")
                pictures.append(bytes)
                try Files.write(bytes, to: roll.place("new.jpg"))
                expectSuccess(try run(command, roll.place("new.jpg"), path))
                #expect(try Files.read(path) == bytes)
            }
            let names = try Files.names(in: roll.dcim)
            #expect(names == ["x.jpg"] + (1...9).map { "x~\($0).jpg" })
            for (number, name) in names.dropFirst().enumerated() {
                #expect(try Files.read("\(roll.dcim)/\(name)") == pictures[number], "\(name)")
            }
            #expect(try roll.assets().count == 10)
            #expect(try roll.trash().isEmpty && roll.pendingFiles().isEmpty)
            #expect(try Files.tree(roll.root + "/Originals") == [])
        }
    }

    /// vim saves by renaming the old file aside. A file with its own attributes beside a picture: both stay what they are.
    @Test func vimOnWhatLiesBeside() throws {
        try withPicture { roll, path, bytes in
            let sidecar = roll.dcim + "/x.xmp"
            try require("exiftool", "-q", "-o", roll.place("x.xmp"), "-XMP-dc:Title=Before", roll.place("x.jpg"))
            try require("cp", roll.place("x.xmp"), sidecar)
            try require("setfattr", "-n", "user.note", "-v", "mine", sidecar)
            let before = try places(roll)
            for copies in ["yes", "no"] {
                expectSuccess(
                    try run(
                        "vim", "-es", "-u", "NONE", "-c", "set backup backupskip= backupcopy=\(copies)", "-c",
                        "%s/Before/After \(copies)/e", "-c", "%s/After yes/After \(copies)/e", "-c", "wq", sidecar,
                        environment: ["HOME": roll.place.path]))
                #expect(try Files.text(sidecar).contains("After \(copies)"))
            }
            #expect(try Files.names(in: roll.dcim) == ["x.jpg", "x.xmp", "x.xmp~"])
            #expect(try Files.text(sidecar + "~").contains("After yes"))
            #expect(try Files.read(path) == bytes)
            #expect(try places(roll) == before)
            #expect(try roll.assets().count == 1)
        }
    }
}
