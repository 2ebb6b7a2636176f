import Platform
import Support
import Testing

/// Sidecars that are copied into albums and the like lie beside their picture in the camera roll.
@Suite struct SidecarViewTests {
    private func withTrip(_ body: (MountedLibrary, _ source: String, _ album: String) throws -> Void) throws {
        try withMountedLibrary { roll in
            let source = roll.place("Trip")
            try Files.makeDirectory(source)
            for number in 1...3 {
                try Files.write(
                    Picture.jpeg(UInt64(number), look: UInt8(number)), to: "\(source)/IMG_\(number).jpg")
                try Sidecar.exifTool(
                    "-XMP:Description=Number \(number)", "-XMP:Rating=\(number)", at: "\(source)/IMG_\(number).xmp")
            }
            try Files.write(Array("x".utf8), to: source + "/IMG_3.aae")
            try require("touch", "-d", "2001-01-01", source)
            // Names that are taken in the camera roll.
            try Files.write(Picture.jpeg(9, look: 9), to: roll.dcim + "/IMG_1.jpg")
            try Files.write(Array("<other/>".utf8), to: roll.dcim + "/IMG_1.xmp")
            try body(roll, source, roll.root + "/Albums/Trip")
        }
    }

    private static let names = [
        "IMG_1.jpg", "IMG_1.xmp", "IMG_2.jpg", "IMG_2.xmp", "IMG_3.aae", "IMG_3.jpg", "IMG_3.xmp",
    ]

    private func expectTrip(_ roll: MountedLibrary, _ source: String, _ album: String) throws {
        // Listed are the pictures; found is everything.
        #expect(try Files.names(in: album) == ["IMG_1.jpg", "IMG_2.jpg", "IMG_3.jpg"])
        for name in Self.names {
            #expect(try Files.sameContents("\(source)/\(name)", "\(album)/\(name)"), "\(name)")
        }
        for number in 1...3 {
            try expectSaid(of: "\(album)/IMG_\(number).jpg", caption: "Number \(number)", rating: "\(number * 2)")
        }
        try expectSettled(
            roll,
            lists: [
                "IMG_1.jpg", "IMG_1.xmp", "IMG_1~1.jpg", "IMG_1~1.xmp", "IMG_2.jpg", "IMG_2.xmp", "IMG_3.aae",
                "IMG_3.jpg",
                "IMG_3.xmp",
            ])
        #expect(try Files.text(roll.dcim + "/IMG_1.xmp") == "<other/>")
        #expect(try roll.pendingFiles().isEmpty)
    }

    @Test(arguments: ["cp -r", "cp -a", "cp sidecars first", "rsync"]) func copyingATree(program: String) throws {
        try withTrip { roll, source, album in
            switch program {
            case "cp -r": try require("cp", "-r", source, roll.root + "/Albums/")
            case "cp -a": try require("cp", "-a", source, roll.root + "/Albums/")
            case "rsync": try require("rsync", "-a", source, roll.root + "/Albums/")
            default:
                try require("mkdir", album)
                for pattern in ["*.xmp", "*.aae", "*.jpg"] {
                    try require("sh", "-c", "cp \"$1\"/\(pattern) \"$2\"", "sh", source, album)
                }
            }
            try expectTrip(roll, source, album)
            let again = try require("rsync", "-ai", source, roll.root + "/Albums/")
            if ["rsync", "cp -a"].contains(program) {
                #expect(again.lines.filter { $0.hasPrefix(">f") } == [], "\(again)")
            }
            try roll.remount()
            try expectTrip(roll, source, album)
            // An album goes without what lies beside its pictures.
            try require("rm", "-r", album)
            #expect(try Files.tree(roll.dcim).count == 9)
        }
    }

    /// A sidecar for a picture that is in the album already, saved by a program that writes to another name first.
    @Test(arguments: ["Albums/A", "Favorites", "Keywords/w"]) func oneSidecar(view: String) throws {
        try withMountedLibrary { roll in
            let directory = "\(roll.root)/\(view)"
            try Files.makeDirectory(roll.dcim + "/100APPLE")
            try Files.write(Picture.jpeg(1), to: roll.dcim + "/100APPLE/a.jpg")
            if view.contains("/") { try require("mkdir", directory) }
            try require("cp", roll.dcim + "/100APPLE/a.jpg", directory + "/")
            let source = roll.place("a.xmp")
            try Sidecar.exifTool("-XMP:Rating=3", at: source)
            try require("cp", source, directory + "/")
            try expectSettled(roll, lists: ["100APPLE/a.jpg", "100APPLE/a.xmp"])
            try expectSaid(of: roll.dcim + "/100APPLE/a.jpg", rating: "6")
            // Of another size: the times may be the same second.
            try Sidecar.exifTool("-XMP:Rating=5", "-XMP:Description=Larger", at: source)
            try require("rsync", "-a", source, directory + "/")
            try expectSettled(roll, lists: ["100APPLE/a.jpg", "100APPLE/a.xmp"])
            try expectSaid(of: "\(directory)/a.jpg", rating: "10")
            #expect(try require("rsync", "-ai", source, directory + "/").stdout == "")
            try require("exiftool", "-q", "-overwrite_original", "-XMP:Rating=1", directory + "/a.xmp")
            try expectSaid(of: roll.dcim + "/100APPLE/a.jpg", rating: "2")
            try require("rm", directory + "/a.xmp")
            try expectSettled(roll, lists: ["100APPLE/a.jpg"])
        }
    }
}
