internal import CFuse
internal import Platform

extension fuse_lowlevel_ops {
    /// Opening, closing, reading and writing files.
    mutating func addFiles() {
        open = { raw, inode, file in
            answer(raw) { system, caller throws(Errno) in
                guard let file else { throw .invalid }
                return try system.open(inode, flags: OpenFlags(rawValue: file.pointee.flags), for: caller)
            } reply: { request, reply in
                request.replyOpen(reply, inode: inode)
            }
        }
        create = { raw, parent, name, mode, file in
            answer(raw) { system, caller throws(Errno) in
                guard let file else { throw .invalid }
                let token = system.answerToken
                let name = try FileName(request: name)
                var made = try system.create(
                    name, in: parent, mode: mode & 0o7777, flags: OpenFlags(rawValue: file.pointee.flags),
                    for: caller)
                made.entry = system.kept(made.entry, as: name, in: parent, since: token)
                return made
            } reply: { request, reply in
                request.replyOpen(reply.open, inode: reply.entry.attributes.inode, created: reply.entry)
            }
        }
        flush = { raw, inode, file in
            answer(raw) { system, caller throws(Errno) in
                guard let file else { throw .invalid }
                try system.flush(inode, handle: file.pointee.fh, for: caller)
            }
        }
        release = { raw, inode, file in
            answer(raw) { system, _ throws(Errno) in
                guard let file else { throw .invalid }
                system.release(inode, handle: file.pointee.fh)
            }
        }
        fsync = { raw, inode, dataOnly, file in
            answer(raw) { system, _ throws(Errno) in
                guard let file else { throw .invalid }
                try system.sync(inode, handle: file.pointee.fh, dataOnly: dataOnly != 0)
            }
        }
        addData()
        addRanges()
    }

    private mutating func addData() {
        read = { raw, inode, size, offset, file in
            answer(raw) { system, _ throws(Errno) in
                guard let file else { throw .invalid }
                return try system.read(inode, handle: file.pointee.fh, at: Int64(offset), count: size)
            } reply: { request, reply in
                request.reply(reply, limit: size)
            }
        }
        write_buf = { raw, inode, buffers, offset, file in
            let offered = buffers.map { fuse_buf_size($0) } ?? 0
            answer(raw) { system, _ throws(Errno) in
                guard let file, let buffers else { throw .invalid }
                let source = WriteSource(borrowing: buffers)
                return try system.write(inode, handle: file.pointee.fh, at: Int64(offset), from: source)
            } reply: { request, count in
                request.reply(written: count, of: offered)
            }
        }
    }

    private mutating func addRanges() {
        fallocate = { raw, inode, mode, offset, length, file in
            answer(raw) { system, _ throws(Errno) in
                guard let file else { throw .invalid }
                try system.allocate(
                    inode, handle: file.pointee.fh, mode: mode, at: Int64(offset), count: Int64(length))
            }
        }
        copy_file_range = { raw, inode, offset, file, targetInode, targetOffset, targetFile, length, flags in
            answer(raw) { system, caller throws(Errno) in
                guard let file, let targetFile, flags == 0 else { throw .invalid }
                return try system.copyRange(
                    from: (inode, file.pointee.fh, Int64(offset)),
                    to: (targetInode, targetFile.pointee.fh, Int64(targetOffset)), count: length, for: caller)
            } reply: { request, count in
                request.reply(written: count, of: length)
            }
        }
        lseek = { raw, inode, offset, whence, file in
            answer(raw) { system, _ throws(Errno) in
                guard let file else { throw .invalid }
                let target = try SeekTarget(whence: whence)
                return try system.seek(inode, handle: file.pointee.fh, from: Int64(offset), to: target)
            } reply: { request, position in
                request.reply(position: position)
            }
        }
    }
}

extension SeekTarget {
    /// `SEEK_DATA` or `SEEK_HOLE` of lseek(2); the kernel does the others itself.
    ///
    /// - Throws: `EINVAL` for others.
    init(whence: Int32) throws(Errno) {
        switch whence {
        case 3: self = .data
        case 4: self = .hole
        default: throw .invalid
        }
    }
}
