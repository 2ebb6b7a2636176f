internal import CFuse
internal import Platform

/// A request of the kernel that waits for its answer.
///
/// Each reply consumes it, so that none is answered twice; one that is dropped answers `EIO`.
struct Request: ~Copyable {
    let raw: fuse_req_t
    private let connection: Unmanaged<Connection>

    /// Takes over a request. Nil for libfuse's null pointers, which do not come.
    init?(_ raw: fuse_req_t?) {
        guard let raw, let data = fuse_req_userdata(raw) else { return nil }
        self.raw = raw
        connection = Unmanaged.fromOpaque(data)
    }

    deinit { fuse_reply_err(raw, Errno.ioError.rawValue) }

    var fileSystem: any FileSystem { connection.takeUnretainedValue().fileSystem }

    var caller: Caller {
        guard let context = fuse_req_ctx(raw) else { return Caller(pid: 0, uid: 0, gid: 0) }
        return Caller(
            pid: context.pointee.pid, uid: context.pointee.uid, gid: context.pointee.gid,
            request: UInt(bitPattern: raw))
    }

    /// Whether the kernel has passed on a signal for a request.
    ///
    /// - Parameter number: the request's address; 0 for none.
    static func isInterrupted(_ number: UInt) -> Bool {
        guard let raw = fuse_req_t(bitPattern: number) else { return false }
        return fuse_req_interrupted(raw) != 0
    }

    /// Gives the request to one of libfuse's reply functions, which ends it.
    ///
    /// - Returns: what that function returned: negative where the kernel did not take the answer.
    consuming func finish(_ reply: (fuse_req_t) -> Int32) -> Int32 {
        let raw = raw
        discard self
        return reply(raw)
    }
}

/// Runs a handler for a request and sends what comes of it. Every error that a handler throws is answered here.
///
/// - Parameters:
///   - body: the handler.
///   - reply: sends the handler's result.
func answer<Result>(
    _ raw: fuse_req_t?, with body: (any FileSystem, Caller) throws(Errno) -> Result,
    reply: (consuming Request, Result) -> Void
) {
    guard let request = Request(raw) else { return }
    do throws(Errno) {
        let result = try body(request.fileSystem, request.caller)
        reply(request, result)
    } catch {
        request.fail(error)
    }
}

/// Runs a handler that answers with success alone.
func answer(_ raw: fuse_req_t?, with body: (any FileSystem, Caller) throws(Errno) -> Void) {
    answer(raw, with: body) { request, _ in request.succeed() }
}
