import Platform
import Support
import Testing

/// Files that tools drop beside photos are kept, never fail, and never become assets.
@Suite struct CompanionFileTests {
    static let names = [
        ".DS_Store", "._x.jpg", "._IMG_0001.MOV", "Thumbs.db", "desktop.ini", ".nomedia", ".directory", ".hidden",
        ".xdg-volume-info", "photo.trashinfo",
    ]

    @Test(arguments: names)
    func keptAsTheyAre(name: String) throws {
        try withMountedLibrary { roll in
            let source = roll.place(name)
            try Files.write(Array("not a picture: \(name)".utf8), to: source)
            try require("cp", source, roll.dcim + "/")
            #expect(try Files.sameContents(source, "\(roll.dcim)/\(name)"))
            // A real picture under such a name is none either.
            try Files.write(Generated.jpeg(), to: "\(roll.dcim)/\(name)")
            #expect(try roll.assets().isEmpty)
            #expect(try roll.pendingFiles().isEmpty)
            try Files.write(Array("again".utf8), to: "\(roll.dcim)/\(name)", append: true)
            let kept = try Files.read("\(roll.dcim)/\(name)")
            try roll.remount()
            #expect(try Files.read("\(roll.dcim)/\(name)") == kept)
            try require("rm", "\(roll.dcim)/\(name)")
            #expect(try Files.names(in: roll.dcim).isEmpty)
            #expect(try roll.trash().isEmpty)
        }
    }

    /// Synology's directories lie beside the photos and hold pictures of its own.
    @Test func synologyDirectories() throws {
        try withMountedLibrary { roll in
            try Files.makeDirectory(roll.dcim + "/@eaDir")
            try Files.makeDirectory(roll.dcim + "/@eaDir/IMG_0001.JPG")
            try Files.write(Array("x".utf8), to: roll.dcim + "/@eaDir/IMG_0001.JPG/SYNOPHOTO_THUMB_M.jpg")
            #expect(try roll.pendingFiles().isEmpty)
            try require("rm", "-r", roll.dcim + "/@eaDir")
        }
    }

    /// The desktop's trash, with what no library knows in it.
    @Test func desktopTrash() throws {
        try withMountedLibrary { roll in
            for name in [".Trash-0", ".Trash-0/info", ".Trash-0/files"] {
                try Files.makeDirectory("\(roll.root)/\(name)")
            }
            try Files.write(Array("[Trash Info]\n".utf8), to: roll.root + "/.Trash-0/info/x.trashinfo")
            #expect(try Files.text(roll.root + "/.Trash-0/info/x.trashinfo") == "[Trash Info]\n")
            try Files.write(Array("no picture".utf8), to: roll.root + "/.Trash-0/files/x")
            #expect(try roll.assets().isEmpty)
            #expect(try roll.pendingFiles().isEmpty)
            try require("rm", "-r", roll.root + "/.Trash-0/files/x")
        }
    }
}
