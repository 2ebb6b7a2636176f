internal import CLinux
import Glibc

/// What a process does to itself before it serves others in the background.
extension RunningProcess {
    /// Closes every descriptor from `first` on, so that nothing that the starter had open is kept open.
    /// The corresponding C function is `close_range`.
    public static func closeDescriptors(from first: UInt32) { _ = cl_close_range_from(first) }

    /// Leaves the terminal and the session of whoever started it. The corresponding C function is `setsid`.
    public static func startSession() { _ = setsid() }

    /// Names this process as the kernel's tools show it (15 bytes at most), where its file is called otherwise.
    public static func setName(_ name: String) { cl_set_thread_name(name) }

    /// Raises the number of files that may be open at once to the most that this user may have (getrlimit(2)).
    public static func raiseDescriptorLimit() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // Without it fewer files can be open at once, which each open reports.
        _ = setrlimit(resource, &limit)
    }
}
