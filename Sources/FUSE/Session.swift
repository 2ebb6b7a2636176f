internal import CFuse
import Glibc
public import Platform

/// One mount of a file system, from the mount to its end.
///
/// The initializer mounts; requests are served while `run` runs. No thread is started before that, so that a process
/// may go into the background in between. The process should block its signals before it makes a session.
public final class Session: @unchecked Sendable {
    // Sendable: only `phase` changes, behind its lock; `raw` is used by one `run` and by the loop's threads, which
    // libfuse allows, until that `run` destroys it.
    /// The mount point, absolute and without symbolic links.
    public let mountPoint: String
    let options: MountOptions
    let raw: OpaquePointer
    let connection: Connection
    let loop: Loop
    /// The mount's entry in the mount table, nil where that could not be read.
    let entry: MountTable.Mount?
    private let phase = Lock(Phase.mounted)

    private enum Phase {
        case mounted
        case running
    }

    /// Why a session ended.
    public enum End: Sendable, Hashable {
        /// By `stop`.
        case stopped
        /// Somebody unmounted it, or cut the connection.
        case unmounted
        /// Requests could not be taken any more.
        case failed(Errno)
    }

    /// Mounts a file system.
    ///
    /// - Throws: `ENOTCONN` at a mount whose process has died; `ENOENT`, `ENOTDIR`, `EACCES` for the mount point;
    ///   `ENXIO` where the kernel has no FUSE; `EINVAL` for options; `EPERM` where the mount was refused.
    public convenience init(
        fileSystem: any FileSystem, mountPoint: String, options: MountOptions
    ) throws(SessionError) {
        try self.init(
            fileSystem: fileSystem, mountPoint: mountPoint, options: options, operations: .all())
    }

    /// Mounts with operations of the caller's choice.
    init(
        fileSystem: any FileSystem, mountPoint: String, options: MountOptions, operations: fuse_lowlevel_ops
    ) throws(SessionError) {
        let path = try Self.resolve(mountPoint)
        let connection = Connection(fileSystem: fileSystem)
        let raw = try Self.mount(connection, at: path, options, operations)
        self.mountPoint = path
        self.options = options
        self.raw = raw
        self.connection = connection
        loop = Loop(session: raw, limit: options.threadLimit)
        entry = try? MountTable().mount(at: path)
    }

    /// Unmounts what was never run.
    deinit {
        let isMounted = phase.withLock { $0 == .mounted }
        if isMounted { end() }
    }

    /// Serves requests until the file system is unmounted or `stop` is called; then ends every thread, unmounts, and
    /// tells the file system. To be called once.
    public func run() -> End {
        let isFirst = phase.withLock { phase in
            defer { phase = .running }
            return phase == .mounted
        }
        guard isFirst else { return .failed(.invalid) }
        defer { connection.fileSystem.sessionDidEnd() }
        let failure = serve()
        let end = finish()
        return failure.map { .failed($0) } ?? end
    }

    /// Asks a running session to end, or one that is about to run. Returns at once; may be called from any thread.
    ///
    /// Requests that are being served are answered first. What clients hold open after that fails with `ENOTCONN`.
    public func stop() { loop.requestStop() }

    /// Greets the kernel and starts the threads.
    ///
    /// - Returns: what kept them from serving, nil where they serve or nothing is mounted any more.
    private func serve() -> Errno? {
        do throws(Errno) {
            try connection.notifier.start(on: raw)
            guard try exchangeGreetings() else { return nil }
            raiseReadAhead()
            try loop.start()
            return nil
        } catch {
            return error
        }
    }

    /// Answers the kernel's first request, which waits since the mount.
    ///
    /// - Returns: false where nothing is mounted any more.
    private func exchangeGreetings() throws(Errno) -> Bool {
        var buffer = fuse_buf()
        defer { free(buffer.mem) }
        while !connection.isStarted {
            let result = fuse_session_receive_buf(raw, &buffer)
            if result == 0 { return false }
            if result > 0 {
                fuse_session_process_buf(raw, &buffer)
                // libfuse gives up where the two cannot agree.
                if !connection.isStarted, fuse_session_exited(raw) != 0 { throw .notSupported }
            } else if result != -EINTR, result != -EAGAIN {
                throw Errno(-result)
            }
        }
        return true
    }

    /// The kernel grants 128 KiB whatever the greeting asks for; root can raise it through sysfs.
    private func raiseReadAhead() {
        guard let entry, options.readAhead > 0 else { return }
        let path = "/sys/class/bdi/\(entry.device)/read_ahead_kb"
        guard let file = try? FileDescriptor.open(path, [.writeOnly]) else { return }
        // Without it reading is slower, no more.
        try? file.append(String(options.readAhead >> 10))
    }
}
