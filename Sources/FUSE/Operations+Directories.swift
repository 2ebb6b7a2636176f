internal import CFuse
internal import Platform

extension fuse_lowlevel_ops {
    /// Opening, closing and listing directories.
    mutating func addDirectories() {
        opendir = { raw, inode, _ in
            answer(raw) { system, caller throws(Errno) in
                try system.openDirectory(inode, for: caller)
            } reply: { request, handle in
                request.replyOpenDirectory(handle, inode: inode)
            }
        }
        readdir = { raw, inode, size, offset, file in
            list(raw, inode, file, size: size, offset: offset, withAttributes: false)
        }
        readdirplus = { raw, inode, size, offset, file in
            list(raw, inode, file, size: size, offset: offset, withAttributes: true)
        }
        releasedir = { raw, inode, file in
            answer(raw) { system, _ throws(Errno) in
                guard let file else { throw .invalid }
                system.releaseDirectory(inode, handle: file.pointee.fh)
            }
        }
        fsyncdir = { raw, inode, dataOnly, file in
            answer(raw) { system, _ throws(Errno) in
                guard let file else { throw .invalid }
                try system.syncDirectory(inode, handle: file.pointee.fh, dataOnly: dataOnly != 0)
            }
        }
    }
}

/// The largest page that is made, in bytes; the kernel asks for less.
private let pageLimit = 1 << 20

private func list(
    _ raw: fuse_req_t?, _ inode: fuse_ino_t, _ file: UnsafeMutablePointer<fuse_file_info>?, size: Int,
    offset: off_t, withAttributes: Bool
) {
    var page = DirectoryPage(capacity: min(size, pageLimit), wantsAttributes: withAttributes)
    guard let request = Request(raw) else { return }
    do throws(Errno) {
        guard let file else { throw .invalid }
        let (system, token) = (request.fileSystem, request.fileSystem.answerToken)
        page.keeping = { system.kept($0, as: $1, in: inode, since: token) }
        try system.readDirectory(
            inode, handle: file.pointee.fh, after: UInt64(bitPattern: Int64(offset)), into: &page,
            for: request.caller)
        request.reply(page)
    } catch {
        page.forgetReferences(in: request.fileSystem)
        request.fail(error)
    }
}
