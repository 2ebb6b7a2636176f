internal import CFuse
import Glibc
internal import Platform

extension Request {
    /// Answers with an error.
    consuming func fail(_ error: Errno) {
        let code =
            switch error.rawValue {
            // The kernel takes ENOSYS as a word for good, and would never flush or open a file again.
            case ENOSYS: EOPNOTSUPP
            // 0 would tell of a success without the answer that belongs to it.
            case ...0: EIO
            default: error.rawValue
            }
        _ = finish { fuse_reply_err($0, code) }
    }

    /// Answers with success and nothing else.
    consuming func succeed() { _ = finish { fuse_reply_err($0, 0) } }

    /// Ends a request that takes no answer.
    consuming func end() {
        _ = finish {
            fuse_reply_none($0)
            return 0
        }
    }

    /// Answers with a name's inode. An answer that the kernel did not take gives its reference back.
    consuming func reply(_ entry: Entry) {
        let fileSystem = fileSystem
        var parameters = fuse_entry_param(entry)
        if finish({ fuse_reply_entry($0, &parameters) }) < 0 {
            fileSystem.forget(entry.attributes.inode, count: 1)
        }
    }

    consuming func reply(_ attributes: TimedAttributes) {
        var status = stat(attributes.attributes)
        _ = finish { fuse_reply_attr($0, &status, attributes.timeout) }
    }

    /// Answers with the target of a symbolic link, which ends before its first NUL.
    consuming func reply(linkTarget: [UInt8]) {
        guard !linkTarget.isEmpty, !linkTarget.contains(0) else { return fail(.ioError) }
        guard linkTarget.count < PATH_MAX else { return fail(.nameTooLong) }
        let text = linkTarget.map(CChar.init(bitPattern:)) + [0]
        _ = finish { fuse_reply_readlink($0, text) }
    }

    /// Answers an open, and a create where there is an entry: the one place where open files are handed to the kernel.
    ///
    /// An answer that the kernel did not take releases the handle, since no release request will come for it.
    consuming func replyOpen(_ reply: OpenReply, inode: UInt64, created entry: Entry? = nil) {
        let fileSystem = fileSystem
        var file = fuse_file_info()
        file.fh = reply.handle
        file.keep_cache = reply.keepsCache ? 1 : 0
        file.direct_io = reply.isDirect ? 1 : 0
        file.noflush = reply.skipsFlush ? 1 : 0
        let result = finish { raw in
            guard let entry else { return fuse_reply_open(raw, &file) }
            var parameters = fuse_entry_param(entry)
            return fuse_reply_create(raw, &parameters, &file)
        }
        guard result < 0 else { return }
        fileSystem.release(inode, handle: reply.handle)
        if entry != nil { fileSystem.forget(inode, count: 1) }
    }

    /// Answers with the handle of an open directory.
    consuming func replyOpenDirectory(_ handle: UInt64, inode: UInt64) {
        let fileSystem = fileSystem
        var file = fuse_file_info()
        file.fh = handle
        if finish({ fuse_reply_open($0, &file) }) < 0 {
            fileSystem.releaseDirectory(inode, handle: handle)
        }
    }

    /// Answers a read with at most `limit` bytes, spliced where they lie in a file.
    consuming func reply(_ read: ReadReply, limit: Int) {
        switch read {
        case .bytes(let bytes):
            _ = finish { raw in
                bytes.withUnsafeBytes { buffer in
                    let text = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                    return fuse_reply_buf(raw, text, min(buffer.count, limit))
                }
            }
        case .file(let file, let offset, let count):
            var buffers = fuse_bufvec.single(size: max(0, min(count, limit)))
            buffers.buf.flags = .fileRange
            buffers.buf.fd = file.rawValue
            buffers.buf.pos = off_t(offset)
            // Pages are not moved (FUSE_BUF_SPLICE_MOVE): that would take them out of the file's own cache, and the
            // next open, digest or inspection would go to the disk.
            _ = finish { raw in
                withExtendedLifetime(file) { fuse_reply_data(raw, &buffers, fuse_buf_copy_flags(0)) }
            }
        }
    }

    /// Answers a write or a copy with the number of bytes taken, which may not be more than were offered.
    consuming func reply(written count: Int, of offered: Int) {
        guard count >= 0, count <= offered else { return fail(.ioError) }
        _ = finish { fuse_reply_write($0, count) }
    }

    consuming func reply(position: Int64) { _ = finish { fuse_reply_lseek($0, off_t(position)) } }

    /// Answers with a page of a directory. References that did not reach the kernel are given back.
    consuming func reply(_ page: borrowing DirectoryPage) {
        let fileSystem = fileSystem
        let result = finish { raw in
            page.withBytes { bytes in
                fuse_reply_buf(raw, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            }
        }
        if result < 0 { page.forgetReferences(in: fileSystem) }
    }

    /// Answers a read of an extended attribute or of their names: the size where the client asks for that (`limit` 0),
    /// else the bytes, which must fit (listxattr(2), getxattr(2)).
    consuming func reply(attributeBytes bytes: [UInt8], limit: Int) {
        if limit == 0 {
            _ = finish { fuse_reply_xattr($0, bytes.count) }
        } else if bytes.count > limit {
            fail(.outOfRange)
        } else {
            _ = finish { raw in
                bytes.withUnsafeBytes { buffer in
                    fuse_reply_buf(raw, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
                }
            }
        }
    }

    consuming func reply(_ status: FileSystemStatus) {
        var values = statvfs()
        values.f_bsize = UInt(status.blockSize)
        values.f_frsize = UInt(status.fragmentSize)
        values.f_blocks = fsblkcnt_t(status.blocks)
        values.f_bfree = fsblkcnt_t(status.blocksFree)
        values.f_bavail = fsblkcnt_t(status.blocksAvailable)
        values.f_files = fsfilcnt_t(status.files)
        values.f_ffree = fsfilcnt_t(status.filesFree)
        values.f_favail = fsfilcnt_t(status.filesFree)
        values.f_namemax = UInt(FileName.limit)
        _ = finish { fuse_reply_statfs($0, &values) }
    }
}
