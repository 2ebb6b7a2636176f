import Glibc
import Testing

/// Tests on a real mount, one after the other: some of them count the threads of the process.
///
/// Skipped aloud where nothing can be mounted.
@Suite(.enabled(if: canMount), .serialized)
struct MountTests {}

/// Mounts need the kernel's FUSE and root.
private let canMount: Bool = {
    if access("/dev/fuse", R_OK | W_OK) == 0, geteuid() == 0 { return true }
    print("SKIPPED: mount tests, since /dev/fuse is missing or this is not root")
    return false
}()
