import Foundation
import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

/// Steps of the store that fail: nothing is half made, and the same operation succeeds once the cause is gone.
@Suite(.serialized) struct FaultTests {
    private static let date = "2024:05:17 10:00:00"
    private static let original = Picture.jpeg(1, look: 1, date: date)
    private static let edited = Picture.jpeg(2, look: 2, date: date)

    /// Puts a file in the place of a directory while `body` runs.
    private func without(_ directory: String, _ library: TestLibrary, _ body: () throws -> Void) throws {
        let path = "\(library.path)/\(directory)"
        try Posix.check(rename(path, path + ".away"))
        try Files.write([], to: path)
        defer {
            unlink(path)
            rename(path + ".away", path)
        }
        try body()
    }

    enum Operation: String, CaseIterable, Sendable {
        case add, addFar, edit, stepAside, amend, renameNew, renameOver, revert, keep, purge, merge
    }

    /// Does one operation on a library that was prepared for it.
    private func perform(_ operation: Operation, _ library: TestLibrary) throws {
        switch operation {
        case .add: try library.add("DCIM/new.jpg", Picture.jpeg(10))
        case .addFar: try library.add("DCIM/far/away/new.jpg", Picture.jpeg(11))
        case .edit: try overwrite("DCIM/a.jpg", Self.edited, library)
        case .stepAside: try overwrite("DCIM/a.jpg", Picture.jpeg(12, look: 9, date: "2020:01:01 00:00:00"), library)
        case .amend: try overwrite("DCIM/a.jpg", Picture.jpeg(13, look: 9), library, amends: true)
        case .renameNew: try library.rename("DCIM/x.tmp", "DCIM/x.jpg")
        case .renameOver: try library.rename("DCIM/y.tmp", "DCIM/a.jpg")
        case .revert: try overwrite("DCIM/b.jpg", Picture.jpeg(20, look: 3, date: Self.date), library)
        case .keep:
            let draft = try library.draft("DCIM/a.jpg", Picture.cutOff(4))
            do {
                _ = try library.library.keep(draft, of: library.node("DCIM/a.jpg").id, written: nil, reason: "r")
            } catch {
                try? library.library.discard(draft)
                throw error
            }
        case .purge:
            let deleted = try #require(try library.library.trash().first)
            try library.library.purge(deleted.node.id)
        case .merge: try library.add("DCIM/again.jpg", Self.original)
        }
    }

    private func overwrite(
        _ path: String, _ bytes: [UInt8], _ library: TestLibrary, amends: Bool = false
    ) throws {
        let draft = try library.draft(path, bytes)
        do {
            _ = try library.library.commitDraft(
                draft, of: library.node(path).id, amends: amends, written: nil, client: "u")
        } catch {
            try? library.library.discard(draft)
            throw error
        }
    }

    private func prepare(_ library: TestLibrary) throws {
        try library.asset("DCIM/a.jpg", Self.original)
        try library.asset("DCIM/b.jpg", Picture.jpeg(20, look: 3, date: Self.date))
        _ = try library.overwrite("DCIM/b.jpg", Picture.jpeg(21, look: 4, date: Self.date))
        try library.add("DCIM/x.tmp", Picture.jpeg(30))
        try library.add("DCIM/y.tmp", Self.edited)
        try library.asset("DCIM/gone.jpg", Picture.jpeg(40))
        try library.unlink("DCIM/gone.jpg")
    }

    /// The bytes of every path in the camera roll that existed before.
    private func requireAsBefore(_ library: TestLibrary) throws {
        #expect(try library.bytes("DCIM/a.jpg") == Self.original)
        #expect(try library.bytes("DCIM/b.jpg") == Picture.jpeg(21, look: 4, date: Self.date))
        #expect(try library.bytes("DCIM/x.tmp") == Picture.jpeg(30))
        #expect(try library.bytes("DCIM/y.tmp") == Self.edited)
    }

    @Test(arguments: Operation.allCases, ["originals", "renders", "staging"])
    func aDirectoryThatIsNotThere(operation: Operation, directory: String) throws {
        try withLibrary { library in
            try prepare(library)
            var failed: Errno?
            try without(directory, library) { failed = refusal { try perform(operation, library) } }
            if failed != nil {
                try requireAsBefore(library)
                // What was made for a new file stays pending, as after any error; the name is free for another try.
                for path in ["DCIM/new.jpg", "DCIM/far/away/new.jpg", "DCIM/again.jpg"] where try library.exists(path) {
                    #expect(try library.node(path).kind == .pending)
                    try library.unlink(path)
                }
                let before = try LibraryInvariants.problems(in: library.path)
                #expect(before == [], "\(failed?.name ?? "")")
                try perform(operation, library)
            }
        }
    }

    /// Another process holds the catalogue longer than anyone waits.
    @Test func aCatalogueThatIsBusy() throws {
        try withLibrary { library in
            try prepare(library)
            let blocker = try RunningProgram(
                "sqlite3", ["-batch", library.path + "/catalog.sqlite"],
                stdin: Array("BEGIN IMMEDIATE;\n.print locked\n.shell sleep 60\n".utf8))
            defer { blocker.kill() }
            while !blocker.outputSoFar.contains("locked"), blocker.isRunning { usleep(1000) }
            let edit = try library.draft("DCIM/a.jpg", Self.edited)
            #expect(
                refusal {
                    _ = try library.library.commitDraft(
                        edit, of: library.node("DCIM/a.jpg").id, amends: false, written: nil, client: "u")
                } == .busy)
            try requireAsBefore(library)
            // The draft is where it was, for another try.
            #expect(try library.library.isStaged(edit))
            blocker.kill()
            _ = blocker.wait()
            #expect(
                try library.library.commitDraft(
                    edit, of: library.node("DCIM/a.jpg").id, amends: false, written: nil, client: "u"
                ).isAsset)
            try perform(.add, library)
        }
    }

    /// A small file system fills up while pictures are copied in: each close says so or the picture is whole.
    @Test(.enabled(if: Machine.canLoopMount)) func aFullDisk() throws {
        try Machine.withSmallFileSystem(mebibytes: 96) { directory in
            do {
                let library = try TestLibrary(at: directory + "/library")
                defer { library.close() }
                library.library.refillReserve()
                try library.asset("DCIM/a.jpg", Self.original)
                var stored: [Int] = []
                var failed = 0
                for number in 0..<60 where failed == 0 {
                    let bytes = Picture.jpeg(UInt64(100 + number)) + [UInt8](repeating: 1, count: 4_000_000)
                    let error = refusal { try library.add("DCIM/\(number).jpg", bytes) }
                    if error == nil {
                        stored.append(number)
                    } else {
                        #expect(error == .noSpace)
                        failed += 1
                        if try library.exists("DCIM/\(number).jpg") { try library.unlink("DCIM/\(number).jpg") }
                    }
                }
                #expect(!stored.isEmpty && failed > 0)
                // An edit and another picture over a full disk.
                for bytes in [Self.edited, Picture.jpeg(7, look: 9, date: "2020:01:01 00:00:00")] {
                    let large = bytes + [UInt8](repeating: 1, count: 40_000_000)
                    #expect(refusal { try overwriteOnFullDisk("DCIM/a.jpg", large, library) } == .noSpace)
                }
                #expect(try library.bytes("DCIM/a.jpg") == Self.original)
                #expect(try LibraryInvariants.problems(in: library.path) == [])
                // Deleting works on a full disk, and makes room.
                for number in stored.prefix(8) { try library.unlink("DCIM/\(number).jpg") }
                #expect(try library.library.purgeTrash(deletedBefore: .max) == min(8, stored.count))
                try library.asset("DCIM/new.jpg", Picture.jpeg(999) + [UInt8](repeating: 1, count: 4_000_000))
                for number in stored.dropFirst(8) {
                    let bytes = Picture.jpeg(UInt64(100 + number)) + [UInt8](repeating: 1, count: 4_000_000)
                    #expect(try library.bytes("DCIM/\(number).jpg") == bytes)
                }
                #expect(try LibraryInvariants.problems(in: library.path) == [])
            }
        }
    }

    private func overwriteOnFullDisk(_ path: String, _ bytes: [UInt8], _ library: TestLibrary) throws {
        let draft = try library.library.makeDraft(of: library.node(path).id, copying: nil)
        do {
            try bytes.withUnsafeBytes { try draft.file.writeFully($0, at: 0) }
            _ = try library.library.commitDraft(
                draft, of: library.node(path).id, amends: false, written: nil, client: "u")
        } catch {
            try library.library.discard(draft)
            throw error
        }
    }
}
