import Glibc
import Testing

/// Tests on a real mount, one after the other: some of them count the threads of the process.
///
/// They run as root and, where `/dev/fuse` is open to all, as an ordinary user. Skipped aloud where nothing can be
/// mounted.
@Suite(.enabled(if: canMount), .serialized)
struct MountTests {}

/// Mounts need the kernel's FUSE, and for ordinary users the helper of libfuse.
private let canMount: Bool = {
    let isPossible = access("/dev/fuse", R_OK | W_OK) == 0
    if isPossible, isRoot || access("/usr/bin/fusermount3", X_OK) == 0 { return true }
    print("SKIPPED: mount tests, since /dev/fuse is missing or closed to this user")
    return false
}()

/// For what only root may do; told once where it is skipped.
let isRoot: Bool = {
    if geteuid() == 0 { return true }
    print("SKIPPED: what only root can do, such as device nodes and other mounts")
    return false
}()
