import Glibc

/// An error number of the C library, as system calls report it.
public struct Errno: Error, RawRepresentable, Hashable, Sendable {
    /// The value of `errno`, positive.
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }
    package init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// The calling thread's current `errno`.
    public static var current: Errno { Errno(errno) }

    public static let notPermitted = Errno(EPERM)
    public static let noEntry = Errno(ENOENT)
    public static let interrupted = Errno(EINTR)
    public static let ioError = Errno(EIO)
    public static let badDescriptor = Errno(EBADF)
    public static let wouldBlock = Errno(EAGAIN)
    public static let outOfMemory = Errno(ENOMEM)
    public static let accessDenied = Errno(EACCES)
    public static let busy = Errno(EBUSY)
    public static let exists = Errno(EEXIST)
    public static let crossDevice = Errno(EXDEV)
    public static let notDirectory = Errno(ENOTDIR)
    public static let isDirectory = Errno(EISDIR)
    public static let invalid = Errno(EINVAL)
    public static let fileTooLarge = Errno(EFBIG)
    public static let noSpace = Errno(ENOSPC)
    public static let readOnlyFileSystem = Errno(EROFS)
    public static let tooManyLinks = Errno(EMLINK)
    public static let outOfRange = Errno(ERANGE)
    public static let nameTooLong = Errno(ENAMETOOLONG)
    public static let notEmpty = Errno(ENOTEMPTY)
    public static let tooManySymbolicLinks = Errno(ELOOP)
    public static let noData = Errno(ENODATA)
    public static let illegalSequence = Errno(EILSEQ)
    public static let notSupported = Errno(EOPNOTSUPP)
    public static let notImplemented = Errno(ENOSYS)
    public static let stale = Errno(ESTALE)
    public static let quotaExceeded = Errno(EDQUOT)
    public static let noDevice = Errno(ENXIO)
    public static let tooBig = Errno(E2BIG)
    public static let timedOut = Errno(ETIMEDOUT)
    public static let notConnected = Errno(ENOTCONN)
    public static let connectionAborted = Errno(ECONNABORTED)
    public static let connectionRefused = Errno(ECONNREFUSED)
    public static let connectionReset = Errno(ECONNRESET)
    public static let brokenPipe = Errno(EPIPE)
    public static let messageTooLong = Errno(EMSGSIZE)
    public static let protocolError = Errno(EPROTO)
}

extension Errno: CustomStringConvertible {
    /// What the C library says of the number, such as "No space left on device".
    public var description: String {
        String(cString: strerror(rawValue))
    }

    /// The number's symbolic name, such as "ENOSPC"; the number itself where it has none.
    public var name: String {
        guard let name = Self.names[rawValue] else { return "errno \(rawValue)" }
        return name
    }

    private static let names: [Int32: String] = [
        EPERM: "EPERM", ENOENT: "ENOENT", EINTR: "EINTR", EIO: "EIO", EBADF: "EBADF", EAGAIN: "EAGAIN",
        ENOMEM: "ENOMEM", EACCES: "EACCES", EBUSY: "EBUSY", EEXIST: "EEXIST", EXDEV: "EXDEV",
        ENOTDIR: "ENOTDIR", EISDIR: "EISDIR", EINVAL: "EINVAL", EFBIG: "EFBIG", ENOSPC: "ENOSPC",
        EROFS: "EROFS", EMLINK: "EMLINK", ERANGE: "ERANGE", ENAMETOOLONG: "ENAMETOOLONG",
        ENOTEMPTY: "ENOTEMPTY", ELOOP: "ELOOP", ENODATA: "ENODATA", EILSEQ: "EILSEQ",
        EOPNOTSUPP: "EOPNOTSUPP", ENOSYS: "ENOSYS", ESTALE: "ESTALE", EDQUOT: "EDQUOT", ENXIO: "ENXIO",
        E2BIG: "E2BIG", ETIMEDOUT: "ETIMEDOUT", ENOTCONN: "ENOTCONN", ECONNABORTED: "ECONNABORTED", EMFILE: "EMFILE",
        ENFILE: "ENFILE", ECONNREFUSED: "ECONNREFUSED", ECONNRESET: "ECONNRESET", EPIPE: "EPIPE",
        EMSGSIZE: "EMSGSIZE", EPROTO: "EPROTO",
    ]
}

/// Calls `body` again for as long as a signal interrupts it.
///
/// - Returns: the call's result, not negative.
/// - Throws: `errno` of a call that returned a negative value.
@inline(__always)
package func retryingInterrupts<Result: BinaryInteger>(_ body: () -> Result) throws(Errno) -> Result {
    while true {
        let result = body()
        if result >= 0 { return result }
        let error = errno
        if error != EINTR { throw Errno(error) }
    }
}
