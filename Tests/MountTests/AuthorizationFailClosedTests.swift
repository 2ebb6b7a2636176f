import Foundation
import Glibc
import Platform
import Support
import Testing

/// Where nobody can tell who may come in, nobody does.
@Suite struct AuthorizationFailClosedTests {
    /// The page of the catalogue where the records of authorization lie, as offset and length.
    private func recordsPage(_ roll: MountedLibrary) throws -> (offset: Int, count: Int) {
        let catalog = roll.library + "/catalog.sqlite"
        try require("sqlite3", "-batch", catalog, "PRAGMA wal_checkpoint(TRUNCATE)")
        let answer = try require(
            "sqlite3", "-batch", catalog,
            "PRAGMA page_size; SELECT rootpage FROM sqlite_master WHERE name = 'authorization'")
        let numbers = answer.lines.compactMap { Int($0) }
        guard numbers.count == 2 else { throw HarnessError(answer.description) }
        return ((numbers[1] - 1) * numbers[0], numbers[0])
    }

    @Test func damagedRecords() throws {
        try withMountedLibrary { roll in
            try Files.write(Generated.jpeg(), to: roll.dcim + "/a.jpg")
            let bytes = try Files.read(roll.dcim + "/a.jpg")
            try roll.unmount()
            let page = try recordsPage(roll)
            let catalog = roll.library + "/catalog.sqlite"
            let file = try Posix.open(catalog, O_RDWR)
            let intact = try Posix.pread(file, count: page.count, at: page.offset)
            _ = try Posix.pwrite(file, [UInt8](repeating: 0xA5, count: page.count), at: page.offset)
            roll.options.authorize = nil
            roll.options.options = ["prompt_timeout=5"]
            try roll.mount()
            // With an agent there to be asked: this is no question to a user.
            let terminal = try Terminal(Product.command, ["agent", roll.library])
            try terminal.expect("waiting for questions")
            #expect(try Files.names(in: roll.dcim) == [])
            #expect(failure { _ = try Files.read(roll.dcim + "/a.jpg") } == .accessDenied)
            #expect(failure { try Files.write([1], to: roll.dcim + "/new.jpg") } == .accessDenied)
            #expect(!terminal.output.contains("wants to use"))
            // What was damaged is whole again: so are the answers.
            _ = try Posix.pwrite(file, intact, at: page.offset)
            try Posix.close(file)
            try roll.unmount()
            try roll.mount()
            #expect(try Files.read(roll.dcim + "/a.jpg") == bytes)
        }
    }

    /// The answer of a user that cannot be kept is none.
    @Test(.enabled(if: Machine.isRoot, "needs root, to mount a small file system"))
    func fullDisk() throws {
        try Machine.withSmallFileSystem(mebibytes: 48) { small in
            let options = MountOptions(authorize: nil, options: ["prompt_timeout=4"], libraryParent: small)
            try withMountedLibrary(options) { roll in
                let terminal = try Terminal(Product.command, ["agent", roll.library])
                try terminal.expect("waiting for questions")
                _ = try run("sh", "-c", "cat /dev/zero > \"$1/fill\"", "sh", small)
                // Blocks that the log has already take an answer on a full disk as well; here they take nothing.
                let log = roll.library + "/catalog.sqlite-wal"
                try require("chattr", "+i", log)
                defer { _ = try? run("chattr", "-i", log) }
                let waiting = try RunningProgram("ls", [roll.dcim + "/x"])
                try terminal.expect("wants to use the library")
                try terminal.type("f")
                let outcome = waiting.wait(timeout: 20)
                #expect(outcome.stderr.contains("Permission denied"), "\(outcome)")
                try terminal.expect("could not be stored")
                #expect(failure { try Files.write([1], to: roll.dcim + "/new.jpg") } == .accessDenied)
                try require("chattr", "-i", log)
                try require("rm", "-f", small + "/fill")
                let list = try Product.json("authorization", roll.library, "list", as: AuthorizationList.self)
                #expect(list.records.isEmpty)
                try roll.authorize("allow", "user:0")
                try Files.write(Generated.jpeg(), to: roll.dcim + "/a.jpg")
                #expect(try Files.names(in: roll.dcim) == ["a.jpg"])
            }
        }
    }
}
