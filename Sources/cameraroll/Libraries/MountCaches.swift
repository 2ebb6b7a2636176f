import PhotoLibrary
import Platform

/// What the kernel keeps of a library that another process has mounted.
enum MountCaches {
    /// Returns when the mount serves nobody from what was so before this command's changes.
    static func drop(of library: Library) {
        let state: MountLock.State
        do throws(Errno) { state = try MountLock.state(of: library.path) } catch { return }
        guard case .held = state else { return }
        let number = library.announcements.announce()
        // By then the kernel has forgotten by itself.
        library.announcements.waitUntilFollowed(number, timeout: Authorization.cacheLifetime)
    }
}
