internal import CFuse

extension fuse_lowlevel_ops {
    /// The requests that a file system answers.
    ///
    /// Left out: access (the kernel checks permissions itself), locks (the kernel keeps them), ioctl, poll, bmap.
    /// The callbacks are formed in ordinary functions: in top-level code they would belong to the main actor.
    static func all() -> fuse_lowlevel_ops {
        var operations = fuse_lowlevel_ops()
        operations.addStart()
        operations.addNames()
        operations.addAttributes()
        operations.addExtendedAttributes()
        operations.addFiles()
        operations.addDirectories()
        return operations
    }
}
