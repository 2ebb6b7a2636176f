import CFuse
import Glibc
import Platform
import Testing

@testable import FUSE

struct TimeTests {
    @Test(arguments: [
        (0, 0, 0), (1, 0, 1), (-1, -1, 999_999_999), (-1_000_000_000, -1, 0), (-1_250_000_000, -2, 750_000_000),
        (1_700_000_000_123_456_789, 1_700_000_000, 123_456_789), (Int64.max, 9_223_372_036, 854_775_807),
        (Int64.min, -9_223_372_037, 145_224_192),
    ]) func timesGoBothWays(time: Int64, seconds: Int, nanoseconds: Int) {
        let converted = timespec(nanosecondsSince1970: time)
        #expect(converted.tv_sec == seconds)
        #expect(converted.tv_nsec == nanoseconds)
        #expect(converted.nanosecondsSince1970 == time)
    }

    @Test func timesOutOfRangeAreCut() {
        #expect(timespec(tv_sec: .max, tv_nsec: 999_999_999).nanosecondsSince1970 == .max)
        #expect(timespec(tv_sec: .min, tv_nsec: 0).nanosecondsSince1970 == .min)
        #expect(timespec(tv_sec: 9_223_372_036, tv_nsec: 854_775_808).nanosecondsSince1970 == .max)
        #expect(timespec(tv_sec: -9_223_372_037, tv_nsec: 145_224_191).nanosecondsSince1970 == .min)
    }
}

struct AttributeConversionTests {
    @Test func everyFieldArrives() {
        var attributes = Attributes(inode: 7, mode: 0o100640)
        attributes.links = 3
        attributes.uid = 4
        attributes.gid = 5
        attributes.device = 0x0103
        attributes.size = 1 << 40
        attributes.blocks = 99
        attributes.accessTime = -1
        attributes.modificationTime = 2_000_000_003
        attributes.changeTime = 4
        let status = stat(attributes)
        #expect(status.st_ino == 7 && status.st_mode == 0o100640 && status.st_nlink == 3)
        #expect(status.st_uid == 4 && status.st_gid == 5 && status.st_rdev == 0x0103)
        #expect(status.st_size == 1 << 40 && status.st_blocks == 99)
        #expect(status.st_atim.tv_sec == -1 && status.st_atim.tv_nsec == 999_999_999)
        #expect(status.st_mtim.tv_sec == 2 && status.st_mtim.tv_nsec == 3)
        #expect(status.st_ctim.tv_nsec == 4)
    }

    @Test func onlyWhatIsAskedChanges() {
        var status = stat()
        status.st_mode = 0o104755
        status.st_size = 10
        status.st_atim = timespec(tv_sec: -2, tv_nsec: 5)
        #expect(AttributeChange(status, mask: 0).isEmpty)
        let change = AttributeChange(
            status, mask: FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW)
        #expect(change.mode == 0o4755)
        #expect(change.size == nil && change.uid == nil && change.changeTime == nil)
        #expect(change.accessTime == .to(-1_999_999_995))
        #expect(change.modificationTime == .now)
    }

    @Test func flagsOfRenameSeekAndAttributes() throws {
        #expect(try RenameMode(flags: 0) == .replace)
        #expect(try RenameMode(flags: 1) == .noReplace)
        #expect(try RenameMode(flags: 2) == .exchange)
        #expect(throws: Errno.invalid) { try RenameMode(flags: 3) }
        #expect(throws: Errno.invalid) { try RenameMode(flags: 4) }
        #expect(throws: Errno.invalid) { try SeekTarget(whence: SEEK_END) }
        #expect(throws: Errno.invalid) { try AttributeSetMode(flags: 3) }
    }
}

extension AttributeChange {
    fileprivate var isEmpty: Bool {
        mode == nil && uid == nil && gid == nil && size == nil && accessTime == nil && modificationTime == nil
            && changeTime == nil
    }
}
