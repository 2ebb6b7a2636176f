import Glibc
import Platform
import Support
import Testing

@Suite struct FileDescriptorTests {
    @Test func copyKeepsContentsAndHoles() throws {
        try withTemporaryPlace { place in
            let source = try FileDescriptor.open(place("source"), [.readWrite, .create])
            let pieces: [(Int64, [UInt8])] = [
                (0, Array("start".utf8)), (3 << 20, [UInt8](repeating: 7, count: 70_000)), ((9 << 20) + 13, [1, 2, 3]),
            ]
            for (offset, bytes) in pieces { try bytes.withUnsafeBytes { try source.writeFully($0, at: offset) } }
            // Ends with a hole.
            try source.truncate(to: 20 << 20)
            let copy = try FileDescriptor.open(place("copy"), [.readWrite, .create])
            try copy.copyContents(of: source)
            #expect(try Files.sameContents(place("source"), place("copy")))
            #expect(try copy.status().size == 20 << 20)
            #expect(try copy.status().blocks <= source.status().blocks + 64)
        }
    }

    @Test(arguments: [0, 1, 4095, 4096, 4097, 1_000_003])
    func copyOfAnySize(size: Int) throws {
        try withTemporaryPlace { place in
            try Files.write((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }, to: place("a"))
            let copy = try FileDescriptor.open(place("b"), [.readWrite, .create])
            try copy.copyContents(of: FileDescriptor.open(place("a"), .readOnly))
            #expect(try Files.sameContents(place("a"), place("b")))
        }
    }

    /// Files of proc(5) tell no size and take no copy inside the kernel: what cannot be copied must not come out as
    /// zeros in silence.
    @Test func copyAcrossFileSystems() throws {
        try withTemporaryPlace { place in
            let source = try FileDescriptor.open("/dev/shm/cameraroll-copy-\(getpid())", [.readWrite, .create])
            defer { unlink("/dev/shm/cameraroll-copy-\(getpid())") }
            try Array("across".utf8).withUnsafeBytes { try source.writeFully($0, at: 100_000) }
            let copy = try FileDescriptor.open(place("copy"), [.readWrite, .create])
            try copy.copyContents(of: source)
            #expect(try copy.readBytes(200_000, at: 0) == source.readBytes(200_000, at: 0))
        }
    }

    @Test func extendedAttributes() throws {
        try withTemporaryPlace { place in
            let file = try FileDescriptor.open(place("file"), [.readWrite, .create])
            #expect(try file.attribute("user.test") == nil)
            try file.setAttribute("user.test", to: [])
            #expect(try file.attribute("user.test") == [])
            try file.setAttribute("user.test", to: [0, 1, 255])
            #expect(try file.attribute("user.test") == [0, 1, 255])
        }
    }

    @Test(
        arguments: [
            0, 1, -1, 1_700_000_000_123_456_789, -1_000_000_000, -1_500_000_000, -1_000_000_001, -5_000_000_000_000_000,
        ] as [Int64])
    func timesBeforeAndAfter1970(time: Int64) throws {
        try withTemporaryPlace { place in
            let file = try FileDescriptor.open(place("file"), [.readWrite, .create])
            try file.setTimes(access: time, modification: time)
            #expect(try file.status().modificationTime == time)
            #expect(try file.status().accessTime == time)
        }
    }

    @Test func readsAndWritesAtOffsets() throws {
        try withTemporaryPlace { place in
            let file = try FileDescriptor.open(place("file"), [.readWrite, .create])
            try Array("hello".utf8).withUnsafeBytes { try file.writeFully($0, at: 5) }
            #expect(try file.readBytes(100, at: 0) == [0, 0, 0, 0, 0] + Array("hello".utf8))
            #expect(try file.readBytes(10, at: 10) == [])
            #expect(try file.nextData(after: 0) == 0)
            #expect(throws: Errno.noDevice) { try file.nextData(after: 10) }
            #expect(try file.nextHole(after: 5) == 10)
        }
    }

    @Test func closedWithTheLastReference() throws {
        try withTemporaryPlace { place in
            var file: FileDescriptor? = try FileDescriptor.open(place("file"), [.readWrite, .create])
            let number = try #require(file?.rawValue)
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
            file = nil
            #expect(readlink("/proc/self/fd/\(number)") != place("file"))
        }
    }

    @Test func locksExcludeOtherOpenFiles() throws {
        try withTemporaryPlace { place in
            let one = try FileDescriptor.open(place("file"), [.readWrite, .create])
            let other = try FileDescriptor.open(place("file"), .readWrite)
            #expect(try one.tryLock())
            #expect(try !other.tryLock())
            #expect(try !other.tryLock(shared: true))
        }
    }

    private func readlink(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes {
            Glibc.readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), 4096)
        }
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
}

@Suite struct DirectoryTests {
    @Test func listsWhatIsThere() throws {
        try withTemporaryPlace { place in
            let directory = try Directory(place.path)
            for index in 0..<500 { try Files.write([], to: place("file\(index)")) }
            for _ in 0..<2 {
                var names: Set<String> = []
                try directory.forEachName { name throws(Errno) in names.insert(name) }
                #expect(names.count == 500)
            }
        }
    }

    @Test func whatTheBodyThrowsIsThrown() throws {
        try withTemporaryPlace { place in
            try Files.write([], to: place("file"))
            let directory = try Directory(place.path)
            for _ in 0..<2000 {
                #expect(throws: Errno.busy) {
                    try directory.forEachName { _ throws(Errno) in throw .busy }
                }
            }
            // A stream that was not closed would have used up the descriptors.
        }
    }

    @Test func renames() throws {
        try withTemporaryPlace { place in
            let directory = try Directory(place.path)
            try Files.write([1], to: place("a"))
            try Files.write([2], to: place("b"))
            #expect(throws: Errno.exists) { try directory.renameExclusively("a", to: "b") }
            #expect(try Files.read(place("b")) == [2])
            try directory.rename("a", to: "b")
            #expect(try Files.read(place("b")) == [1])
            try directory.renameExclusively("b", to: "c")
            #expect(try directory.status(of: "b") == nil)
            try directory.link("c", to: "d")
            #expect(try directory.status(of: "d")?.links == 2)
            try directory.makeDirectory("e")
            try directory.makeDirectory("e")
            #expect(throws: Errno.isDirectory) { try directory.unlink("e") }
            try directory.removeDirectory("e")
            #expect(try directory.status(of: "e") == nil)
        }
    }

    @Test func movedDirectoryIsStillTheSame() throws {
        try withTemporaryPlace { place in
            try Files.makeDirectory(place("one"))
            let directory = try Directory(place("one"))
            #expect(rename(place("one"), place("two")) == 0)
            _ = try directory.open("file", [.writeOnly, .create])
            #expect(Files.exists(place("two/file")))
        }
    }
}
