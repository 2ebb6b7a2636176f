import Foundation
import Glibc
import Platform
import Support
import Testing

@Suite struct ThumbnailTests {
    private static func isJPEG(_ path: String) throws -> Bool { try Files.read(path).starts(with: [0xFF, 0xD8, 0xFF]) }

    /// A picture of its own for each number, written by ffmpeg.
    private static func picture(_ number: Int, _ path: String, size: String = "640x480") throws {
        try require(
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=\(size):rate=1:duration=\(number + 2)",
            "-ss", "\(number)", "-frames:v", "1", "-bitexact", path)
    }

    @Test func namesFollow() throws {
        try withMountedLibrary { roll in
            let thumbnails = roll.root + "/Thumbnails"
            try require("mkdir", "-p", roll.dcim + "/one/two", roll.dcim + "/empty")
            try Self.picture(1, roll.dcim + "/one/two/a.jpg")
            try Self.picture(2, roll.dcim + "/b.PNG")
            try Self.picture(3, roll.dcim + "/c.JPEG")
            try Self.picture(4, roll.dcim + "/b.PNG.jpg")
            let long = String(repeating: "n", count: 250) + ".png"
            try Self.picture(5, roll.place("long.png"))
            expectSuccess(try run("cp", roll.place("long.png"), roll.dcim + "/one/" + long))
            try Files.write(Array("no picture".utf8), to: roll.dcim + "/.DS_Store")
            let names = try Files.tree(thumbnails)
            #expect(names.filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".JPEG") } == names && names.count == 5)
            #expect(Set(["one/two/a.jpg", "c.JPEG", "b.PNG.jpg"]).isSubset(of: names))
            #expect(names.filter { $0.hasPrefix("~") || $0.hasPrefix("one/~") }.count == 2)
            #expect(try Files.names(in: thumbnails).contains("empty"))
            for name in names { #expect(try Self.isJPEG(thumbnails + "/" + name), "\(name)") }
            try Posix.rename(roll.dcim + "/c.JPEG", roll.dcim + "/one/d.jpg")
            #expect(try !Files.tree(thumbnails).contains("c.JPEG") && Self.isJPEG(thumbnails + "/one/d.jpg"))
            try Posix.unlink(roll.dcim + "/b.PNG.jpg")
            #expect(try Files.tree(thumbnails).contains("b.PNG.jpg"), "the name is free for b.PNG")
            for change in [
                { try Files.write([1], to: thumbnails + "/one/d.jpg") },
                { try Files.write([1], to: thumbnails + "/n.jpg") },
                { try Posix.unlink(thumbnails + "/one/d.jpg") }, { try Posix.makeDirectory(thumbnails + "/d") },
                { try Posix.rename(thumbnails + "/one/d.jpg", roll.dcim + "/e.jpg") },
            ] { #expect(failure(of: change) == .notPermitted) }
        }
    }

    /// Sizes are a guess until a thumbnail is made; whoever opens it reads all of it.
    @Test func sizes() throws {
        try withMountedLibrary { roll in
            let thumbnail = roll.root + "/Thumbnails/a.jpg"
            try Self.picture(1, roll.dcim + "/a.jpg")
            #expect(try Files.existing(thumbnail).size == 65536)
            let bytes = try require("cat", thumbnail).output
            #expect(bytes.count > 1000 && bytes.suffix(2) == [0xFF, 0xD9])
            #expect(try Files.existing(thumbnail).size == Int64(bytes.count))
            #expect(try Files.read(thumbnail) == bytes)
            for (index, program) in [
                ["cp", "%", "out1"], ["rsync", "-a", "%", "out2"], ["sh", "-c", "tar -cf - % | tar -xO > out3"],
                ["gio", "copy", "%", "out4"], ["python3", "-c", "import shutil; shutil.copyfile('%', 'out5')"],
            ].enumerated() {
                try Self.picture(10 + index, roll.dcim + "/p\(index).jpg")
                let path = roll.root + "/Thumbnails/p\(index).jpg"
                let words = program.map { $0.replacingOccurrences(of: "%", with: path) }
                expectSuccess(try run(words[0], arguments: Array(words.dropFirst()), cwd: roll.place.path))
                #expect(try Files.sameContents(path, roll.place("out\(index + 1)")), "\(program)")
                #expect(try Self.isJPEG(roll.place("out\(index + 1)")))
            }
        }
    }

    /// An edit has a thumbnail of its own; what was made goes with the last version that it was made of.
    @Test func editsAndRemovals() throws {
        try withMountedLibrary { roll in
            let thumbnail = roll.root + "/Thumbnails/a.jpg"
            func kept() throws -> [String] {
                Files.exists(roll.library + "/thumbnails") ? try Files.tree(roll.library + "/thumbnails") : []
            }
            try Self.picture(1, roll.dcim + "/a.jpg")
            let first = try Files.read(thumbnail)
            // The same bytes under another name share it.
            expectSuccess(try run("cp", roll.dcim + "/a.jpg", roll.dcim + "/same.jpg"))
            #expect(try Files.read(roll.root + "/Thumbnails/same.jpg") == first)
            #expect(try kept().count == 1)
            try Self.picture(2, roll.place("edit.jpg"))
            expectSuccess(try run("cp", roll.place("edit.jpg"), roll.dcim + "/a.jpg"))
            let second = try Files.read(thumbnail)
            #expect(second != first && second.starts(with: [0xFF, 0xD8]))
            #expect(try kept().count == 2)
            for name in try Files.names(in: roll.dcim) { try Posix.unlink(roll.dcim + "/" + name) }
            #expect(try Files.names(in: roll.root + "/Thumbnails") == [])
            for name in try Files.names(in: roll.root + "/Recently Deleted") {
                try Posix.unlink(roll.root + "/Recently Deleted/" + name)
            }
            #expect(try kept() == [])
        }
    }

    /// A picture that cannot be decoded: an error with a reason once, and then no name.
    @Test func failures() throws {
        try withMountedLibrary { roll in
            try Files.write(Picture.jpeg(1), to: roll.dcim + "/small.jpg")
            let path = roll.root + "/Thumbnails/small.jpg"
            #expect(try Self.isJPEG(path), "eight pixels are a picture")
            try GeneratedPictures.png(roll.place("huge.png"), 60_000, 60_000, color: 2, rows: 1)
            expectSuccess(try run("cp", roll.place("huge.png"), roll.dcim + "/huge.png"))
            let huge = roll.root + "/Thumbnails/huge.png.jpg"
            #expect(try Files.names(in: roll.root + "/Thumbnails").contains("huge.png.jpg"))
            #expect(failure(of: { _ = try Files.read(huge) }) == .ioError)
            #expect(failure(of: { _ = try Files.read(huge) }) == .noEntry)
            #expect(try !Files.names(in: roll.root + "/Thumbnails").contains("huge.png.jpg"))
            #expect(try Product.run("log", roll.library).stdout.contains("200 million pixels"))
            #expect(Files.exists(roll.dcim + "/huge.png"))
        }
    }

    /// The processes that a mount has started.
    private static func workers(of mount: Int32) throws -> [Int32] {
        try Files.names(in: "/proc").compactMap { Int32($0) }.filter { process in
            ((try? Files.text("/proc/\(process)/status")) ?? "").contains("\nPPid:\t\(mount)\n")
        }
    }

    /// A signal ends the wait, the end of a mount its workers.
    @Test func ends() throws {
        try withMountedLibrary { roll in
            try GeneratedPictures.png(roll.place("slow.png"), 13_000, 13_000, color: 0)
            expectSuccess(try run("cp", roll.place("slow.png"), roll.dcim))
            let path = roll.root + "/Thumbnails/slow.png.jpg"
            let begin = Date()
            let cut = try run("timeout", "0.3", "cat", path)
            #expect(cut.status == 124 || cut.succeeded)
            #expect(Date().timeIntervalSince(begin) < 30)
            #expect(try Self.isJPEG(path), "it is made for the next one")
            #expect(try Self.workers(of: roll.pid).count == 1)
            let workers = try Self.workers(of: roll.pid)
            try roll.unmount()
            #expect(!workers.contains { Files.exists("/proc/\($0)") })
            try roll.mount()
            try Self.picture(1, roll.dcim + "/b.jpg")
            #expect(try Self.isJPEG(roll.root + "/Thumbnails/b.jpg"))
            let orphans = try Self.workers(of: roll.pid)
            #expect(orphans.count == 1)
            roll.kill9()
            for _ in 0..<200 where orphans.contains(where: Self.lives) { usleep(10_000) }
            #expect(!orphans.contains(where: Self.lives), "a worker sees that its service is gone")
        }
    }

    private static func lives(_ process: Int32) -> Bool {
        let status = (try? Files.text("/proc/\(process)/status")) ?? ""
        return !status.isEmpty && !status.contains("State:\tZ")
    }

    @Test func manyAreListedFast() throws {
        try withMountedLibrary(MountOptions(options: ["relaxed"])) { roll in
            for number in 0..<1500 { try Files.write(Picture.jpeg(UInt64(number)), to: roll.dcim + "/\(number).jpg") }
            let begin = Date()
            let listing = try require("ls", "-l", roll.root + "/Thumbnails")
            #expect(listing.lines.count == 1501)
            #expect(Date().timeIntervalSince(begin) < 60)
            #expect(!Files.exists(roll.library + "/thumbnails"), "nothing is made for a listing")
        }
    }

    @Test(.enabled(if: Samples.available, "needs the samples"))
    func copyOfAll() throws {
        try withMountedLibrary(limit: 400) { roll in
            for folder in ["orientation", "heic", "video", "tiff", "photos"] {
                _ = try run("cp", "-r", Samples.file(folder), roll.dcim)
            }
            let out = roll.place("out")
            let copied = try run("cp", arguments: ["-r", roll.root + "/Thumbnails", out], timeout: 300)
            // Two PNG files hold EXIF and no pixels that any program can read.
            let refused = copied.stderr.split(separator: "\n")
            #expect(refused.allSatisfy { $0.contains("/exif") && $0.contains(".png.jpg") } && refused.count <= 2)
            let files = try Files.tree(out)
            #expect(files.count > 80)
            for file in files { #expect(try Self.isJPEG(out + "/" + file), "\(file)") }
            for number in 1...8 {
                for (name, isWide) in [("Landscape", true), ("Portrait", false)] {
                    let tags = try require(
                        "exiftool", "-s3", "-ImageWidth", "-ImageHeight", "-Orientation",
                        "\(out)/orientation/\(name)_\(number).jpg"
                    ).lines.compactMap { Int($0) }
                    #expect(tags.count == 2 && (tags[0] > tags[1]) == isWide && max(tags[0], tags[1]) == 512)
                }
            }
            #expect(try roll.peakMemory() < 96 << 20)
            // All is made: a second copy is the same, and fast.
            let begin = Date()
            _ = try run("cp", "-r", roll.root + "/Thumbnails", roll.place("again"))
            #expect(Date().timeIntervalSince(begin) < 30)
            expectSuccess(try run("diff", "-r", out, roll.place("again")))
        }
    }
}
