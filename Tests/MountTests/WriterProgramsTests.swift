import Platform
import Support
import Testing

/// The programs that people copy with, each writing what becomes an asset.
@Suite struct WriterProgramsTests {
    /// A photo of an uneven size, a few pages long.
    static func makeSource(_ path: String) throws {
        try Files.write(Generated.jpeg() + (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }, to: path)
    }

    /// Command lines that copy $1 to $2.
    static let copies = [
        "cp \"$1\" \"$2\"", "cp -a \"$1\" \"$2\"", "cp --reflink=auto \"$1\" \"$2\"",
        "cp --sparse=always \"$1\" \"$2\"",
        "install -m 640 \"$1\" \"$2\"", "dd if=\"$1\" of=\"$2\" bs=4093 status=none",
        "dd if=\"$1\" of=\"$2\" bs=3 status=none",
        "dd if=\"$1\" of=\"$2\" bs=64k conv=fsync status=none", "cat \"$1\" > \"$2\"",
        "cat < \"$1\" | tee \"$2\" > /dev/null",
        "rsync \"$1\" \"$2\"", "rsync -a \"$1\" \"$2\"", "rsync --inplace \"$1\" \"$2\"",
        "rsync -a --append \"$1\" \"$2\"",
        "rsync -W --partial \"$1\" \"$2\"", "gio copy \"$1\" \"$2\"",
    ]

    @Test(arguments: copies)
    func copy(command: String) throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            let copy = roll.dcim + "/IMG_0001.JPG"
            try Self.makeSource(source)
            expectSuccess(try run("bash", "-c", command, "bash", source, copy))
            try expectAsset(copy, holding: source)
            try expectLibrary(roll, lists: ["IMG_0001.JPG"], assets: 1)
            // Once more over itself: nothing changes.
            let asset = try roll.assets().first
            expectSuccess(try run("bash", "-c", command, "bash", source, copy))
            try expectAsset(copy, holding: source)
            try expectLibrary(roll, lists: ["IMG_0001.JPG"], assets: 1)
            #expect(try roll.assets().first?.id == asset?.id)
            #expect(try roll.assets().first?.edited != true)
        }
    }

    @Test func cpArchive() throws {
        try withMountedLibrary { roll in
            let source = roll.place("in")
            try Files.makeDirectory(source + "/")
            try Files.makeDirectory(source + "/sub")
            try Self.makeSource(source + "/a.jpg")
            try Self.makeSource(source + "/sub/b.jpg")
            try Posix.link(source + "/a.jpg", source + "/sub/same.jpg")
            try Posix.symlink("../a.jpg", source + "/sub/link.jpg")
            try require("mkfifo", source + "/pipe")
            try Posix.setMode(source + "/a.jpg", 0o640)
            try Posix.setMode(source + "/sub", 0o750)
            try require("chown", "1:2", source + "/sub/b.jpg")
            try Files.setTimes(source + "/sub", to: TimeTests.old)
            try Files.setTimes(source + "/a.jpg", to: TimeTests.old)
            expectSuccess(try run("cp", "-a", source + "/.", roll.dcim))
            func facts(_ root: String) throws -> [String] {
                try require("find", ".", "-mindepth", "1", "-printf", "%P %y %m %U %G %T@ %l %n\n", cwd: root).lines
                    // A directory's links are the file system's own affair.
                    .map { $0.contains(" d ") ? String($0.dropLast(2)) : $0 }.sorted()
            }
            #expect(try facts(roll.dcim) == facts(source))
            try roll.remount()
            #expect(try facts(roll.dcim) == facts(source))
            #expect(try roll.assets().count == 2)
        }
    }

    @Test func mvFromAnotherFileSystem() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            try Self.makeSource(source)
            try Files.setTimes(source, to: TimeTests.old)
            let bytes = try Files.read(source)
            expectSuccess(try run("mv", source, roll.dcim + "/"))
            #expect(!Files.exists(source))
            #expect(try Files.read(roll.dcim + "/source.jpg") == bytes)
            #expect(try Files.existing(roll.dcim + "/source.jpg").modificationTime == TimeTests.old)
            // And out again: the last name goes, so the asset goes to Recently Deleted.
            expectSuccess(try run("mv", roll.dcim + "/source.jpg", source))
            #expect(try Files.read(source) == bytes)
            try expectLibrary(roll, lists: [], assets: 0)
            #expect(try roll.trash().count == 1)
        }
    }

    /// What is not good enough to become an asset stays where it was.
    @Test func mvOfADamagedFileKeepsTheSource() throws {
        try withMountedLibrary { roll in
            let source = roll.place("cut.jpg")
            try Files.write(Array(Generated.jpeg().prefix(500)), to: source)
            let bytes = try Files.read(source)
            let outcome = try run("mv", source, roll.dcim + "/")
            #expect(outcome.status == 1)
            #expect(try Files.read(source) == bytes)
        }
    }

    /// Two halves, the second behind the first.
    @Test func ddWithoutTruncation() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            let copy = roll.dcim + "/dd.jpg"
            try Self.makeSource(source)
            let half = ["if=\(source)", "of=\(copy)", "bs=513", "conv=notrunc", "status=none"]
            // The second half first, which leaves a hole where the picture begins.
            let early = try run("dd", arguments: half + ["skip=3", "seek=3"])
            #expect(early.status == 1, "closing half a picture has to be reported")
            #expect(try roll.pendingFiles().count == 1)
            expectSuccess(try run("dd", arguments: half + ["count=3"]))
            try expectAsset(copy, holding: source)
            try expectLibrary(roll, lists: ["dd.jpg"], assets: 1)

            // The same bytes into the middle: no change. Other bytes behind the picture: an edit of it.
            let asset = try #require(try roll.assets().first)
            expectSuccess(try run("dd", arguments: half + ["skip=9", "seek=9", "count=5"]))
            #expect(try roll.assets().first?.edited != true)
            let end = try Int(Files.existing(source).size) - 3
            let patch = ["of=\(copy)", "bs=1", "seek=\(end)", "conv=notrunc", "status=none"]
            expectSuccess(try run("dd", arguments: patch, stdin: [1, 2, 3]))
            let edited = try #require(try roll.assets().first)
            #expect(edited.id == asset.id)
            #expect(edited.edited == true)
            #expect(try Files.read(copy) == Files.read(source).dropLast(3) + [1, 2, 3])
            // The original's bytes again: the edit is reverted.
            expectSuccess(try run("cp", source, copy))
            try expectAsset(copy, holding: source)
            #expect(try roll.assets().first?.edited != true)
        }
    }

    @Test func catInTwoSteps() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            let copy = roll.dcim + "/cat.jpg"
            try Self.makeSource(source)
            _ = try run("bash", "-c", "head -c 777 \"$1\" | cat > \"$2\"", "bash", source, copy)
            #expect(try Files.existing(copy).size == 777)
            expectSuccess(try run("bash", "-c", "tail -c +778 \"$1\" | cat >> \"$2\"", "bash", source, copy))
            try expectAsset(copy, holding: source)
            try expectLibrary(roll, lists: ["cat.jpg"], assets: 1)
        }
    }

    @Test func tarAndUnzip() throws {
        try withMountedLibrary { roll in
            let source = roll.place("in")
            try Files.makeDirectory(source)
            try Files.makeDirectory(source + "/trip")
            for number in 1...12 { try Self.makeSource("\(source)/trip/IMG_\(number).JPG") }
            try Files.write(try Generated.movie("mov"), to: source + "/trip/clip.mov")
            try require("tar", "-cf", roll.place("a.tar"), "-C", source, "trip")
            try require("zip", "-q", "-r", roll.place("a.zip"), "trip", cwd: source)

            expectSuccess(try run("tar", "-xf", roll.place("a.tar"), "-C", roll.dcim))
            try require("diff", "-r", source, roll.dcim)
            let facts = ["-c", "%n %Y %a %U"]
            let arguments = facts + ["trip/IMG_1.JPG", "trip", "trip/clip.mov"]
            #expect(
                try run("stat", arguments: arguments, cwd: roll.dcim).stdout
                    == run("stat", arguments: arguments, cwd: source).stdout)
            try Files.makeDirectory(roll.dcim + "/z")
            expectSuccess(try run("unzip", "-q", roll.place("a.zip"), "-d", roll.dcim + "/z"))
            try require("diff", "-r", source, roll.dcim + "/z")
            // The same pictures twice: second names of the same assets.
            #expect(try roll.assets().count == 13)
            #expect(try roll.pendingFiles().isEmpty)
            expectSuccess(try run("tar", "-xf", roll.place("a.tar"), "-C", roll.dcim))
            #expect(try roll.assets().count == 13)
        }
    }

    @Test(arguments: [
        ["-a"], ["-a", "--inplace"], ["-a", "-T", "TEMPORARY"], ["-a", "-T", "ELSEWHERE"], ["-aH", "--delay-updates"],
    ])
    func rsync(options: [String]) throws {
        try withMountedLibrary { roll in
            let source = roll.place("in")
            try Files.makeDirectory(source)
            try Files.makeDirectory(source + "/trip")
            for number in 1...8 { try Self.makeSource("\(source)/trip/IMG_\(number).JPG") }
            try Files.write([], to: source + "/trip/empty.jpg")
            try Files.makeDirectory(roll.dcim + "/copy")
            try Files.makeDirectory(roll.dcim + "/temporary")
            try Files.makeDirectory(roll.place("elsewhere"))
            let places = ["TEMPORARY": roll.dcim + "/temporary", "ELSEWHERE": roll.place("elsewhere")]
            let arguments =
                options.map { places[$0] ?? $0 } + ["--itemize-changes", source + "/", roll.dcim + "/copy/"]

            let first = try run("rsync", arguments: arguments)
            expectSuccess(first)
            #expect(first.lines.count >= 9, "\(first)")
            try require("diff", "-r", source, roll.dcim + "/copy")
            let second = try run("rsync", arguments: arguments)
            expectSuccess(second)
            #expect(second.lines.isEmpty, "the second run transferred: \(second)")
            let tree = try Files.tree(source).map { "copy/\($0)" }
            try expectLibrary(roll, lists: tree, assets: 8)

            // A changed file, and a run after a remount.
            try Files.write(Array("more".utf8), to: source + "/trip/IMG_1.JPG", append: true)
            try roll.remount()
            let third = try run("rsync", arguments: arguments)
            expectSuccess(third)
            #expect(third.lines.count == 1, "\(third)")
            try require("diff", "-r", source, roll.dcim + "/copy")
            try expectLibrary(roll, lists: tree, assets: 8)
            #expect(try run("rsync", arguments: arguments).lines.isEmpty)
        }
    }

    @Test func exiftoolInPlaceAndWithOriginal() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            let bytes = try Generated.photo(at: source, date: "2024:05:17 10:00:00")
            for name in ["a.jpg", "b.jpg"] {
                try Files.write(bytes + Array(name.utf8), to: source)
                try require("cp", source, "\(roll.dcim)/\(name)")
            }
            let before = try roll.assets()
            expectSuccess(try run("exiftool", "-overwrite_original", "-Comment=first", roll.dcim + "/a.jpg"))
            #expect(try require("exiftool", "-s3", "-Comment", roll.dcim + "/a.jpg").stdout == "first\n")
            try expectLibrary(roll, lists: ["a.jpg", "b.jpg"], assets: 2)
            let edited = try #require(try roll.assets().first { $0.name == "a.jpg" })
            #expect(edited.edited == true)
            #expect(edited.id == before.first { $0.name == "a.jpg" }?.id)

            expectSuccess(try run("exiftool", "-Comment=second", roll.dcim + "/b.jpg"))
            #expect(try require("exiftool", "-s3", "-Comment", roll.dcim + "/b.jpg").stdout == "second\n")
            try expectLibrary(roll, lists: ["a.jpg", "b.jpg", "b.jpg_original"], assets: 3)
            #expect(try Files.read(roll.dcim + "/b.jpg_original") == bytes + Array("b.jpg".utf8))

            // -overwrite_original_in_place writes through the open file.
            expectSuccess(try run("exiftool", "-overwrite_original_in_place", "-Comment=third", roll.dcim + "/a.jpg"))
            #expect(try require("exiftool", "-s3", "-Comment", roll.dcim + "/a.jpg").stdout == "third\n")
            try expectLibrary(roll, lists: ["a.jpg", "b.jpg", "b.jpg_original"], assets: 3)
        }
    }

    @Test func pythonMapsPagesInRandomOrder() throws {
        let script = """
            import mmap, os, random, sys
            source = open(sys.argv[1], 'rb').read()
            file = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT, 0o644)
            os.ftruncate(file, len(source))
            pages = list(range(0, len(source), 4096))
            random.Random(1).shuffle(pages)
            with mmap.mmap(file, len(source)) as memory:
                for page in pages:
                    memory[page:page + 4096] = source[page:page + 4096]
                memory.flush()
            os.close(file)
            """
        try withMountedLibrary { roll in
            let source = roll.place("source.mp4")
            try Files.write(
                try Generated.movie() + [0, 5, 0, 0] + "free".utf8 + [UInt8](repeating: 3, count: 0x50000 - 8),
                to: source)
            let outcome = try run("python3", "-c", script, source, roll.dcim + "/mapped.mp4")
            expectSuccess(outcome)
            try expectAsset(roll.dcim + "/mapped.mp4", holding: source)
            try expectLibrary(roll, lists: ["mapped.mp4"], assets: 1)
        }
    }

    /// A download that breaks off in the middle and is taken up again.
    @Test func wgetContinues() throws {
        let server = """
            import http.server, os, re, sys
            body = open(sys.argv[1], 'rb').read()
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    match = re.match(r'bytes=(\\d+)-', self.headers.get('Range', ''))
                    start = int(match.group(1)) if match else 0
                    self.send_response(206 if match else 200)
                    self.send_header('Accept-Ranges', 'bytes')
                    self.send_header('Content-Length', str(len(body) - start))
                    if match:
                        self.send_header('Content-Range', f'bytes {start}-{len(body) - 1}/{len(body)}')
                    self.end_headers()
                    self.wfile.write(body[start:] if match else body[:len(body) // 2])
                    self.close_connection = True
                def log_message(self, *arguments): pass
            server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
            print(server.server_address[1], flush=True)
            server.serve_forever()
            """
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            try Self.makeSource(source)
            let running = try RunningProgram("python3", ["-c", server, source])
            defer { running.kill() }
            var tries = 0
            while !running.outputSoFar.hasSuffix("\n"), tries < 500 {
                Clock.sleep(20_000_000)
                tries += 1
            }
            let port = running.outputSoFar.filter(\.isNumber)
            let url = "http://127.0.0.1:\(port)/photo.jpg"
            let first = try run("wget", "-q", "-t", "1", url, cwd: roll.dcim)
            #expect(first.status != 0)
            let half = try Files.existing(roll.dcim + "/photo.jpg").size
            #expect(half > 0)
            #expect(try half < Files.existing(source).size)
            expectSuccess(try run("wget", "-q", "-c", "-t", "1", url, cwd: roll.dcim))
            try expectAsset(roll.dcim + "/photo.jpg", holding: source)
            try expectLibrary(roll, lists: ["photo.jpg"], assets: 1)
        }
    }

    @Test(arguments: [
        ["out.mp4"], ["-movflags", "+faststart", "out.mp4"], ["out.mov"], ["out.mkv"], ["-f", "avi", "out.avi"],
    ])
    func ffmpegWritesStraightIn(output: [String]) throws {
        try withMountedLibrary { roll in
            let input = ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=160x120:rate=25:duration=4"]
            expectSuccess(
                try run("ffmpeg", arguments: input + ["-pix_fmt", "yuv420p"] + output, cwd: roll.dcim))
            let name = try #require(output.last)
            let seconds = try require(
                "ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", "\(roll.dcim)/\(name)")
            #expect(seconds.stdout.hasPrefix("4.0"))
            try expectLibrary(roll, lists: [name], assets: 1)
            let asset = try #require(try roll.assets().first)
            #expect(asset.type == "video")
            #expect(asset.width == 160)
            #expect(asset.height == 120)
            #expect(abs((asset.duration ?? 0) - 4) < 0.2)
        }
    }

    @Test(arguments: [
        "", "set nowritebackup", "set backupcopy=yes", "set backupcopy=no", "set nobackup writebackup patchmode=",
    ])
    func vimSaves(setting: String) throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/vim.jpg"
            let bytes = Generated.jpeg() + Array("words behind the picture".utf8)
            try Files.write(bytes, to: path)
            let asset = try #require(try roll.assets().first)
            var arguments = ["-u", "NONE", "-es", "-b", "-c", "set nofixendofline"]
            if !setting.isEmpty { arguments += ["-c", setting] }
            arguments += ["-c", "$s/words/WORDS/", "-c", "wq", path]
            expectSuccess(try run("vim", arguments: arguments, timeout: 20))
            #expect(try Files.read(path) == bytes.dropLast(24) + Array("WORDS behind the picture".utf8))
            try expectLibrary(roll, lists: ["vim.jpg"], assets: 1)
            #expect(try roll.assets().first?.id == asset.id, "a saved picture is an edit of the one that was opened")
        }
    }
}
