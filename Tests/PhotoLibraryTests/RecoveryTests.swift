import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

/// What each point at which a process can end leaves behind, made by hand.
@Suite struct RecoveryTests {
    private static let date = "2024:05:17 10:00:00"

    /// Where a staging file goes when it becomes a version of a node.
    private func version(_ area: String, _ node: UInt64, _ staged: String) -> String {
        func hex(_ value: UInt64, _ digits: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let identifier = staged.split(separator: "/").last.map(String.init) ?? ""
        return "\(area)/\(hex(node >> 16, 4))/\(hex(node >> 8 & 0xFF, 2))/\(identifier).JPG"
    }

    private func move(_ library: TestLibrary, _ old: String, _ new: String) throws {
        try require("mkdir", "-p", "\(library.path)/\(new.split(separator: "/").dropLast().joined(separator: "/"))")
        try Posix.check(rename("\(library.path)/\(old)", "\(library.path)/\(new)"))
    }

    /// Its bytes look whole, but nobody knows what was still to come.
    @Test func aFileThatWasNotClosed() throws {
        try withLibrary { library in
            let made = try library.write("DCIM/a.jpg", Picture.jpeg(1))
            _ = try library.write("DCIM/empty.jpg", [])
            let report = try library.reopen()
            #expect(report.unfinished == [])
            #expect(try library.node("DCIM/a.jpg").kind == .pending)
            #expect(try library.node("DCIM/a.jpg").reason?.contains("Copy it again") == true)
            #expect(try library.bytes("DCIM/a.jpg") == Picture.jpeg(1))
            #expect(try library.exists("DCIM/empty.jpg"))
            // Whoever looks at it again decides: it can be taken as it is.
            #expect(try library.library.commitUnfinished(made.node.id).isAsset)
        }
    }

    @Test(arguments: [true, false])
    func aFileThatWasClosed(writtenSince: Bool) throws {
        try withLibrary { library in
            let made = try library.write("DCIM/a.jpg", Picture.jpeg(1))
            let status = try made.file.status()
            try made.file.setAttribute(
                "user.cameraroll.closed", to: Array("\(status.size) \(status.modificationTime)".utf8))
            if writtenSince {
                try [UInt8](repeating: 1, count: 9).withUnsafeBytes { try made.file.writeFully($0, at: 9000) }
            }
            #expect(try library.reopen().unfinished == (writtenSince ? [] : [made.node.id]))
        }
    }

    @Test func aFileThatWasMovedAndHasNoRow() throws {
        try withLibrary { library in
            let made = try library.write("DCIM/a.jpg", Picture.jpeg(1))
            let file = try #require(made.node.file)
            try move(library, file, version("originals", made.node.id, file))
            let report = try library.reopen()
            #expect(report.movedBack == 1 && report.unfinished == [made.node.id])
            #expect(try library.bytes("DCIM/a.jpg") == Picture.jpeg(1))
            #expect(try library.library.commitUnfinished(made.node.id).isAsset)
        }
    }

    @Test func aRowWhoseFileIsStillInStaging() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            let file = try #require(node.file)
            let identifier = try #require(file.split(separator: "/").last?.split(separator: ".").first)
            try move(library, file, "staging/\(identifier)")
            #expect(try library.reopen().movedBack == 1)
            #expect(try library.bytes("DCIM/a.jpg") == Picture.jpeg(1))
        }
    }

    @Test func aStagingFileWithoutARow() throws {
        try withLibrary { library in
            _ = try library.directory("DCIM/sub")
            let made = try library.write("DCIM/sub/a.jpg", Picture.jpeg(1))
            try library.asset("DCIM/sub/b.jpg", Picture.jpeg(2))
            let other = try library.write("DCIM/gone/c.jpg", Picture.jpeg(3))
            let broken = try library.write("DCIM/x.jpg", Picture.cutOff(4))
            try library.sql(
                """
                DELETE FROM dentry WHERE node IN (\(made.node.id), \(other.node.id), \(broken.node.id));
                DELETE FROM node WHERE id IN (\(made.node.id), \(other.node.id), \(broken.node.id));
                """)
            _ = try library.library.removeDirectory(FileName("gone"), in: Library.cameraRollNode)
            let report = try library.reopen()
            #expect(report.recovered == 3 && report.unfinished.count == 3)
            #expect(try library.bytes("DCIM/sub/a.jpg") == Picture.jpeg(1))
            #expect(try library.bytes("DCIM/c.jpg") == Picture.jpeg(3))
            #expect(try library.bytes("DCIM/x.jpg") == Picture.cutOff(4))
            for node in report.unfinished { _ = try? library.library.commitUnfinished(node) }
            #expect(try library.node("DCIM/sub/a.jpg").kind == .asset)
            #expect(try library.node("DCIM/x.jpg").reason != nil)
        }
    }

    @Test func aStagingFileWhoseNameIsTakenMeanwhile() throws {
        try withLibrary { library in
            let made = try library.write("DCIM/a.jpg", Picture.jpeg(1))
            try library.sql(
                "DELETE FROM dentry WHERE node = \(made.node.id); DELETE FROM node WHERE id = \(made.node.id)")
            try library.asset("DCIM/a.jpg", Picture.jpeg(2))
            try library.reopen()
            #expect(try library.names("DCIM") == ["a.jpg", "a~1.jpg"])
            #expect(try library.bytes("DCIM/a~1.jpg") == Picture.jpeg(1))
        }
    }

    @Test func aStrayFileOfNobody() throws {
        try withLibrary { library in
            try Files.write(Picture.jpeg(1), to: "\(library.path)/staging/whatever")
            try Files.write([], to: "\(library.path)/staging/empty")
            #expect(try library.reopen().recovered == 1)
            #expect(try library.names("DCIM") == ["Recovered"])
            #expect(try library.stored("staging") == ["whatever"])
        }
    }

    @Test func aDraftThatWasNotClosed() throws {
        try withLibrary { library in
            try library.asset("DCIM/a.jpg", Picture.jpeg(1, date: Self.date))
            _ = try library.draft("DCIM/a.jpg", Picture.cutOff(2))
            #expect(try library.reopen().droppedDrafts == 1)
            #expect(try library.bytes("DCIM/a.jpg") == Picture.jpeg(1, date: Self.date))
            #expect(try library.names("DCIM") == ["a.jpg"])
        }
    }

    @Test(arguments: ["renders", "originals"])
    func aDraftThatWasMovedAndHasNoRow(area: String) throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/sub/a.jpg", Picture.jpeg(1, date: Self.date))
            _ = try library.draft("DCIM/sub/a.jpg", Picture.jpeg(2, date: Self.date))
            let staged = try #require(try library.stored("staging").first)
            try move(library, "staging/\(staged)", version(area, node.id, staged))
            let report = try library.reopen()
            #expect(report.recovered == 1)
            #expect(try library.bytes("DCIM/sub/a.jpg") == Picture.jpeg(1, date: Self.date))
            #expect(try library.bytes("DCIM/sub/a~1.jpg") == Picture.jpeg(2, date: Self.date))
        }
    }

    @Test func aDoomedFileThatWasNotRemoved() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            try library.unlink("DCIM/a.jpg")
            let file = try #require(node.file)
            let copy = "\(library.path)/copy"
            try Posix.check(link("\(library.path)/\(file)", copy))
            try library.library.purge(node.id)
            try Posix.check(rename(copy, "\(library.path)/\(file)"))
            try library.sql("INSERT INTO doomed_file VALUES ('\(file)'), ('originals/not/there')")
            try library.reopen()
            #expect(try library.stored("originals") == [])
            #expect(try library.sql("SELECT count(*) FROM doomed_file") == ["0"])
        }
    }

    @Test func aPendingRowWhoseBytesAreGone() throws {
        try withLibrary { library in
            let made = try library.write("DCIM/a.jpg", Picture.jpeg(1))
            try Posix.check(unlink("\(library.path)/\(try #require(made.node.file))"))
            #expect(try library.reopen().lost == 1)
            #expect(try library.names("DCIM") == [])
            #expect(try Files.text("\(library.path)/logs/events.jsonl").contains("DCIM/a.jpg"))
        }
    }

    /// A catalogue from a backup knows less than the originals do: what it does not know comes back.
    @Test func anOlderCatalogue() throws {
        try withTemporaryPlace { place in
            let library = try TestLibrary(at: place("library"))
            try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            try require("sqlite3", place("library/catalog.sqlite"), ".backup \(place("backup"))")
            try library.asset("DCIM/b.jpg", Picture.jpeg(2))
            try library.asset("DCIM/sub/c.jpg", Picture.jpeg(3))
            library.close()
            let backup = try TestLibrary(at: place("other"))
            backup.close()
            try require("rm", "-rf", place("other/originals"), place("other/catalog.sqlite"))
            try require("cp", place("backup"), place("other/catalog.sqlite"))
            try require("cp", "-a", place("library/originals"), place("other/originals"))
            let restored = try Library(path: place("other"))
            let report = try restored.recover()
            #expect(report.recovered == 2)
            for node in report.unfinished { #expect(try restored.commitUnfinished(node).isAsset) }
            #expect(try restored.node(atPath: "DCIM/b.jpg")?.kind == .asset)
            #expect(try LibraryInvariants.problems(in: place("other")) == [])
            restored.close()
        }
    }

    @Test func recoveringTwiceChangesNothing() throws {
        try withLibrary { library in
            try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            _ = try library.write("DCIM/b.jpg", Picture.cutOff(1))
            let first = try library.reopen()
            let second = try library.reopen()
            #expect(first.unfinished == second.unfinished)
            #expect(second.movedBack == 0 && second.recovered == 0 && second.lost == 0)
        }
    }

    @Test func whatIsNoLibrary() throws {
        try withTemporaryPlace { place in
            func kind(_ path: String) -> LibraryError.Kind? {
                do throws(LibraryError) {
                    try Library(path: path).close()
                    return nil
                } catch {
                    #expect(error.reason.count > 20)
                    return error.kind
                }
            }
            #expect(kind(place("missing")) == .noSuchItem)
            #expect(kind(place.path) == .notALibrary)
            for (name, bytes) in [("empty", []), ("garbage", [UInt8](repeating: 0x55, count: 10_000))] {
                do {
                    let library = try TestLibrary(at: place(name))
                    try library.asset("DCIM/a.jpg", Picture.jpeg(1))
                    library.close()
                }
                try require("rm", "-f", place("\(name)/catalog.sqlite-wal"), place("\(name)/catalog.sqlite-shm"))
                try Files.write(bytes, to: place("\(name)/catalog.sqlite"))
                #expect(kind(place(name)) == .damaged)
                // Nothing was made anew over it.
                #expect(try Files.read(place("\(name)/catalog.sqlite")) == bytes)
            }
            #expect(!Library.isLibrary(place.path))
            #expect(throws: LibraryError.self) { try Library.create(at: place.path) }
            let newer = try TestLibrary(at: place("newer"))
            try newer.sql("INSERT INTO migration VALUES ('99-from-the-future')")
            newer.close()
            #expect(kind(place("newer")) == .invalid)
            #expect(throws: LibraryError.self) { try Library.create(at: place("newer")) }
        }
    }

    @Test func readOnlyLibrariesAreReadAndNotChanged() throws {
        try withTemporaryPlace { place in
            let library = try TestLibrary(at: place("library"))
            let node = try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            library.close()
            var options = Library.Options()
            options.isReadOnly = true
            let reader = try Library(path: place("library"), options: options)
            #expect(try reader.node(atPath: "DCIM/a.jpg")?.id == node.id)
            #expect(refusal { _ = try reader.unlink(FileName("a.jpg"), in: 2) } == .readOnlyFileSystem)
            #expect(
                refusal { _ = try reader.makeFile(FileName("b"), in: 2, mode: 0o644, owner: TestLibrary.owner) }
                    == .readOnlyFileSystem)
            #expect(try library.stored("staging") == [])
            reader.close()
        }
    }
}
