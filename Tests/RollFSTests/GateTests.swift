import FUSE
import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

@testable import RollFS

@Suite struct GateTests {
    private static let caller = Caller(pid: 1, uid: 500, gid: 500)
    private static let client = Client.user(500)

    /// A tree with somebody else's pictures.
    private func withStrangersRoll(_ body: (Roll) throws -> Void) throws {
        try withRoll { roll in
            try roll.add("DCIM/sub/theirs.jpg", Picture.jpeg(1, date: "2024:05:17 10:00:00"))
            try roll.add("DCIM/gone.jpg", Picture.jpeg(2))
            try roll.unlink("DCIM/gone.jpg")
            try body(roll)
        }
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var readWrite: AuthorizationStatus?
        var errno: Errno
        var testDescription: String { readWrite?.name ?? "no record" }
    }

    @Test(arguments: [
        Refused(readWrite: nil, errno: .accessDenied), Refused(readWrite: .denied, errno: .accessDenied),
        Refused(readWrite: .restricted, errno: .notPermitted),
    ])
    func whoSeesNothing(refused: Refused) throws {
        try withStrangersRoll { roll in
            if let status = refused.readWrite {
                try roll.library.authorization.set(status, of: Self.client, level: .readWrite)
            }
            let sub = try roll.inode("DCIM/sub")
            let file = try roll.inode("DCIM/sub/theirs.jpg")
            #expect(try roll.names("DCIM", for: Self.caller) == [])
            for view in ["Dates", "Recently Added", "Recently Deleted"] {
                let inode = try roll.inode(view)
                #expect(try roll.names(inode: inode, for: Self.caller) == [])
            }
            for (what, error) in try everyOperation(roll, sub: sub, file: file) {
                #expect(error == refused.errno, "\(what)")
            }
            #expect(try Files.text("\(roll.path)/logs/authorization.jsonl").contains("\"user:500\""))
            #expect(try roll.bytes("DCIM/sub/theirs.jpg") == Picture.jpeg(1, date: "2024:05:17 10:00:00"))
        }
    }

    /// What each operation answers on somebody else's picture.
    private func everyOperation(_ roll: Roll, sub: UInt64, file: UInt64) throws -> [(String, Errno?)] {
        let system = roll.fileSystem
        let caller = Self.caller
        let (theirs, new) = (try FileName("theirs.jpg"), try FileName("new.jpg"))
        var change = AttributeChange()
        change.mode = 0o777
        var size = AttributeChange()
        size.size = 0
        let dates = try roll.inode("Dates/2024/2024-05/2024-05-17")
        let deleted = try roll.inode("Recently Deleted")
        let gone = try FileName("gone.jpg")
        return [
            ("lookup", refusal { _ = try system.lookup(theirs, in: sub, for: caller) }),
            ("open", refusal { _ = try system.open(file, flags: OpenFlags(rawValue: O_RDONLY), for: caller) }),
            ("write", refusal { _ = try system.open(file, flags: OpenFlags(rawValue: O_RDWR), for: caller) }),
            ("chmod", refusal { _ = try system.setAttributes(of: file, to: change, handle: nil, for: caller) }),
            ("truncate", refusal { _ = try system.setAttributes(of: file, to: size, handle: nil, for: caller) }),
            ("unlink", refusal { try system.unlink(theirs, in: sub, for: caller) }),
            ("rename", refusal { try system.rename(theirs, in: sub, to: new, in: 2, mode: .replace, for: caller) }),
            (
                "exchange",
                refusal { try system.rename(theirs, in: sub, to: theirs, in: sub, mode: .exchange, for: caller) }
            ),
            ("rmdir", refusal { try system.removeDirectory(FileName("sub"), in: 2, for: caller) }),
            ("link", refusal { _ = try system.link(file, to: new, in: 2, for: caller) }),
            (
                "setxattr",
                refusal {
                    try system.setExtendedAttribute("user.x", of: file, to: [1], mode: .createOrReplace, for: caller)
                }
            ),
            ("getxattr", refusal { _ = try system.extendedAttribute("user.cameraroll.id", of: file, for: caller) }),
            ("listxattr", refusal { _ = try system.extendedAttributeNames(of: file, for: caller) }),
            ("view lookup", refusal { _ = try system.lookup(theirs, in: dates, for: caller) }),
            ("view unlink", refusal { try system.unlink(theirs, in: dates, for: caller) }),
            ("purge", refusal { try system.unlink(gone, in: deleted, for: caller) }),
            ("restore", refusal { try system.rename(gone, in: deleted, to: gone, in: 2, mode: .replace, for: caller) }),
            ("stat", refusal { _ = try system.attributes(of: file, handle: nil, for: caller) }),
        ]
    }

    @Test func whoMayOnlyAdd() throws {
        try withStrangersRoll { roll in
            try roll.library.authorization.set(.authorized, of: Self.client, level: .addOnly)
            let sub = try roll.inode("DCIM/sub")
            let file = try roll.inode("DCIM/sub/theirs.jpg")
            // Not even directories show: their names are others' too.
            #expect(try roll.names("DCIM", for: Self.caller) == [])
            #expect(refusal { _ = try roll.names(inode: sub, for: Self.caller) } == .noEntry)
            for (what, error) in try everyOperation(roll, sub: sub, file: file) {
                #expect(error == .noEntry || error == .accessDenied, "\(what): \(String(describing: error))")
            }
            // Its own, for some time. A name that something hidden has is as good as any other.
            try roll.add("DCIM/sub/mine.jpg", Picture.jpeg(5), for: Self.caller)
            #expect(try roll.names("DCIM", for: Self.caller) == ["sub"])
            #expect(try roll.names("DCIM/sub", for: Self.caller) == ["mine.jpg"])
            #expect(try roll.names("DCIM", for: Roll.owner) == ["sub", "sub~1"])
            #expect(try roll.names("DCIM/sub", for: Roll.owner) == ["theirs.jpg"])
            let again = try roll.open("DCIM/sub/mine.jpg", O_RDWR, for: Self.caller)
            #expect(try again.read() == Picture.jpeg(5))
            try again.close()
            try roll.rename("DCIM/sub/mine.jpg", "DCIM/sub/ours.jpg", for: Self.caller)
            try roll.rename("DCIM/sub/ours.jpg", "DCIM/gone.jpg", for: Self.caller)
            #expect(try roll.names("DCIM", for: Self.caller) == ["gone.jpg", "sub"])
            try roll.unlink("DCIM/gone.jpg", for: Self.caller)
            // Nobody else's additions.
            let other = Caller(pid: 1, uid: 501, gid: 501)
            try roll.library.authorization.set(.authorized, of: .user(501), level: .addOnly)
            try roll.add("DCIM/others.jpg", Picture.jpeg(6), for: other)
            #expect(try roll.names("DCIM", for: Self.caller) == ["sub"])
            #expect(try roll.names("DCIM", for: other) == ["others.jpg"])
            #expect(try roll.names("DCIM", for: Roll.owner) == ["others.jpg", "sub", "sub~1"])
        }
    }

    /// Bytes that the library has already become a name of that asset; the client sees this name and no other.
    @Test(arguments: [AuthorizationStatus.limited, .notDetermined]) func knownBytes(status: AuthorizationStatus) throws
    {
        try withStrangersRoll { roll in
            let authorization = roll.library.authorization
            try authorization.set([.readWrite: status, .addOnly: .authorized], of: Self.client)
            let bytes = Picture.jpeg(1, date: "2024:05:17 10:00:00")
            try roll.add("DCIM/mine.jpg", bytes, for: Self.caller)
            #expect(try roll.inode("DCIM/mine.jpg") == roll.inode("DCIM/sub/theirs.jpg"))
            #expect(try roll.names("DCIM", for: Self.caller) == ["mine.jpg"])
            let inode = try roll.inode("DCIM/mine.jpg", for: Self.caller)
            #expect(try roll.fileSystem.attributes(of: inode, handle: nil, for: Self.caller).attributes.links == 1)
            #expect(try roll.fileSystem.attributes(of: inode, handle: nil, for: Roll.owner).attributes.links == 2)
            let reader = try roll.open("DCIM/mine.jpg", O_RDONLY, for: Self.caller)
            #expect(try reader.read() == bytes)
            reader.release()
            try roll.rename("DCIM/mine.jpg", "DCIM/still mine.jpg", for: Self.caller)
            #expect(try roll.names("DCIM", for: Self.caller) == ["still mine.jpg"])
            try roll.unlink("DCIM/still mine.jpg", for: Self.caller)
            #expect(try roll.bytes("DCIM/sub/theirs.jpg") == bytes)
        }
    }

    /// A name that something hidden has: the client's file gets it all the same, as far as the client sees.
    @Test(arguments: [AuthorizationStatus.limited, .notDetermined])
    func namesOfHiddenFilesAreFree(status: AuthorizationStatus) throws {
        try withRoll { roll in
            try roll.add("DCIM/a.jpg", Picture.jpeg(1))
            try roll.library.authorization.set(
                [.readWrite: status, .addOnly: .authorized], of: Self.client)
            let name = try FileName("a.jpg")
            #expect(
                refusal { _ = try roll.fileSystem.lookup(name, in: Roll.dcim, for: Self.caller) } == .noEntry)
            try roll.add("DCIM/a.jpg", Picture.jpeg(2), for: Self.caller)
            #expect(try roll.names("DCIM", for: Self.caller) == ["a.jpg"])
            #expect(try roll.names("DCIM") == ["a.jpg", "a~1.jpg"])
            let reader = try roll.open("DCIM/a.jpg", O_RDONLY, for: Self.caller)
            #expect(try reader.read() == Picture.jpeg(2))
            reader.release()
            #expect(try roll.bytes("DCIM/a.jpg") == Picture.jpeg(1))
            // Renamed away and back, and removed: never the hidden one.
            try roll.rename("DCIM/a.jpg", "DCIM/b.jpg", for: Self.caller)
            #expect(try roll.names("DCIM") == ["a.jpg", "b.jpg"])
            try roll.rename("DCIM/b.jpg", "DCIM/a.jpg", for: Self.caller)
            #expect(try roll.names("DCIM", for: Self.caller) == ["a.jpg"])
            try roll.unlink("DCIM/a.jpg", for: Self.caller)
            #expect(try roll.names("DCIM") == ["a.jpg"])
            #expect(try roll.bytes("DCIM/a.jpg") == Picture.jpeg(1))
        }
    }

    /// A part of the library shows no number that counts the whole.
    @Test func numbersTellNothing() throws {
        try withStrangersRoll { roll in
            try roll.library.authorization.set(.limited, of: Self.client, level: .readWrite)
            let before = try roll.fileSystem.statistics(for: Self.caller)
            let dcim = try roll.fileSystem.attributes(of: Roll.dcim, handle: nil, for: Self.caller).attributes
            for number in 0..<5 { try roll.add("DCIM/\(number)/\(number).jpg", Picture.jpeg(UInt64(10 + number))) }
            let after = try roll.fileSystem.statistics(for: Self.caller)
            #expect(after.blocksFree == before.blocksFree && after.files == before.files)
            #expect(try roll.fileSystem.statistics(for: Roll.owner).blocksFree != after.blocksFree)
            let again = try roll.fileSystem.attributes(of: Roll.dcim, handle: nil, for: Self.caller).attributes
            #expect(again.links == dcim.links && again.modificationTime == dcim.modificationTime)
            #expect(again.changeTime == dcim.changeTime && again.size == dcim.size)
        }
    }

    @Test func ownAdditionsAreForgottenAfterTenMinutes() {
        let additions = RecentAdditions()
        let minute: Int64 = 60 * 1_000_000_000
        additions.add(7, by: "user:1", at: 1000)
        #expect(additions.contains(7, by: "user:1", at: 1000 + 9 * minute))
        #expect(!additions.contains(7, by: "user:1", at: 1000 + 10 * minute + 1))
        #expect(!additions.contains(7, by: "user:2", at: 1000))
        #expect(!additions.contains(8, by: "user:1", at: 1000))
        for node in 0..<100_500 { additions.add(UInt64(node), by: "user:1", at: 2000) }
        #expect(additions.contains(100_499, by: "user:1", at: 2000))
    }

    @Test func whoSeesASelection() throws {
        try withStrangersRoll { roll in
            try roll.library.authorization.set(.limited, of: Self.client, level: .readWrite)
            let sub = try roll.inode("DCIM/sub")
            let file = try roll.inode("DCIM/sub/theirs.jpg")
            #expect(try roll.names("DCIM", for: Self.caller) == [])
            #expect(try roll.names(inode: roll.inode("Dates"), for: Self.caller) == [])
            for (what, error) in try everyOperation(roll, sub: sub, file: file) {
                #expect(error == .noEntry || error == .accessDenied, "\(what): \(String(describing: error))")
            }
            let asset = try #require(try roll.library.node(file)?.asset)
            try roll.library.authorization.limit(Self.client, to: [asset])
            // Reached through its directory and the views.
            #expect(try roll.names("DCIM/sub", for: Self.caller) == ["theirs.jpg"])
            let reader = try roll.open("DCIM/sub/theirs.jpg", O_RDONLY, for: Self.caller)
            #expect(try reader.read().count > 100)
            reader.release()
            #expect(try roll.inode("Dates/2024/2024-05/2024-05-17/theirs.jpg", for: Self.caller) == file)
            // What it added stays its own.
            try roll.add("DCIM/mine.jpg", Picture.jpeg(5), for: Self.caller)
            #expect(try roll.names("DCIM", for: Self.caller) == ["mine.jpg", "sub"])
            #expect(
                refusal { try roll.fileSystem.removeDirectory(FileName("sub"), in: 2, for: Self.caller) }
                    == .accessDenied)
            try roll.unlink("DCIM/mine.jpg", for: Self.caller)
        }
    }

    @Test func anOpenFileIsReadOnWhateverTheRecordsSaySince() throws {
        try withStrangersRoll { roll in
            try roll.library.authorization.set(.authorized, of: Self.client, level: .readWrite)
            let reader = try roll.open("DCIM/sub/theirs.jpg", O_RDONLY, for: Self.caller)
            try roll.library.authorization.set(.denied, of: Self.client, level: .readWrite)
            #expect(try reader.read().count > 100)
            #expect(try reader.attributes().size > 100)
            #expect(refusal { _ = try roll.open(inode: reader.inode, O_RDONLY, for: Self.caller) } == .accessDenied)
            reader.release()
        }
    }

    @Test func timeoutsAreZeroWhereSomebodySeesLess() throws {
        try withRoll { roll in
            try roll.add("DCIM/a.jpg", Picture.jpeg(1))
            let name = try FileName("a.jpg")
            func timeout() throws -> Double {
                // Some process of which the program can be told.
                let owner = Caller(pid: getpid(), uid: 0, gid: 0)
                return try roll.fileSystem.lookup(name, in: Roll.dcim, for: owner).entryTimeout
            }
            #expect(try timeout() > 0)
            try roll.library.authorization.set(.denied, of: .program(path: "/bin/x", user: 0), level: .readWrite)
            #expect(try timeout() == 0)
            try roll.library.authorization.reset(.program(path: "/bin/x", user: 0))
            #expect(try timeout() > 0)
            try roll.library.authorization.set(.limited, of: .user(0), level: .readWrite)
            #expect(try timeout() == 0)
        }
    }
}
