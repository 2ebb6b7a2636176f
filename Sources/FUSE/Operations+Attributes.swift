internal import CFuse
internal import Platform

extension fuse_lowlevel_ops {
    /// Attributes of files, link targets, and the space of the whole.
    mutating func addAttributes() {
        getattr = { raw, inode, file in
            answer(raw) { system, caller throws(Errno) in
                let token = system.answerToken
                return system.kept(
                    try system.attributes(of: inode, handle: file?.pointee.fh, for: caller), since: token)
            } reply: { request, attributes in
                request.reply(attributes)
            }
        }
        setattr = { raw, inode, status, mask, file in
            answer(raw) { system, caller throws(Errno) in
                guard let status else { throw .invalid }
                let change = AttributeChange(status.pointee, mask: mask)
                if let size = change.size, size < 0 { throw .invalid }
                let token = system.answerToken
                return system.kept(
                    try system.setAttributes(of: inode, to: change, handle: file?.pointee.fh, for: caller),
                    since: token)
            } reply: { request, attributes in
                request.reply(attributes)
            }
        }
        readlink = { raw, inode in
            answer(raw) { system, caller throws(Errno) in
                try system.readLink(inode, for: caller)
            } reply: { request, target in
                request.reply(linkTarget: target)
            }
        }
        statfs = { raw, _ in
            answer(raw) { system, caller throws(Errno) in
                try system.statistics(for: caller)
            } reply: { request, status in
                request.reply(status)
            }
        }
    }

    mutating func addExtendedAttributes() {
        getxattr = { raw, inode, name, size in
            answer(raw) { system, caller throws(Errno) in
                // No attribute has a name that is not UTF-8: setting one is refused.
                guard let name, let text = String(validatingCString: name) else { throw .noData }
                return try system.extendedAttribute(text, of: inode, for: caller)
            } reply: { request, value in
                request.reply(attributeBytes: value, limit: size)
            }
        }
        listxattr = { raw, inode, size in
            answer(raw) { system, caller throws(Errno) in
                var bytes: [UInt8] = []
                for name in try system.extendedAttributeNames(of: inode, for: caller) {
                    bytes += name.utf8
                    bytes.append(0)
                }
                return bytes
            } reply: { request, names in
                request.reply(attributeBytes: names, limit: size)
            }
        }
        setxattr = { raw, inode, name, value, size, flags in
            answer(raw) { system, caller throws(Errno) in
                guard let name, let text = String(validatingCString: name) else { throw .illegalSequence }
                let mode = try AttributeSetMode(flags: flags)
                let bytes = Array(UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : size))
                try system.setExtendedAttribute(text, of: inode, to: bytes, mode: mode, for: caller)
            }
        }
        removexattr = { raw, inode, name in
            answer(raw) { system, caller throws(Errno) in
                guard let name, let text = String(validatingCString: name) else { throw .noData }
                try system.removeExtendedAttribute(text, of: inode, for: caller)
            }
        }
    }
}

extension AttributeSetMode {
    /// The flags of setxattr(2): none, `XATTR_CREATE` or `XATTR_REPLACE`.
    ///
    /// - Throws: `EINVAL` for others and for both together.
    init(flags: Int32) throws(Errno) {
        switch flags {
        case 0: self = .createOrReplace
        case 1: self = .create
        case 2: self = .replace
        default: throw .invalid
        }
    }
}
