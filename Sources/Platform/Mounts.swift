internal import CLinux

/// The mounts of the running system.
public enum Mounts {
    /// Takes a mount away, symbolic links in its last component not followed. The corresponding C function is `umount2`.
    ///
    /// - Parameter lazily: the path is free at once, the rest follows when nobody uses it any more (`MNT_DETACH`).
    /// - Throws: `EBUSY` where it is in use, `EINVAL` where `path` is no mount point, `EPERM` for ordinary users.
    public static func unmount(_ path: String, lazily: Bool) throws(Errno) {
        // UMOUNT_NOFOLLOW of sys/mount.h.
        let noFollow: Int32 = 8
        let flags = noFollow | (lazily ? Int32(CL_UMOUNT_DETACH) : 0)
        _ = try retryingInterrupts { cl_umount2(path, flags) }
    }
}
