internal import CFuse
import Glibc
internal import Platform

extension fuse_lowlevel_ops {
    /// Lookup, and what makes, renames and removes names.
    mutating func addNames() {
        lookup = { raw, parent, name in
            answer(raw) { system, caller throws(Errno) in
                let token = system.answerToken
                let name = try FileName(request: name)
                return system.kept(
                    try system.lookup(name, in: parent, for: caller), as: name, in: parent, since: token)
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
                let (name, newName) = (try FileName(request: name), try FileName(request: newName))
                let mode = try RenameMode(flags: flags)
                try system.rename(name, in: parent, to: newName, in: newParent, mode: mode, for: caller)
                // The kernel moves what it keeps along, for as long as it may keep it.
                let token = system.answerToken
                _ = system.mayKeep(0, as: newName, in: newParent, since: token)
                if mode == .exchange { _ = system.mayKeep(0, as: name, in: parent, since: token) }
            }
        }
        addMakers()
    }

    private mutating func addMakers() {
        mknod = { raw, parent, name, mode, device in
            answer(raw) { system, caller throws(Errno) in
                let token = system.answerToken
                let name = try FileName(request: name)
                let made = try system.makeNode(name, in: parent, mode: mode, device: UInt64(device), for: caller)
                return system.kept(made, as: name, in: parent, since: token)
            } reply: { request, entry in
                request.reply(entry)
            }
        }
        mkdir = { raw, parent, name, mode in
            answer(raw) { system, caller throws(Errno) in
                let token = system.answerToken
                let name = try FileName(request: name)
                let made = try system.makeDirectory(name, in: parent, mode: mode & 0o7777, for: caller)
                return system.kept(made, as: name, in: parent, since: token)
            } reply: { request, entry in
                request.reply(entry)
            }
        }
        symlink = { raw, target, parent, name in
            answer(raw) { system, caller throws(Errno) in
                guard let target else { throw .invalid }
                let bytes = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
                let token = system.answerToken
                let name = try FileName(request: name)
                let made = try system.makeSymbolicLink(name, in: parent, target: bytes, for: caller)
                return system.kept(made, as: name, in: parent, since: token)
            } reply: { request, entry in
                request.reply(entry)
            }
        }
        link = { raw, inode, newParent, newName in
            answer(raw) { system, caller throws(Errno) in
                let token = system.answerToken
                let name = try FileName(request: newName)
                return system.kept(
                    try system.link(inode, to: name, in: newParent, for: caller), as: name, in: newParent,
                    since: token)
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
