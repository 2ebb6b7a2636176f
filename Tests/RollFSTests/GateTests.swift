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
            // Directories show, what is in them does not.
            #expect(try roll.names("DCIM", for: Self.caller) == ["sub"])
            #expect(try roll.names("DCIM/sub", for: Self.caller) == [])
            for (what, error) in try everyOperation(roll, sub: sub, file: file) {
                #expect(error == .noEntry || error == .accessDenied, "\(what): \(String(describing: error))")
            }
            // Its own, for some time.
            try roll.add("DCIM/sub/mine.jpg", Picture.jpeg(5), for: Self.caller)
            #expect(try roll.names("DCIM/sub", for: Self.caller) == ["mine.jpg"])
            let again = try roll.open("DCIM/sub/mine.jpg", O_RDWR, for: Self.caller)
            #expect(try again.read() == Picture.jpeg(5))
            try again.close()
            try roll.rename("DCIM/sub/mine.jpg", "DCIM/sub/ours.jpg", for: Self.caller)
            #expect(refusal { try roll.rename("DCIM/sub/ours.jpg", "DCIM/sub/theirs.jpg", for: Self.caller) } != nil)
            try roll.unlink("DCIM/sub/ours.jpg", for: Self.caller)
            // Nobody else's additions.
            let other = Caller(pid: 1, uid: 501, gid: 501)
            try roll.library.authorization.set(.authorized, of: .user(501), level: .addOnly)
            try roll.add("DCIM/sub/others.jpg", Picture.jpeg(6), for: other)
            #expect(try roll.names("DCIM/sub", for: Self.caller) == [])
            #expect(try roll.names("DCIM/sub", for: Roll.owner) == ["others.jpg", "theirs.jpg"])
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
            #expect(try roll.names("DCIM/sub", for: Self.caller) == [])
            for (what, error) in try everyOperation(roll, sub: sub, file: file) {
                #expect(error == .noEntry || error == .accessDenied, "\(what): \(String(describing: error))")
            }
            let asset = try #require(try roll.library.node(file)?.asset)
            try require(
                "sqlite3", "-batch", roll.path + "/catalog.sqlite", ".timeout 5000",
                "INSERT INTO authorization_selection VALUES ('user:500', \(asset))")
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
                try roll.fileSystem.lookup(name, in: Roll.dcim, for: Roll.owner).entryTimeout
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
