import Glibc
import Platform
import Support
import Testing

/// Sidecars follow renames of their picture, and programs that move both meet neither gone before its time.
@Suite struct SidecarMoveTests {
    private func withPair(_ body: (MountedLibrary) throws -> Void) throws {
        try withMountedLibrary { roll in
            try Files.makeDirectory(roll.dcim + "/d")
            try Files.write(Picture.jpeg(1, look: 1), to: roll.dcim + "/IMG_1.JPG")
            for name in ["IMG_1.xmp", "IMG_1.JPG.xmp", "IMG_1.AAE", "IMG_1.JPG.json"] {
                try Files.write(Array("of \(name)".utf8), to: "\(roll.dcim)/\(name)")
            }
            try body(roll)
        }
    }

    private let others = ["IMG_1.xmp", "IMG_1.JPG.xmp", "IMG_1.AAE", "IMG_1.JPG.json"]

    @Test func newName() throws {
        try withPair { roll in
            let inode = try Files.existing(roll.dcim + "/IMG_1.xmp").inode
            try require("mv", roll.dcim + "/IMG_1.JPG", roll.dcim + "/Beach.JPG")
            try expectSettled(
                roll, lists: ["Beach.JPG", "Beach.xmp", "Beach.JPG.xmp", "Beach.AAE", "Beach.JPG.json"])
            #expect(try Files.text(roll.dcim + "/Beach.JPG.xmp") == "of IMG_1.JPG.xmp")
            #expect(try Files.existing(roll.dcim + "/Beach.xmp").inode == inode)
            #expect(!Files.exists(roll.dcim + "/IMG_1.xmp"))
            // And on into another directory, by two renames.
            try require("mv", roll.dcim + "/Beach.JPG", roll.dcim + "/Sea.JPG")
            try require("mv", roll.dcim + "/Sea.JPG", roll.dcim + "/d/")
            try expectSettled(
                roll, lists: ["d/Sea.JPG", "d/Sea.xmp", "d/Sea.JPG.xmp", "d/Sea.AAE", "d/Sea.JPG.json"])
            #expect(try Files.text(roll.dcim + "/d/Sea.JPG.xmp") == "of IMG_1.JPG.xmp")
        }
    }

    /// Unmounting does not wait, and forgets nothing.
    @Test func unmountingAtOnce() throws {
        try withPair { roll in
            try require("mv", roll.dcim + "/IMG_1.JPG", roll.dcim + "/d/")
            try roll.remount()
            let expected = (others + ["IMG_1.JPG"]).map { "d/\($0)" }
            #expect(Set(try Files.tree(roll.dcim)) == Set(expected))
            try require("mv", roll.dcim + "/d/IMG_1.JPG", roll.dcim + "/")
            roll.kill9()
            roll.clear()
            try roll.mount()
            try expectSettled(roll, lists: others + ["IMG_1.JPG"])
        }
    }

    /// A name that is taken is left alone.
    @Test func takenName() throws {
        try withPair { roll in
            try Files.write(Array("another".utf8), to: roll.dcim + "/Beach.xmp")
            try require("mv", roll.dcim + "/IMG_1.JPG", roll.dcim + "/Beach.JPG")
            try expectSettled(
                roll,
                lists: ["Beach.JPG", "Beach.xmp", "IMG_1.xmp", "Beach.JPG.xmp", "Beach.AAE", "Beach.JPG.json"])
            #expect(try Files.text(roll.dcim + "/Beach.xmp") == "another")
            #expect(try Files.text(roll.dcim + "/IMG_1.xmp") == "of IMG_1.xmp")
        }
    }

    /// Whoever moves the selection finds each file where it was.
    @Test(arguments: ["mv", "mv by name", "loop", "gio", "python", "only pictures"])
    func movingSelections(program: String) throws {
        try withPair { roll in
            let directory = roll.dcim + "/d"
            let outcome: Outcome
            switch program {
            case "mv": outcome = try run("sh", "-c", "mv IMG_1* d/", cwd: roll.dcim)
            case "mv by name":
                outcome = try run(
                    "mv", arguments: ["IMG_1.JPG"] + others + ["d"], cwd: roll.dcim)
            case "loop":
                outcome = try run("sh", "-c", "for f in IMG_1.*; do mv \"$f\" d/ || exit; done", cwd: roll.dcim)
            case "gio":
                outcome = try run(
                    "gio", arguments: ["move", "IMG_1.JPG"] + others + [directory], cwd: roll.dcim)
            case "python":
                let script = """
                    import glob, shutil
                    for name in sorted(glob.glob('IMG_1*')): shutil.move(name, 'd')
                    """
                outcome = try run("python3", "-c", script, cwd: roll.dcim)
            default: outcome = try run("sh", "-c", "mv *.JPG d/", cwd: roll.dcim)
            }
            expectSuccess(outcome)
            #expect(outcome.stderr == "")
            let expected = (others + ["IMG_1.JPG"]).map { "d/\($0)" }
            if program != "only pictures" { #expect(Set(try Files.tree(roll.dcim)) == Set(expected)) }
            try expectSettled(roll, lists: expected)
            for name in others { #expect(try Files.text("\(directory)/\(name)") == "of \(name)") }
            // Nothing moves by itself later.
            usleep(2_500_000)
            try expectSettled(roll, lists: expected)
        }
    }

    /// rsync copies and then removes: nothing is renamed, and both arrive.
    @Test func rsyncThatRemoves() throws {
        try withPair { roll in
            let out = roll.place("out/")
            try require("rsync", "-a", "--remove-source-files", roll.dcim + "/", out)
            #expect(try Files.tree(roll.dcim) == [])
            #expect(Set(try Files.names(in: out)) == Set(others + ["IMG_1.JPG", "d"]))
            try require("rsync", "-a", "--remove-source-files", out, roll.dcim + "/")
            try expectSettled(roll, lists: others + ["IMG_1.JPG"])
            // Within the mount, too.
            try require(
                "sh", "-c", "rsync -a --remove-source-files --include='*.JPG.*' --exclude='*' ./ d/", cwd: roll.dcim)
            usleep(2_500_000)
            try expectSettled(
                roll, lists: ["IMG_1.JPG", "IMG_1.xmp", "IMG_1.AAE", "d/IMG_1.JPG.xmp", "d/IMG_1.JPG.json"])
        }
    }

    /// Renaming a family of files one by one, as a shell does it.
    @Test func renamingAFamily() throws {
        try withPair { roll in
            let loop = "for f in IMG_1.*; do mv \"$f\" \"Beach.${f#IMG_1.}\" || exit; done"
            expectSuccess(try run("sh", "-c", loop, cwd: roll.dcim))
            try expectSettled(
                roll, lists: ["Beach.JPG", "Beach.xmp", "Beach.JPG.xmp", "Beach.AAE", "Beach.JPG.json"])
        }
    }

    /// Where another picture takes the name, the sidecar is beside that one and stays: a program kept the old picture
    /// aside and wrote a new one.
    @Test func pictureInItsPlace() throws {
        try withPair { roll in
            try require("mv", roll.dcim + "/IMG_1.JPG", roll.dcim + "/IMG_1_old.JPG")
            try Files.write(Picture.jpeg(2, look: 2), to: roll.dcim + "/IMG_1.JPG")
            usleep(2_500_000)
            try expectSettled(roll, lists: others + ["IMG_1.JPG", "IMG_1_old.JPG"])
        }
    }

    /// Albums and the like have names of their own; the trash keeps the sidecar where it was.
    @Test func otherMoves() throws {
        try withPair { roll in
            try require("mkdir", roll.root + "/Albums/A")
            try require("mv", roll.dcim + "/IMG_1.JPG", roll.root + "/Albums/A/Other.JPG")
            try require("rm", roll.dcim + "/IMG_1.JPG")
            usleep(2_500_000)
            try expectSettled(roll, lists: others)
        }
    }

    /// A directory takes along what lies in it.
    @Test func directories() throws {
        try withPair { roll in
            try require("sh", "-c", "mv IMG_1* d/ && mv d e", cwd: roll.dcim)
            try expectSettled(roll, lists: (others + ["IMG_1.JPG"]).map { "e/\($0)" })
        }
    }
}
