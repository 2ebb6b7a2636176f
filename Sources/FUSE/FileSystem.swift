public import Platform

/// What a mounted file system answers to the kernel: one function for each request.
///
/// Each function runs on a thread of the session, several at once, and may block. What it throws is the errno
/// that the calling program sees; `ENOSYS` is answered as `EOPNOTSUPP`, since the kernel would never send that kind of
/// request again. Inode 1 is the root.
///
/// A `lookup`, and whatever else returns an `Entry`, gives the kernel one reference to the inode, which `forget` takes
/// back; so does an entry added to a directory page that wants attributes.
public protocol FileSystem: AnyObject, Sendable {
    /// The mount is up; requests follow. `notifier` stays valid until `sessionDidEnd`.
    func sessionDidStart(_ notifier: any KernelNotifier)
    /// The session is about to end: handlers that wait for something have to give up, since the end waits for them.
    func sessionWillEnd()
    /// The mount is gone; no request follows.
    func sessionDidEnd()

    func lookup(_ name: FileName, in parent: UInt64, for caller: Caller) throws(Errno) -> Entry
    /// Taken before an answer is looked up that the kernel may keep.
    var answerToken: UInt64 { get }
    /// Tells of an answer that the kernel is about to get and may keep for a while.
    ///
    /// - Parameters:
    ///   - inode: 0 for a name that the kernel moved with whatever it led to.
    ///   - name: nil for attributes alone.
    ///   - token: what `answerToken` was before the answer was looked up.
    /// - Returns: false where it is out of date already, and may not be kept.
    func mayKeep(_ inode: UInt64, as name: FileName?, in parent: UInt64, since token: UInt64) -> Bool
    /// The kernel dropped `count` of the references that lookups gave it.
    func forget(_ inode: UInt64, count: UInt64)
    func attributes(of inode: UInt64, handle: UInt64?, for caller: Caller) throws(Errno) -> TimedAttributes
    func setAttributes(
        of inode: UInt64, to change: AttributeChange, handle: UInt64?, for caller: Caller
    ) throws(Errno) -> TimedAttributes

    func readLink(_ inode: UInt64, for caller: Caller) throws(Errno) -> [UInt8]
    /// Makes a file, FIFO, socket or device node. `mode` holds kind and permissions, the umask already taken off.
    func makeNode(
        _ name: FileName, in parent: UInt64, mode: UInt32, device: UInt64, for caller: Caller
    ) throws(Errno) -> Entry
    /// `mode` holds permission bits, the umask already taken off.
    func makeDirectory(_ name: FileName, in parent: UInt64, mode: UInt32, for caller: Caller) throws(Errno) -> Entry
    func makeSymbolicLink(
        _ name: FileName, in parent: UInt64, target: [UInt8], for caller: Caller
    ) throws(Errno) -> Entry
    func unlink(_ name: FileName, in parent: UInt64, for caller: Caller) throws(Errno)
    func removeDirectory(_ name: FileName, in parent: UInt64, for caller: Caller) throws(Errno)
    func rename(
        _ name: FileName, in parent: UInt64, to newName: FileName, in newParent: UInt64, mode: RenameMode,
        for caller: Caller
    ) throws(Errno)
    func link(
        _ inode: UInt64, to newName: FileName, in newParent: UInt64, for caller: Caller
    ) throws(Errno) -> Entry

    func open(_ inode: UInt64, flags: OpenFlags, for caller: Caller) throws(Errno) -> OpenReply
    /// Makes a regular file and opens it. `mode` holds permission bits, the umask already taken off.
    func create(
        _ name: FileName, in parent: UInt64, mode: UInt32, flags: OpenFlags, for caller: Caller
    ) throws(Errno) -> (entry: Entry, open: OpenReply)
    func read(_ inode: UInt64, handle: UInt64, at offset: Int64, count: Int) throws(Errno) -> ReadReply
    /// - Returns: the number of bytes written, at most the source's count.
    func write(
        _ inode: UInt64, handle: UInt64, at offset: Int64, from source: borrowing WriteSource
    ) throws(Errno) -> Int
    /// A descriptor of this open file was closed. Comes once for each duplicate, perhaps from other processes.
    func flush(_ inode: UInt64, handle: UInt64, for caller: Caller) throws(Errno)
    /// The last descriptor and mapping of this open file is gone. Comes once; nobody hears an error.
    func release(_ inode: UInt64, handle: UInt64)
    func sync(_ inode: UInt64, handle: UInt64, dataOnly: Bool) throws(Errno)
    func allocate(_ inode: UInt64, handle: UInt64, mode: Int32, at offset: Int64, count: Int64) throws(Errno)
    func seek(_ inode: UInt64, handle: UInt64, from offset: Int64, to target: SeekTarget) throws(Errno) -> Int64
    func copyRange(
        from source: (inode: UInt64, handle: UInt64, offset: Int64),
        to target: (inode: UInt64, handle: UInt64, offset: Int64), count: Int, for caller: Caller
    ) throws(Errno) -> Int

    func openDirectory(_ inode: UInt64, for caller: Caller) throws(Errno) -> UInt64
    /// Adds entries that follow `cookie` (0: from the start) until the page is full. `.` and `..` are entries too.
    func readDirectory(
        _ inode: UInt64, handle: UInt64, after cookie: UInt64, into page: inout DirectoryPage, for caller: Caller
    ) throws(Errno)
    func releaseDirectory(_ inode: UInt64, handle: UInt64)
    func syncDirectory(_ inode: UInt64, handle: UInt64, dataOnly: Bool) throws(Errno)

    func statistics(for caller: Caller) throws(Errno) -> FileSystemStatus
    /// The value of an extended attribute. - Throws: `ENODATA` where there is none.
    func extendedAttribute(_ name: String, of inode: UInt64, for caller: Caller) throws(Errno) -> [UInt8]
    func extendedAttributeNames(of inode: UInt64, for caller: Caller) throws(Errno) -> [String]
    func setExtendedAttribute(
        _ name: String, of inode: UInt64, to value: [UInt8], mode: AttributeSetMode, for caller: Caller
    ) throws(Errno)
    func removeExtendedAttribute(_ name: String, of inode: UInt64, for caller: Caller) throws(Errno)
}

extension FileSystem {
    public func sessionWillEnd() {}
}

/// The process whose system call a request serves, as the kernel names it. All zero for the kernel's own requests.
public struct Caller: Sendable, Hashable {
    public var pid: Int32
    public var uid: UInt32
    public var gid: UInt32
    /// libfuse's request, 0 where there is none. It lives until the answer, which the glue sends after the handler.
    private let request: UInt

    public init(pid: Int32, uid: UInt32, gid: UInt32) {
        self.init(pid: pid, uid: uid, gid: gid, request: 0)
    }

    init(pid: Int32, uid: UInt32, gid: UInt32, request: UInt) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.request = request
    }

    /// Two requests of one process have the same caller.
    public static func == (left: Caller, right: Caller) -> Bool {
        left.pid == right.pid && left.uid == right.uid && left.gid == right.gid
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(pid)
        hasher.combine(uid)
        hasher.combine(gid)
    }

    /// A signal wants the calling program out of its system call. Only to be asked while the handler runs.
    ///
    /// A handler that waits for a person answers `EINTR` then; short ones ignore it, since some programs send
    /// themselves signals all the time.
    public var isInterrupted: Bool { Request.isInterrupted(request) }
}

/// Attributes of a file as `stat(2)` shows them. Times are nanoseconds since 1970 UTC.
public struct Attributes: Sendable, Hashable {
    public var inode: UInt64
    /// Kind (`S_IFMT`) and permission bits.
    public var mode: UInt32
    public var links: UInt32 = 1
    public var uid: UInt32 = 0
    public var gid: UInt32 = 0
    public var device: UInt64 = 0
    /// Length in bytes.
    public var size: Int64 = 0
    /// Space used, in units of 512 bytes.
    public var blocks: Int64 = 0
    public var accessTime: Int64 = 0
    public var modificationTime: Int64 = 0
    public var changeTime: Int64 = 0
    public init(inode: UInt64, mode: UInt32) {
        self.inode = inode
        self.mode = mode
    }
}

/// Attributes and how long the kernel may keep them, in seconds.
public struct TimedAttributes: Sendable {
    public var attributes: Attributes
    public var timeout: Double
    public init(_ attributes: Attributes, timeout: Double) {
        self.attributes = attributes
        self.timeout = timeout
    }
}

/// A name's inode with its attributes, and how long the kernel may keep each, in seconds.
public struct Entry: Sendable {
    public var attributes: Attributes
    public var attributeTimeout: Double
    public var entryTimeout: Double
    public init(_ attributes: Attributes, attributeTimeout: Double, entryTimeout: Double) {
        self.attributes = attributes
        self.attributeTimeout = attributeTimeout
        self.entryTimeout = entryTimeout
    }
}

/// What `chmod`, `chown`, `truncate` and `utimensat` ask for; nil where nothing is asked.
public struct AttributeChange: Sendable {
    /// Permission bits, without the kind.
    public var mode: UInt32?
    public var uid: UInt32?
    public var gid: UInt32?
    public var size: Int64?
    public var accessTime: TimeChange?
    public var modificationTime: TimeChange?
    /// Set by the kernel itself with a writeback cache.
    public var changeTime: Int64?
    public init() {}
}

/// A time that a client sets.
public enum TimeChange: Sendable, Hashable {
    /// The moment of the call (`UTIME_NOW`).
    case now
    /// Nanoseconds since 1970 UTC.
    case to(Int64)
}

/// The flags of `open(2)` that reach the file system.
public struct OpenFlags: Sendable, Hashable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }
    public var canRead: Bool { rawValue & 0o3 != 0o1 }
    public var canWrite: Bool { rawValue & 0o3 != 0o0 }
    /// `O_TRUNC`, which the kernel leaves to the file system (atomic O_TRUNC).
    public var truncates: Bool { rawValue & 0o1000 != 0 }
    public var appends: Bool { rawValue & 0o2000 != 0 }
    /// `O_EXCL`: with `create`, the name must be new.
    public var isExclusive: Bool { rawValue & 0o200 != 0 }
}

/// How the kernel treats an open file.
public struct OpenReply: Sendable {
    public var handle: UInt64
    /// The page cache filled by earlier opens stays valid (`FOPEN_KEEP_CACHE`).
    public var keepsCache = false
    /// Every read and write comes to the file system (`FOPEN_DIRECT_IO`).
    public var isDirect = false
    /// No flush request at close (`FOPEN_NOFLUSH`), for handles that cannot write.
    public var skipsFlush = false
    public init(handle: UInt64) { self.handle = handle }
}

/// What a read answers with. Less than was asked for means the end of the file.
public enum ReadReply: Sendable {
    /// A range of a file, spliced to the kernel where it can be.
    case file(FileDescriptor, offset: Int64, count: Int)
    case bytes([UInt8])
}

/// How a rename treats what has the new name (renameat2(2)).
public enum RenameMode: Sendable, Hashable {
    case replace
    case noReplace
    case exchange
}

/// What `lseek(2)` looks for.
public enum SeekTarget: Sendable, Hashable {
    case data
    case hole
}

/// How `setxattr(2)` treats a value that is there or is not.
public enum AttributeSetMode: Sendable, Hashable {
    case createOrReplace
    case create
    case replace
}

/// Tells the kernel that what it keeps is out of date.
///
/// Dropping attributes may be called anywhere. Dropping names or data takes the kernel's own locks, so it runs on a
/// thread of its own; `waiting` gives up after that many nanoseconds, for a request that must not be outrun.
public protocol KernelNotifier: AnyObject, Sendable {
    /// Drops the attributes of an inode.
    func dropAttributes(of inode: UInt64)
    /// Drops attributes and cached pages of an inode.
    func dropContents(of inode: UInt64, waiting: Int64)
    /// Drops the name of an entry.
    func dropEntry(_ name: FileName, in parent: UInt64, waiting: Int64)
}

/// A file system that nobody else changes.
extension FileSystem {
    public var answerToken: UInt64 { 0 }
    public func mayKeep(_ inode: UInt64, as name: FileName?, in parent: UInt64, since token: UInt64) -> Bool { true }
}

extension FileSystem {
    /// The answer to a look-up as the kernel may keep it.
    func kept(_ entry: Entry, as name: FileName, in parent: UInt64, since token: UInt64) -> Entry {
        guard entry.entryTimeout > 0 || entry.attributeTimeout > 0 else { return entry }
        let shown = entry.entryTimeout > 0 ? name : nil
        if mayKeep(entry.attributes.inode, as: shown, in: parent, since: token) { return entry }
        var entry = entry
        entry.entryTimeout = 0
        entry.attributeTimeout = 0
        return entry
    }

    /// Attributes as the kernel may keep them.
    func kept(_ attributes: TimedAttributes, since token: UInt64) -> TimedAttributes {
        guard attributes.timeout > 0,
            !mayKeep(attributes.attributes.inode, as: nil, in: 0, since: token)
        else { return attributes }
        var attributes = attributes
        attributes.timeout = 0
        return attributes
    }
}
