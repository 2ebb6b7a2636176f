import Glibc
import Platform
import Support
import Testing

/// The system calls on DCIM behave as on a native file system.
@Suite struct PosixCallTests {
    @Test func renameFlags() throws {
        try withMountedLibrary { roll in
            let (a, b) = (roll.dcim + "/a.jpg", roll.dcim + "/b.jpg")
            let (first, second) = (Generated.jpeg(), Generated.jpeg())
            try Files.write(first, to: a)
            try Files.write(second, to: b)
            #expect(failure { try Posix.rename(a, b, .noReplace) } == .exists)
            #expect(failure { try Posix.rename(a, roll.dcim + "/missing.jpg", .exchange) } == .noEntry)
            try Posix.rename(a, roll.dcim + "/c.jpg", .noReplace)
            try Posix.rename(roll.dcim + "/c.jpg", a)
            // Swapped, or refused as a whole.
            let refusal = failure { try Posix.rename(a, b, .exchange) }
            #expect(refusal == nil || refusal == .invalid)
            #expect(try Files.read(a) == (refusal == nil ? second : first))
            #expect(try Files.read(b) == (refusal == nil ? first : second))
            #expect(failure { try Posix.rename(a, b, .whiteout) } == .invalid)
            try expectLibrary(roll, lists: ["a.jpg", "b.jpg"], assets: 2)
        }
    }

    @Test func renameOfDirectories() throws {
        try withMountedLibrary { roll in
            func d(_ name: String) -> String { "\(roll.dcim)/\(name)" }
            for name in ["one", "one/inner", "two", "full"] { try Posix.makeDirectory(d(name)) }
            try Files.write(Generated.jpeg(), to: d("full/a.jpg"))
            try Files.write([], to: d("file"))
            #expect(failure { try Posix.rename(d("one"), d("one/inner/x")) } == .invalid)
            #expect(failure { try Posix.rename(d("one"), d("full")) } == .notEmpty)
            #expect(failure { try Posix.rename(d("one/inner"), d("one")) } == .notEmpty)
            #expect(failure { try Posix.rename(d("one"), d("file")) } == .notDirectory)
            #expect(failure { try Posix.rename(d("file"), d("one")) } == .isDirectory)
            #expect(failure { try Posix.rename(d("none"), d("x")) } == .noEntry)
            try Posix.rename(d("full"), d("two"))
            try Posix.rename(d("two"), d("one/inner/two"))
            #expect(try Files.tree(roll.dcim) == ["file", "one/inner/two/a.jpg"])
            try Posix.rename(d("one"), d("renamed"))
            #expect(try roll.assets().first?.path == "DCIM/renamed/inner/two/a.jpg")
            try roll.remount()
            #expect(try Files.tree(roll.dcim) == ["file", "renamed/inner/two/a.jpg"])
        }
    }

    @Test func linksAndRemovals() throws {
        try withMountedLibrary { roll in
            func d(_ name: String) -> String { "\(roll.dcim)/\(name)" }
            try Posix.makeDirectory(d("dir"))
            try Files.write(Array("x".utf8), to: d("._a"))
            try Posix.link(d("._a"), d("dir/._b"))
            #expect(try Files.existing(d("._a")).links == 2)
            #expect(try Files.existing(d("._a")).inode == Files.existing(d("dir/._b")).inode)
            #expect(failure { try Posix.link(d("._a"), d("dir/._b")) } == .exists)
            #expect(failure { try Posix.link(d("dir"), d("dir2")) } == .notPermitted)
            #expect(failure { try Posix.link(d("._none"), d("._c")) } == .noEntry)
            #expect(failure { try Posix.unlink(d("dir")) } == .isDirectory)
            #expect(failure { try Posix.removeDirectory(d("dir")) } == .notEmpty)
            #expect(failure { try Posix.removeDirectory(d("._a")) } == .notDirectory)
            #expect(failure { try Posix.removeDirectory(d("none")) } == .noEntry)
            #expect(failure { try Posix.makeDirectory(d("dir")) } == .exists)
            #expect(failure { try Posix.makeDirectory(d("._a/x")) } == .notDirectory)
            #expect(failure { try Posix.makeDirectory(d("none/x")) } == .noEntry)
            try Posix.unlink(d("._a"))
            #expect(try Files.text(d("dir/._b")) == "x")
            #expect(try Files.existing(d("dir/._b")).links == 1)
        }
    }

    @Test func openFlags() throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/._flags"
            let file = try Posix.open(path, O_CREAT | O_EXCL | O_RDWR, 0o600)
            defer { try? Posix.close(file) }
            #expect(failure { _ = try Posix.open(path, O_CREAT | O_EXCL | O_RDWR) } == .exists)
            #expect(failure { _ = try Posix.open(roll.dcim, O_RDWR) } == .isDirectory)
            #expect(failure { _ = try Posix.open(path, O_RDONLY | O_DIRECTORY) } == .notDirectory)
            #expect(failure { _ = try Posix.open(roll.dcim + "/none", O_RDWR) } == .noEntry)
            #expect(try Files.existing(path).mode & 0o777 == 0o600)

            // Two writers that append never overwrite each other.
            let one = try Posix.open(path, O_WRONLY | O_APPEND)
            let other = try Posix.open(path, O_WRONLY | O_APPEND)
            for number in 0..<50 {
                _ = try Posix.write(number % 2 == 0 ? one : other, Array("line \(number)\n".utf8))
            }
            try Posix.close(one)
            try Posix.close(other)
            #expect(try Files.text(path) == (0..<50).map { "line \($0)\n" }.joined())
            // O_TRUNC empties what others have open.
            try Posix.close(try Posix.open(path, O_WRONLY | O_TRUNC))
            #expect(try Posix.status(file).size == 0)
            #expect(try Posix.pread(file, count: 10, at: 0) == [])
            let reader = try Posix.open(path, O_RDONLY)
            defer { try? Posix.close(reader) }
            #expect(failure { _ = try Posix.pwrite(reader, [1], at: 0) } == .badDescriptor)
        }
    }

    @Test func truncateAndAllocate() throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/._space"
            let file = try Posix.open(path, O_CREAT | O_RDWR)
            defer { try? Posix.close(file) }
            _ = try Posix.pwrite(file, Array("0123456789".utf8), at: 0)
            try Posix.truncate(file, to: 4)
            try Posix.truncate(file, to: 8)
            #expect(try Posix.pread(file, count: 20, at: 0) == Array("0123".utf8) + [0, 0, 0, 0])
            try require("truncate", "-s", "6", path)
            #expect(try Posix.status(file).size == 6)
            #expect(failure { try Posix.truncate(file, to: -1) } == .invalid)

            try Posix.allocate(file, at: 0, count: 100_000)
            #expect(try Posix.status(file).size == 100_000)
            try Posix.allocate(file, mode: 1, at: 0, count: 300_000)  // FALLOC_FL_KEEP_SIZE
            #expect(try Posix.status(file).size == 100_000)
            _ = try Posix.pwrite(file, [UInt8](repeating: 7, count: 65_536), at: 0)
            try Posix.allocate(file, mode: 1 | 2, at: 4096, count: 8192)  // and FALLOC_FL_PUNCH_HOLE
            let expected = [UInt8](repeating: 7, count: 4096) + [UInt8](repeating: 0, count: 8192) + [7]
            #expect(try Posix.pread(file, count: 12_289, at: 0) == expected)
            expectSuccess(try run("fallocate", "-l", "200000", path))
            #expect(try Files.existing(path).size == 200_000)
        }
    }

    @Test func dataAndHoles() throws {
        try withMountedLibrary { roll in
            let file = try Posix.open(roll.dcim + "/._sparse", O_CREAT | O_RDWR)
            defer { try? Posix.close(file) }
            let step = 1 << 20
            _ = try Posix.pwrite(file, [UInt8](repeating: 1, count: 65_536), at: step)
            try Posix.truncate(file, to: 3 * step)
            try Posix.sync(file)
            let data = try Posix.seek(file, toHole: false, from: 0)
            #expect(data == step || data == 0, "a file system may call everything data")
            let hole = try Posix.seek(file, toHole: true, from: step)
            #expect(hole >= step + 65_536)
            #expect(hole <= 3 * step)
            #expect(failure { _ = try Posix.seek(file, toHole: false, from: 3 * step) } == .noDevice)
            #expect(failure { _ = try Posix.seek(file, toHole: true, from: 3 * step + 1) } == .noDevice)
        }
    }

    @Test func copyFileRange() throws {
        try withMountedLibrary { roll in
            let bytes = Generated.jpeg() + [UInt8](repeating: 5, count: 100_000)
            try Files.write(bytes, to: roll.dcim + "/a.jpg")
            for target in [roll.dcim + "/b.jpg", roll.place("out.jpg")] {
                let source = try Posix.open(roll.dcim + "/a.jpg", O_RDONLY)
                let copy = try Posix.open(target, O_CREAT | O_WRONLY)
                var done = 0
                var refusal: Errno?
                while done < bytes.count, refusal == nil {
                    refusal = failure {
                        let count = try Posix.copyRange(
                            from: source, at: done, to: copy, at: done, count: bytes.count - done)
                        done += count
                        if count == 0 { done = .max }
                    }
                }
                try Posix.close(source)
                // Between two file systems the kernel may not offer it; within one it has to work.
                #expect(refusal == nil || (refusal == .crossDevice && !target.hasPrefix(roll.root)), "\(target)")
                try Posix.close(copy)
                if refusal == nil { #expect(try Files.read(target) == bytes) }
            }
            #expect(try Files.existing(roll.dcim + "/b.jpg").links == 2, "the same bytes are the same asset")
        }
    }

    @Test func syncOfFilesAndDirectories() throws {
        try withMountedLibrary { roll in
            let file = try Posix.open(roll.dcim + "/half.jpg", O_CREAT | O_RDWR)
            _ = try Posix.pwrite(file, Array("half".utf8), at: 0)
            try Posix.sync(file)
            let directory = try Posix.open(roll.dcim, O_RDONLY | O_DIRECTORY)
            try Posix.sync(directory)
            try Posix.close(directory)
            expectSuccess(try run("sync", roll.dcim + "/half.jpg"))
            expectSuccess(try run("sync", "-f", roll.dcim))
            #expect(failure { try Posix.close(file) } == .invalid, "half a picture is no asset")
        }
    }

    @Test func spaceIsTheStores() throws {
        try withMountedLibrary { roll in
            let format = ["-f", "-c", "%s %b %l"]
            let below = try run("stat", arguments: format + [roll.library]).stdout
            let mount = try run("stat", arguments: format + [roll.dcim]).stdout
            func bytes(_ fields: String) -> Int {
                fields.split(separator: " ").prefix(2).compactMap { Int($0) }.reduce(1, *)
            }
            #expect(bytes(below) > 0)
            let ratio = Double(bytes(mount)) / Double(bytes(below))
            #expect(abs(ratio - 1) < 0.01, "\(mount) against \(below)")
            #expect(mount.hasSuffix("255\n"))
            expectSuccess(try run("df", "-h", roll.root))
        }
    }

    @Test(arguments: ["a.jpg", "._plain", "part.tmp", "directory"])
    func ownerModeAndTimesAreKept(name: String) throws {
        try withMountedLibrary { roll in
            let path = "\(roll.dcim)/\(name)"
            if name == "directory" {
                try Posix.makeDirectory(path)
            } else {
                try Files.write(Generated.jpeg(), to: path)
            }
            let inode = try Files.existing(path).inode
            try Posix.setMode(path, 0o2705)
            try require("chown", "12:34", path)
            try Posix.setMode(path, 0o705)
            try require("touch", "-h", "-d", "2001-02-03T04:05:06.789Z", path)
            func check(_ when: String) throws {
                let status = try Files.existing(path)
                #expect(status.mode & 0o7777 == 0o705, "\(when)")
                #expect(status.uid == 12, "\(when)")
                #expect(status.gid == 34, "\(when)")
                #expect(status.modificationTime == TimeTests.old, "\(when)")
                #expect(status.inode == inode, "\(when)")
            }
            try check("at once")
            try roll.remount()
            try check("after a remount")
        }
    }

    @Test func aSetgidDirectoryHandsItsGroupDown() throws {
        try withMountedLibrary { roll in
            let directory = roll.dcim + "/shared"
            try Posix.makeDirectory(directory)
            try require("chown", "0:34", directory)
            try Posix.setMode(directory, 0o2775)
            try Posix.makeDirectory(directory + "/inner")
            try Files.write(Generated.jpeg(), to: directory + "/a.jpg")
            #expect(try Files.existing(directory + "/inner").gid == 34)
            #expect(try Files.existing(directory + "/inner").mode & 0o2000 != 0)
            #expect(try Files.existing(directory + "/a.jpg").gid == 34)
        }
    }

    @Test(arguments: ["a.jpg", "._plain", "directory"])
    func extendedAttributes(name: String) throws {
        try withMountedLibrary { roll in
            let path = "\(roll.dcim)/\(name)"
            if name == "directory" {
                try Posix.makeDirectory(path)
            } else {
                try Files.write(Generated.jpeg(), to: path)
            }
            try require("setfattr", "-n", "user.note", "-v", "first", path)
            try require("setfattr", "-n", "user.note", "-v", "second", path)
            try require("setfattr", "-n", "user.binary", "-v", "0x00ff10", path)
            func check() throws {
                #expect(try require("getfattr", "--only-values", "-n", "user.note", path).stdout == "second")
                #expect(try require("getfattr", "-e", "hex", "-n", "user.binary", path).stdout.contains("0x00ff10"))
                let names = try require("getfattr", path).stdout
                #expect(names.contains("user.note"))
                #expect(names.contains("user.binary"))
            }
            try check()
            try roll.remount()
            try check()
            try require("setfattr", "-x", "user.note", path)
            let gone = try run("getfattr", "-n", "user.note", path)
            #expect(gone.stderr.contains("No such attribute"))
            #expect(try run("setfattr", "-x", "user.note", path).stderr.contains("No such attribute"))
        }
    }

    @Test func attributesOfAnAsset() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            try Generated.photo(
                at: source, date: "2024:05:17 10:00:00", offset: "+02:00",
                more: ["-GPSLatitude=48.85", "-GPSLatitudeRef=N", "-GPSLongitude=2.35", "-GPSLongitudeRef=E"])
            let path = roll.dcim + "/IMG_0001.JPG"
            try require("cp", source, path)
            let asset = try #require(try roll.assets().first)
            func value(_ name: String) throws -> String? { try Files.attribute("user.cameraroll.\(name)", of: path) }
            #expect(try value("id") == asset.id)
            #expect(try value("url") == "assets-library://asset/asset.JPG?id=\(asset.id)&ext=JPG")
            #expect(try value("type") == "public.jpeg")
            #expect(try value("state") == "asset")
            #expect(try value("captured") == "2024-05-17T10:00:00+02:00")
            #expect(try value("sha256") == Generated.sha256(source))
            let location = try #require(try value("location"))
            #expect(location.hasPrefix("geo:48.85"), "\(location)")
            #expect(try value("error") == nil)
        }
    }

    /// Names that are no files of ours stay in DCIM, so that archives can be unpacked; the other views refuse them.
    @Test func specialFiles() throws {
        try withMountedLibrary { roll in
            func d(_ name: String) -> String { "\(roll.dcim)/\(name)" }
            try Posix.symlink("../DCIM/no where", d("link"))
            try require("mkfifo", "-m", "640", d("fifo"))
            try require(
                "python3", "-c", "import socket,sys; socket.socket(socket.AF_UNIX).bind('s')", cwd: roll.dcim)
            if Machine.isRoot { try require("mknod", d("null"), "c", "1", "3") }
            func check() throws {
                #expect(try Posix.readLink(d("link")) == "../DCIM/no where")
                #expect(try Files.existing(d("link")).size == 16)
                #expect(try Files.existing(d("fifo")).kind == .fifo)
                #expect(try Files.existing(d("fifo")).mode & 0o777 == 0o640)
                #expect(try Files.existing(d("s")).kind == .socket)
                if Machine.isRoot {
                    #expect(try require("stat", "-c", "%F %t %T", d("null")).stdout == "character special file 1 3\n")
                }
            }
            try check()
            try roll.remount()
            try check()
            #expect(try roll.assets().isEmpty)
            for view in ["Dates", "Recently Added", "Recently Deleted"] {
                #expect(failure { try Posix.symlink("x", "\(roll.root)/\(view)/link") } == .notPermitted, "\(view)")
                let fifo = try run("mkfifo", "\(roll.root)/\(view)/fifo")
                #expect(fifo.stderr.contains("Operation not permitted"), "\(view): \(fifo)")
            }
            try require("rm", d("link"), d("fifo"), d("s"))
        }
    }

    /// A private mapping sees the file and keeps its own changes; a shared one changes the file.
    @Test func privateAndSharedMappings() throws {
        let script = """
            import mmap, os, sys
            path = sys.argv[1]
            file = os.open(path, os.O_RDWR)
            size = os.fstat(file).st_size
            with mmap.mmap(file, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE) as memory:
                memory[0:4] = b'PRIV'
                assert os.pread(file, 4, 0) == b'0000', os.pread(file, 4, 0)
            with mmap.mmap(file, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ | mmap.PROT_WRITE) as memory:
                memory[4096:4100] = b'SHAR'
                os.pwrite(file, b'WRIT', 8192)
                memory.flush()
                assert os.pread(file, 4, 4096) == b'SHAR', os.pread(file, 4, 4096)
                assert memory[8192:8196] == b'WRIT', memory[8192:8196]
            os.close(file)
            """
        try withMountedLibrary { roll in
            let path = roll.dcim + "/._mapped"
            try Files.write([UInt8](repeating: 0x30, count: 12_288), to: path)
            expectSuccess(try run("python3", "-c", script, path))
            let bytes = try Files.read(path)
            #expect(bytes[0..<4] == Array("0000".utf8)[...])
            #expect(bytes[4096..<4100] == Array("SHAR".utf8)[...])
            #expect(bytes[8192..<8196] == Array("WRIT".utf8)[...])
            // A picture is read through a mapping as well.
            let picture = Generated.jpeg()
            try Files.write(picture, to: roll.dcim + "/a.jpg")
            let read = """
                import mmap, sys
                with open(sys.argv[1], 'rb') as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as memory:
                    sys.stdout.buffer.write(memory[:])
                """
            #expect(try run("python3", "-c", read, roll.dcim + "/a.jpg").output == picture)
        }
    }

    /// The descriptor is closed before the mapping writes: what counts is what the file holds in the end.
    @Test func aMappingOutlivesItsDescriptor() throws {
        let script = """
            import ctypes, os, sys
            libc = ctypes.CDLL(None, use_errno=True)
            libc.mmap.restype = ctypes.c_void_p
            libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
            libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
            source = open(sys.argv[1], 'rb').read()
            file = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT, 0o644)
            os.ftruncate(file, len(source))
            memory = libc.mmap(None, len(source), 3, 1, file, 0)
            try:
                os.close(file)
                print('closed')
            except OSError as error:
                print(error.errno)
            ctypes.memmove(memory, source, len(source))
            assert libc.munmap(memory, len(source)) == 0
            """
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            try WriterProgramsTests.makeSource(source)
            let outcome = try run("python3", "-c", script, source, roll.dcim + "/late.jpg")
            expectSuccess(outcome)
            #expect(outcome.stdout == "22\n", "zeros are no picture: \(outcome)")
            // The release that commits it comes after munmap has returned.
            var tries = 0
            while try roll.assets().isEmpty, tries < 100 {
                Clock.sleep(50_000_000)
                tries += 1
            }
            try expectAsset(roll.dcim + "/late.jpg", holding: source)
            try expectLibrary(roll, lists: ["late.jpg"], assets: 1)
        }
    }

    /// Descriptors that a child inherits: each close is a flush, and none of them spoils what is still written.
    @Test func inheritedDescriptors() throws {
        let script = """
            import os, sys
            source = open(sys.argv[1], 'rb').read()
            file = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT, 0o644)
            half = len(source) // 2
            os.write(file, source[:half])
            if os.fork() == 0:
                os._exit(0)
            os.wait()
            os.write(file, source[half:])
            os.close(file)
            """
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            try WriterProgramsTests.makeSource(source)
            expectSuccess(try run("python3", "-c", script, source, roll.dcim + "/fork.jpg"))
            try expectAsset(roll.dcim + "/fork.jpg", holding: source)
            try expectLibrary(roll, lists: ["fork.jpg"], assets: 1)
        }
    }
}
