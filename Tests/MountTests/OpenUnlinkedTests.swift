import Glibc
import Platform
import Support
import Testing

@Suite struct OpenUnlinkedTests {
    @Test func removedAssetStaysReadable() throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/a.jpg"
            let bytes = Generated.jpeg() + [UInt8](repeating: 9, count: 300_000)
            try Files.write(bytes, to: path)
            let file = try Posix.open(path, O_RDONLY)
            defer { try? Posix.close(file) }
            try require("rm", path)
            #expect(try Files.names(in: roll.dcim) == [])
            #expect(try Posix.pread(file, count: bytes.count + 1, at: 0) == bytes)
            #expect(try Files.names(in: roll.dcim) == [], "no .fuse_hidden name")
            // Deleted for good while it is open: still readable.
            try require("rm", roll.root + "/Recently Deleted/a.jpg")
            #expect(try Posix.status(file).links == 0)
            #expect(try Posix.pread(file, count: bytes.count + 1, at: 0) == bytes)
        }
    }

    /// A temporary file that a program removes as soon as it is open.
    @Test(arguments: ["a.jpg", "scratch.tmp", "._scratch"])
    func removedFileTakesWrites(name: String) throws {
        try withMountedLibrary { roll in
            let path = "\(roll.dcim)/\(name)"
            let file = try Posix.open(path, O_CREAT | O_RDWR)
            _ = try Posix.pwrite(file, Array("before".utf8), at: 0)
            try Posix.unlink(path)
            _ = try Posix.pwrite(file, Array(" and after".utf8), at: 6)
            #expect(try Posix.pread(file, count: 100, at: 0) == Array("before and after".utf8))
            #expect(try Posix.status(file).size == 16)
            #expect(try Posix.status(file).links == 0)
            #expect(try Files.names(in: roll.dcim) == [])
            // The name is free at once for another file.
            try Files.write([], to: path)
            #expect(try Posix.status(file).size == 16)
            try Posix.unlink(path)
            #expect(failure { try Posix.close(file) } == nil, "nobody can mind what has no name")
            try expectLibrary(roll, lists: [], assets: 0)
            #expect(try roll.trash().isEmpty)
            try roll.remount()
            try expectLibrary(roll, lists: [], assets: 0)
        }
    }

    @Test func replacedFileStaysReadable() throws {
        try withMountedLibrary { roll in
            try Files.write(Array("old".utf8), to: roll.dcim + "/._a")
            try Files.write(Array("new".utf8), to: roll.dcim + "/._b")
            let file = try Posix.open(roll.dcim + "/._a", O_RDONLY)
            defer { try? Posix.close(file) }
            try Posix.rename(roll.dcim + "/._b", roll.dcim + "/._a")
            #expect(try Posix.pread(file, count: 10, at: 0) == Array("old".utf8))
            #expect(try Files.text(roll.dcim + "/._a") == "new")
            #expect(try Files.names(in: roll.dcim) == ["._a"])
        }
    }

    @Test func removedDirectoryStaysOpen() throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/d"
            try Posix.makeDirectory(path)
            let directory = try Directory(path)
            let script = """
                import os, sys
                directory = os.open(sys.argv[1], os.O_RDONLY)
                os.rmdir(sys.argv[1])
                print(os.fstat(directory).st_nlink, os.listdir(directory))
                """
            let outcome = try run("python3", "-c", script, path)
            #expect(outcome.stdout == "0 []\n", "\(outcome)")
            #expect(try directory.descriptor.status().links == 0)
            #expect(failure { try directory.makeDirectory("new") } == .noEntry)
            #expect(failure { _ = try directory.open("f", [.create, .writeOnly]) } == .noEntry)
        }
    }
}
