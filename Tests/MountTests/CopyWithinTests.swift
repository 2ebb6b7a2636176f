import Foundation
import Platform
import Support
import Testing

/// Copies from one place of the mount to another: another name, no other bytes.
@Suite struct CopyWithinTests {
    /// What a process has read and written by system calls so far, in bytes (proc(5), `io`).
    private func transferred(_ pid: Int32) throws -> Int64 {
        var sum: Int64 = 0
        for line in try Files.text("/proc/\(pid)/io").split(separator: "\n")
        where line.hasPrefix("rchar") || line.hasPrefix("wchar") {
            sum += Int64(line.split(separator: " ").last ?? "") ?? 0
        }
        return sum
    }

    /// cp and `copy_file_range` move no byte; the copy is on the disk when they return.
    @Test(arguments: ["DCIM", "Albums/A", "Favorites", "Keywords/w", "Hidden"], ["cp", "cp -a"])
    func wholeAssets(place: String, command: String) throws {
        try withMountedLibrary { roll in
            try require("mkdir", roll.root + "/Albums/A", roll.root + "/Keywords/w", roll.dcim + "/far")
            let source = roll.dcim + "/far/movie.mov"
            try Generated.bigMovie(at: roll.place("movie.mov"), size: 64 << 20, seed: 1)
            // Without holes, which cp leaves out piece by piece.
            try require("cp", "--sparse=never", roll.place("movie.mov"), source)
            let target = "\(roll.root)/\(place)/copy.mov"
            let before = try transferred(roll.pid)
            try require("sh", "-c", "\(command) \"$1\" \"$2\"", "sh", source, target)
            #expect(try transferred(roll.pid) - before < 1 << 20)
            let shown = place == "Albums/A" || place == "DCIM" ? target : "\(roll.root)/\(place)/movie.mov"
            #expect(try Files.existing(shown).inode == Files.existing(source).inode)
            #expect(try Files.sameContents(shown, roll.place("movie.mov")))
            roll.kill9()
            try roll.mount()
            #expect(try Files.existing(shown).inode == Files.existing(source).inode)
            try roll.requireWhole()
        }
    }

    /// Who goes on writing to such a copy writes to a file of his own.
    @Test(arguments: [
        "os.write(o, b'more')", "os.pwrite(o, b'X', 700)", "os.ftruncate(o, 600)", "os.ftruncate(o, 0)",
        "os.copy_file_range(i, o, 100, 0, size)", "os.close(os.dup(o)); os.write(o, b'more')",
    ])
    func written(_ change: String) throws {
        try withMountedLibrary { roll in
            let (source, target) = (roll.dcim + "/a.jpg", roll.dcim + "/b.jpg")
            try Files.write(Picture.jpeg(1), to: source)
            let script = """
                import os, sys
                i = os.open(sys.argv[1], os.O_RDONLY)
                o = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT | os.O_EXCL)
                size = os.fstat(i).st_size
                assert os.copy_file_range(i, o, size) == size
                assert os.fstat(o).st_size == size and os.pread(o, size, 0) == os.pread(i, size, 0)
                assert os.copy_file_range(i, o, size) == 0
                os.lseek(o, 0, os.SEEK_END)
                \(change)
                data = os.pread(o, 9999, 0)
                try: os.close(o)
                except OSError: pass
                assert open(sys.argv[2], 'rb').read() == data
                """
            try require("python3", "-c", script, source, target)
            #expect(try Files.read(source) == Picture.jpeg(1))
            #expect(try Files.existing(source).inode != Files.existing(target).inode)
            #expect(try Files.existing(source).links == 1)
            try roll.requireWhole()
        }
    }

    /// What is no whole asset, or no new file, is copied as bytes are.
    @Test func otherCopies() throws {
        try withMountedLibrary { roll in
            let (source, target) = (roll.dcim + "/a.jpg", roll.dcim + "/b.jpg")
            try Files.write(Picture.jpeg(1), to: source)
            try Files.write(Picture.jpeg(2, date: "2024:05:17 10:00:00"), to: target)
            // Over another asset: that one steps aside.
            try require("cp", source, target)
            #expect(try Files.read(target) == Picture.jpeg(1))
            #expect(try Files.read(roll.dcim + "/b~1.jpg") == Picture.jpeg(2, date: "2024:05:17 10:00:00"))
            // Under a temporary name, and a file that is no asset.
            try require("cp", source, roll.dcim + "/c.part")
            try require("cp", roll.dcim + "/c.part", roll.dcim + "/d.part")
            #expect(try Files.read(roll.dcim + "/d.part") == Picture.jpeg(1))
            try require("mv", roll.dcim + "/d.part", roll.dcim + "/d.jpg")
            #expect(try Files.existing(roll.dcim + "/d.jpg").inode == Files.existing(source).inode)
            // An asset that was edited since it was opened.
            let script = """
                import os, subprocess, sys
                i = os.open(sys.argv[1], os.O_RDONLY)
                subprocess.run(["exiftool", "-q", "-overwrite_original", "-Comment=new", sys.argv[1]], check=True)
                o = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT)
                while os.copy_file_range(i, o, 1 << 20): pass
                os.close(o)
                """
            try require("python3", "-c", script, source, roll.dcim + "/e.jpg")
            #expect(try Files.read(roll.dcim + "/e.jpg") == Picture.jpeg(1))
            #expect(try Files.read(source) != Picture.jpeg(1))
            try roll.requireWhole()
        }
    }
}
