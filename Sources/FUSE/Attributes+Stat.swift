internal import CFuse
import Glibc

extension stat {
    /// Attributes in the C library's form, which libfuse takes.
    init(_ attributes: Attributes) {
        self.init()
        st_ino = ino_t(attributes.inode)
        st_mode = attributes.mode
        st_nlink = nlink_t(attributes.links)
        st_uid = attributes.uid
        st_gid = attributes.gid
        st_rdev = dev_t(attributes.device)
        st_size = off_t(attributes.size)
        st_blocks = blkcnt_t(attributes.blocks)
        st_atim = timespec(nanosecondsSince1970: attributes.accessTime)
        st_mtim = timespec(nanosecondsSince1970: attributes.modificationTime)
        st_ctim = timespec(nanosecondsSince1970: attributes.changeTime)
    }
}

extension timespec {
    /// A time as seconds rounded down and the nanoseconds after them, so that times before 1970 come out right.
    init(nanosecondsSince1970 time: Int64) {
        var (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        if rest < 0 {
            seconds -= 1
            rest += 1_000_000_000
        }
        self.init(tv_sec: time_t(seconds), tv_nsec: Int(rest))
    }

    /// Nanoseconds since 1970 UTC; a time that 64 bits do not hold becomes the nearest that they do.
    var nanosecondsSince1970: Int64 {
        // Rounded towards zero first, so that the very first second that fits does not overflow on its way.
        let negative = tv_sec < 0 && tv_nsec > 0
        let seconds = Int64(negative ? tv_sec + 1 : tv_sec)
        let rest = Int64(negative ? tv_nsec &- 1_000_000_000 : tv_nsec)
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return tv_sec < 0 ? .min : .max }
        let (sum, carried) = whole.addingReportingOverflow(rest)
        return carried ? (tv_sec < 0 ? .min : .max) : sum
    }
}

extension fuse_entry_param {
    /// A name's answer.
    init(_ entry: Entry) { self.init(entry, entry.attributes) }

    /// A name's answer; without an entry the kernel gets the attributes but no reference to an inode.
    init(_ entry: Entry?, _ attributes: Attributes) {
        self.init()
        attr = stat(attributes)
        guard let entry else { return }
        ino = entry.attributes.inode
        attr_timeout = entry.attributeTimeout
        entry_timeout = entry.entryTimeout
    }
}

extension AttributeChange {
    /// What a setattr request asks for. `mask` holds the `FUSE_SET_ATTR_…` bits of the fields of `status` that count.
    init(_ status: stat, mask: Int32) {
        self.init()
        func asks(_ bit: Int32) -> Bool { mask & bit != 0 }
        if asks(FUSE_SET_ATTR_MODE) { mode = status.st_mode & 0o7777 }
        if asks(FUSE_SET_ATTR_UID) { uid = status.st_uid }
        if asks(FUSE_SET_ATTR_GID) { gid = status.st_gid }
        if asks(FUSE_SET_ATTR_SIZE) { size = Int64(status.st_size) }
        if asks(FUSE_SET_ATTR_ATIME_NOW) {
            accessTime = .now
        } else if asks(FUSE_SET_ATTR_ATIME) {
            accessTime = .to(status.st_atim.nanosecondsSince1970)
        }
        if asks(FUSE_SET_ATTR_MTIME_NOW) {
            modificationTime = .now
        } else if asks(FUSE_SET_ATTR_MTIME) {
            modificationTime = .to(status.st_mtim.nanosecondsSince1970)
        }
        if asks(FUSE_SET_ATTR_CTIME) { changeTime = status.st_ctim.nanosecondsSince1970 }
    }
}
