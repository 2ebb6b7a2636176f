import Platform
import Support
import Testing

/// A sidecar changes what its writer may change, and tells nobody of what he may not see.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, to make users")) struct SidecarAccessTests {
    private static let caption = "Only for those who may"

    private func withGuest(
        _ level: [String], _ body: (MountedLibrary, TestUser, _ sidecar: String, _ photo: String) throws -> Void
    ) throws {
        try Machine.withUser("sidecar") { guest in
            try withMountedLibrary(MountOptions(options: ["allow_other"])) { roll in
                try Posix.setMode(roll.dcim, 0o777)
                let sidecar = roll.place("a.xmp")
                try Sidecar.exifTool("-XMP:Description=\(Self.caption)", "-XMP:Rating=5", at: sidecar)
                let photo = roll.place("a.jpg")
                try Files.write(Picture.jpeg(1, look: 1), to: photo)
                for path in [sidecar, photo] { try Posix.setMode(path, 0o644) }
                try Posix.setMode(roll.place.path, 0o755)
                let outcome = try run(
                    Product.command,
                    arguments: ["authorization", roll.library, level[0], "user:\(guest.name)"] + level.dropFirst())
                guard outcome.succeeded else { throw HarnessError(outcome.description) }
                try body(roll, guest, sidecar, photo)
            }
        }
    }

    /// One who may only add changes nothing of others by a sidecar, and what is his own.
    @Test func addOnly() throws {
        try withGuest(["allow", "--level", "add-only"]) { roll, guest, sidecar, photo in
            try require("cp", photo, roll.dcim + "/")
            try Posix.setMode(roll.dcim + "/a.jpg", 0o666)
            expectSuccess(try run("cp", sidecar, roll.dcim + "/", user: guest))
            try expectSaid(of: roll.dcim + "/a.jpg", caption: "", rating: "")
            #expect(try Files.sameContents(sidecar, roll.dcim + "/a.xmp"))
            // His own picture, whichever comes first.
            try Files.write(Picture.jpeg(2, look: 2), to: photo)
            for order in [["b.xmp", "b.jpg"], ["c.jpg", "c.xmp"]] {
                for name in order {
                    let source = name.hasSuffix("xmp") ? sidecar : photo
                    if name == "c.jpg" { try Files.write(Picture.jpeg(3, look: 3), to: photo) }
                    expectSuccess(try run("cp", source, "\(roll.dcim)/\(name)", user: guest))
                }
            }
            for name in ["b.jpg", "c.jpg"] { try expectSaid(of: "\(roll.dcim)/\(name)", caption: Self.caption) }
        }
    }

    /// A sidecar that waits for a picture of somebody else says nothing of it, in either direction.
    @Test func waitingSidecars() throws {
        try withGuest(["allow", "--level", "add-only"]) { roll, guest, sidecar, photo in
            // The guest's waits for root's picture.
            expectSuccess(try run("cp", sidecar, roll.dcim + "/a.xmp", user: guest))
            try require("cp", photo, roll.dcim + "/a.jpg")
            try Posix.setMode(roll.dcim + "/a.jpg", 0o666)
            try expectSaid(of: roll.dcim + "/a.jpg", caption: "", rating: "")
            // Root's waits for the guest's picture, of which the guest would learn what it says.
            try require("cp", sidecar, roll.dcim + "/b.xmp")
            try Files.write(Picture.jpeg(2, look: 2), to: photo)
            expectSuccess(try run("cp", photo, roll.dcim + "/b.jpg", user: guest))
            let told = try run("getfattr", "-d", roll.dcim + "/b.jpg", user: guest)
            #expect(!told.stdout.contains(Self.caption), "\(told)")
            // Renaming its own picture beside one does not tell either, nor take it along.
            try require("cp", sidecar, roll.dcim + "/c.xmp")
            expectSuccess(try run("mv", roll.dcim + "/b.jpg", roll.dcim + "/c.jpg", user: guest))
            expectSuccess(try run("mv", roll.dcim + "/c.jpg", roll.dcim + "/d.jpg", user: guest))
            #expect(!(try run("getfattr", "-d", roll.dcim + "/d.jpg", user: guest).stdout.contains(Self.caption)))
            try roll.remount()
            #expect(Set(try Files.names(in: roll.dcim)) == ["a.jpg", "a.xmp", "b.xmp", "c.xmp", "d.jpg"])
        }
    }

    /// The kernel's permissions hold as for an attribute: what is read-only for a user stays as it is.
    @Test func permissions() throws {
        try withGuest(["allow"]) { roll, guest, sidecar, photo in
            try require("cp", photo, roll.dcim + "/")
            expectSuccess(try run("cp", sidecar, roll.dcim + "/", user: guest))
            try expectSaid(of: roll.dcim + "/a.jpg", caption: "", rating: "")
            try Posix.setMode(roll.dcim + "/a.jpg", 0o666)
            expectSuccess(try run("cp", sidecar, roll.dcim + "/", user: guest))
            try expectSaid(of: roll.dcim + "/a.jpg", caption: Self.caption, rating: "10")
        }
    }
}
