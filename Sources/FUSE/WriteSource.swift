internal import CFuse
import Glibc
public import Platform

/// The data of a write request, still in the kernel's pipe where it could be spliced. Each byte is delivered once.
public struct WriteSource: ~Copyable {
    /// The number of bytes that the request brought.
    public let count: Int
    private let buffers: UnsafeMutablePointer<fuse_bufvec>
    private let ownsBuffers: Bool

    /// Takes the buffers of a request, which outlive it.
    init(borrowing buffers: UnsafeMutablePointer<fuse_bufvec>) {
        self.buffers = buffers
        count = fuse_buf_size(buffers)
        ownsBuffers = false
    }

    /// Offers bytes held in memory, which must stay valid and unchanged for as long as the source is used.
    public init(_ bytes: UnsafeRawBufferPointer) {
        buffers = .allocate(capacity: 1)
        buffers.initialize(to: .single(size: bytes.count))
        // Only ever read: libfuse's buffer type serves both directions.
        buffers.pointee.buf.mem = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        count = bytes.count
        ownsBuffers = true
    }

    deinit {
        if ownsBuffers { buffers.deallocate() }
    }

    /// Writes the data to `file` at `offset` bytes from its start, by splice where the kernel can. To be called once:
    /// what a short write left over is gone.
    ///
    /// - Returns: the number of bytes written. Fewer than there are where the file took no more: the errno then
    ///   comes from the client's next write.
    /// - Throws: the errno of a write that took nothing, such as `ENOSPC`, `EDQUOT`, `EFBIG` or `EIO`.
    public func write(to file: FileDescriptor, at offset: Int64) throws(Errno) -> Int {
        var target = fuse_bufvec.single(size: count)
        target.buf.flags = .fileRange
        target.buf.fd = file.rawValue
        target.buf.pos = off_t(offset)
        // Not repeated here, after an interruption either: where the file takes no splice, libfuse may have read from
        // the pipe more than it could write, and what follows would land in the wrong place.
        let result = fuse_buf_copy(&target, buffers, fuse_buf_copy_flags(0))
        guard result >= 0 else { throw Errno(Int32(truncatingIfNeeded: -result)) }
        return result
    }

    /// Copies the data to memory, as much as `target` holds; a further call goes on where this one ended.
    ///
    /// - Returns: the number of bytes copied.
    public func copyBytes(into target: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        guard let base = target.baseAddress else { return 0 }
        var done = 0
        while done < target.count {
            var rest = fuse_bufvec.single(size: target.count - done)
            rest.buf.mem = base + done
            let result = fuse_buf_copy(&rest, buffers, fuse_buf_copy_flags(0))
            if result == 0 { break }
            if result > 0 {
                done += result
            } else if result != -Int(EINTR) {
                throw Errno(Int32(truncatingIfNeeded: -result))
            }
        }
        return done
    }
}

extension fuse_bufvec {
    /// One empty memory buffer of `size` bytes (what `FUSE_BUFVEC_INIT` makes).
    static func single(size: Int) -> fuse_bufvec {
        var buffers = fuse_bufvec()
        buffers.count = 1
        buffers.buf.size = size
        buffers.buf.fd = -1
        return buffers
    }
}

extension fuse_buf_flags {
    /// A descriptor with a position of its own, used until its size is reached or the file takes or gives no more.
    static var fileRange: fuse_buf_flags {
        fuse_buf_flags(FUSE_BUF_IS_FD.rawValue | FUSE_BUF_FD_SEEK.rawValue | FUSE_BUF_FD_RETRY.rawValue)
    }
}
