internal import CFuse
import Glibc
internal import Platform

extension fuse_lowlevel_ops {
    /// Lookup, and what makes, renames and removes names.
    mutating func addNames() {
        lookup = { raw, parent, name in
            answer(raw) { system, caller throws(Errno) in
                try system.lookup(FileName(request: name), in: parent, for: caller)
            } reply: { request, entry in
                request.reply(entry)
            }
        }
        forget = { raw, inode, count in
            guard let request = Request(raw) else { return }
            request.fileSystem.forget(inode, count: count)
            request.end()
        }
        forget_multi = { raw, count, items in
            guard let request = Request(raw) else { return }
            for item in UnsafeBufferPointer(start: items, count: count) {
                request.fileSystem.forget(item.ino, count: item.nlookup)
            }
            request.end()
        }
        unlink = { raw, parent, name in
            answer(raw) { system, caller throws(Errno) in
                try system.unlink(FileName(request: name), in: parent, for: caller)
            }
        }
        rmdir = { raw, parent, name in
            answer(raw) { system, caller throws(Errno) in
                try system.removeDirectory(FileName(request: name), in: parent, for: caller)
            }
        }
        rename = { raw, parent, name, newParent, newName, flags in
            answer(raw) { system, caller throws(Errno) in
                try system.rename(
                    FileName(request: name), in: parent, to: FileName(request: newName), in: newParent,
                    mode: RenameMode(flags: flags), for: caller)
            }
        }
        addMakers()
    }

    private mutating func addMakers() {
        mknod = { raw, parent, name, mode, device in
            answer(raw) { system, caller throws(Errno) in
                try system.makeNode(
                    FileName(request: name), in: parent, mode: mode, device: UInt64(device), for: caller)
            } reply: { request, entry in
                request.reply(entry)
            }
        }
        mkdir = { raw, parent, name, mode in
            answer(raw) { system, caller throws(Errno) in
                try system.makeDirectory(FileName(request: name), in: parent, mode: mode & 0o7777, for: caller)
            } reply: { request, entry in
                request.reply(entry)
            }
        }
        symlink = { raw, target, parent, name in
            answer(raw) { system, caller throws(Errno) in
                guard let target else { throw .invalid }
                let bytes = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
                return try system.makeSymbolicLink(
                    FileName(request: name), in: parent, target: bytes, for: caller)
            } reply: { request, entry in
                request.reply(entry)
            }
        }
        link = { raw, inode, newParent, newName in
            answer(raw) { system, caller throws(Errno) in
                try system.link(inode, to: FileName(request: newName), in: newParent, for: caller)
            } reply: { request, entry in
                request.reply(entry)
            }
        }
    }
}

extension RenameMode {
    /// The flags of renameat2(2): none, `RENAME_NOREPLACE` or `RENAME_EXCHANGE`.
    ///
    /// - Throws: `EINVAL` for others and for both together.
    init(flags: UInt32) throws(Errno) {
        switch flags {
        case 0: self = .replace
        case 1: self = .noReplace
        case 2: self = .exchange
        default: throw .invalid
        }
    }
}
