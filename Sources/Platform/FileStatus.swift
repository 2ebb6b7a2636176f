import Glibc

/// The kinds of file that `st_mode` tells apart.
public enum FileKind: UInt32, Sendable, Hashable {
    case fifo = 0o010000
    case characterDevice = 0o020000
    case directory = 0o040000
    case blockDevice = 0o060000
    case regular = 0o100000
    case symbolicLink = 0o120000
    case socket = 0o140000

    /// The kind in a mode's upper bits (`S_IFMT`), nil for a value that names none.
    public init?(mode: UInt32) { self.init(rawValue: mode & 0o170000) }
}

/// What `fstat(2)` tells of a file. Times are nanoseconds since 1970 UTC.
public struct FileStatus: Sendable, Hashable {
    public var inode: UInt64
    public var device: UInt64
    public var mode: UInt32
    public var links: UInt64
    public var uid: UInt32
    public var gid: UInt32
    /// Length in bytes.
    public var size: Int64
    /// Space used, in units of 512 bytes.
    public var blocks: Int64
    public var accessTime: Int64
    public var modificationTime: Int64
    public var changeTime: Int64

    public var kind: FileKind? { FileKind(mode: mode) }

    init(_ status: stat) {
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        mode = status.st_mode
        links = UInt64(status.st_nlink)
        uid = status.st_uid
        gid = status.st_gid
        size = Int64(status.st_size)
        blocks = Int64(status.st_blocks)
        accessTime = Self.nanoseconds(status.st_atim)
        modificationTime = Self.nanoseconds(status.st_mtim)
        changeTime = Self.nanoseconds(status.st_ctim)
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (whole, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return time.tv_sec < 0 ? .min : .max }
        let (sum, carried) = whole.addingReportingOverflow(Int64(time.tv_nsec))
        return carried ? .max : sum
    }
}
