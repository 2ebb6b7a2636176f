internal import CLinux
import Glibc

/// A stream socket of the file system (unix(7)). Its descriptor never blocks; whoever wants to wait says how long.
public final class UnixSocket: Sendable {
    /// For waiting on it together with others.
    public let descriptor: FileDescriptor

    private init(owning rawValue: Int32) { descriptor = FileDescriptor(owning: rawValue) }

    /// Who is at the other end, as the kernel knew it when the connection was made.
    public struct Peer: Sendable, Hashable {
        public var pid: Int32
        /// In this process's user namespace.
        public var uid: UInt32
        public var gid: UInt32
    }

    /// Takes over a connected socket that the process was started with.
    public init(adopting rawValue: Int32) throws(Errno) {
        descriptor = FileDescriptor(owning: rawValue)
        let flags = try retryingInterrupts { fcntl(rawValue, F_GETFL, 0) }
        _ = try retryingInterrupts { fcntl(rawValue, F_SETFL, flags | O_NONBLOCK) }
        _ = try retryingInterrupts { fcntl(rawValue, F_SETFD, FD_CLOEXEC) }
    }

    // MARK: Making

    /// Makes a socket file and waits at it for connections. A socket that somebody left there is removed.
    ///
    /// - Parameters:
    ///   - permissions: who may connect, whatever the process's umask lets through.
    ///   - backlog: how many connections wait to be accepted.
    /// - Throws: `EEXIST` where something that is no socket has the name.
    public static func listen(
        _ name: String, in directory: Directory, permissions: UInt32 = 0o600, backlog: Int32 = 16
    ) throws(Errno) -> UnixSocket {
        if let found = try directory.status(of: name) {
            guard found.kind == .socket else { throw .exists }
            try directory.unlink(name)
        }
        let socket = try make()
        let number = socket.descriptor.rawValue
        // The file that bind(2) makes has the mode of the socket: there is no moment in which it is open to others.
        _ = try retryingInterrupts { fchmod(number, permissions) }
        try withAddress(name, directory) { (address, length) in bind(number, address, length) }
        _ = try retryingInterrupts { Glibc.listen(number, backlog) }
        return socket
    }

    /// Connects to a socket file.
    ///
    /// - Throws: `ENOENT` where there is none, `ECONNREFUSED` where nobody waits at it.
    public static func connect(_ name: String, in directory: Directory) throws(Errno) -> UnixSocket {
        let socket = try make()
        let number = socket.descriptor.rawValue
        try withAddress(name, directory) { (address, length) in Glibc.connect(number, address, length) }
        return socket
    }

    /// Two sockets that are connected to each other.
    public static func pair() throws(Errno) -> (UnixSocket, UnixSocket) {
        var ends: [Int32] = [0, 0]
        _ = try retryingInterrupts { socketpair(AF_UNIX, type, 0, &ends) }
        return (UnixSocket(owning: ends[0]), UnixSocket(owning: ends[1]))
    }

    private static let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

    private static func make() throws(Errno) -> UnixSocket {
        UnixSocket(owning: try retryingInterrupts { socket(AF_UNIX, type, 0) })
    }

    /// Calls `body` with the address of a name in a directory.
    ///
    /// An address takes 108 bytes (unix(7)), which paths may exceed: the directory is named by its descriptor.
    private static func withAddress(
        _ name: String, _ directory: Directory, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(Errno) {
        let path = "/proc/self/fd/\(directory.descriptor.rawValue)/\(name)"
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .nameTooLong }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = try retryingInterrupts {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }

    // MARK: Using

    /// The next connection that waits; nil where none does.
    public func accept() throws(Errno) -> UnixSocket? {
        do throws(Errno) {
            let number = descriptor.rawValue
            return UnixSocket(owning: try retryingInterrupts { cl_accept(number) })
        } catch .wouldBlock {
            return nil
        }
    }

    /// Who is at the other end (`SO_PEERCRED`).
    public func peer() throws(Errno) -> Peer {
        var credentials = cl_credentials()
        _ = try retryingInterrupts { cl_peer_credentials(descriptor.rawValue, &credentials) }
        return Peer(pid: credentials.pid, uid: credentials.uid, gid: credentials.gid)
    }

    /// Takes what has come, at most `count` bytes.
    ///
    /// - Returns: nothing where the other side has closed the connection; nil where nothing is there.
    public func receive(_ count: Int) throws(Errno) -> [UInt8]? {
        var failure: Errno?
        let number = descriptor.rawValue
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(Errno) {
                initialized = try retryingInterrupts { recv(number, buffer.baseAddress, buffer.count, 0) }
            } catch {
                failure = error
                initialized = 0
            }
        }
        if failure == .wouldBlock { return nil }
        if let failure { throw failure }
        return bytes
    }

    /// Sends as much as the other side has room for.
    ///
    /// - Returns: the number of bytes sent, which may be 0.
    /// - Throws: `EPIPE` where the other side has closed the connection.
    public func send(_ bytes: some Collection<UInt8>) throws(Errno) -> Int {
        let number = descriptor.rawValue
        let copy = Array(bytes)
        do throws(Errno) {
            return try retryingInterrupts { Glibc.send(number, copy, copy.count, Int32(MSG_NOSIGNAL)) }
        } catch .wouldBlock {
            return 0
        }
    }

    /// Sends everything, waiting where the other side is slow.
    ///
    /// - Parameter timeout: nanoseconds.
    /// - Throws: `ETIMEDOUT`.
    public func sendFully(_ bytes: [UInt8], timeout: Int64) throws(Errno) {
        let deadline = Clock.monotonic() &+ timeout
        var rest = bytes[...]
        while true {
            rest = rest.dropFirst(try send(rest))
            if rest.isEmpty { return }
            let left = deadline - Clock.monotonic()
            guard left > 0 else { throw .timedOut }
            var wanted = [Poll.Entry(descriptor, .writing)]
            try Poll.wait(&wanted, timeout: left)
        }
    }
}
