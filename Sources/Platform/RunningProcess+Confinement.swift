internal import CLinux
import Glibc

/// What a process gives up before it reads bytes that may attack it. Nothing of it can be taken back.
extension RunningProcess {
    /// How much a confined process may use.
    public struct Confinement: Sendable {
        /// Address space, in bytes.
        public var memory: UInt
        /// Descriptors open at once.
        public var descriptors: UInt
        public init(memory: UInt, descriptors: UInt) {
            self.memory = memory
            self.descriptors = descriptors
        }
    }

    /// Gives up what a process that only computes does not need: writing files, more memory, other programs' rights.
    ///
    /// No file can be opened by name any more, no program run, no socket or process made, where the kernel has system
    /// call filters (seccomp(2)); the limits (getrlimit(2)) hold everywhere. Libraries have to be loaded before.
    ///
    /// - Throws: the error of a limit that could not be set.
    public static func confine(_ confinement: Confinement) throws(Errno) {
        cl_use_one_heap()
        _ = chdir("/")
        _ = try retryingInterrupts { cl_set_no_new_privileges() }
        _ = try retryingInterrupts { cl_set_undumpable() }
        try limit(RLIMIT_CORE, to: 0)
        try limit(RLIMIT_FSIZE, to: 0)
        try limit(RLIMIT_AS, to: confinement.memory)
        try limit(RLIMIT_NOFILE, to: confinement.descriptors)
        // A kernel without filters: the limits are what there is.
        _ = cl_forbid_reaching_out()
    }

    /// Ends this process once it has used so many more seconds of processor time.
    public static func limitProcessorTime(seconds: UInt) throws(Errno) {
        var usage = rusage()
        _ = try retryingInterrupts { getrusage(RUSAGE_SELF.rawValue, &usage) }
        let used = UInt(clamping: usage.ru_utime.tv_sec &+ usage.ru_stime.tv_sec &+ 1)
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_CPU.rawValue)
        _ = try retryingInterrupts { getrlimit(resource, &limit) }
        limit.rlim_cur = min(limit.rlim_max, used &+ seconds)
        _ = try retryingInterrupts { setrlimit(resource, &limit) }
    }

    private static func limit(_ resource: __rlimit_resource, to value: UInt) throws(Errno) {
        var limit = rlimit()
        let number = __rlimit_resource_t(resource.rawValue)
        _ = try retryingInterrupts { getrlimit(number, &limit) }
        limit.rlim_max = min(limit.rlim_max, value)
        limit.rlim_cur = limit.rlim_max
        _ = try retryingInterrupts { setrlimit(number, &limit) }
    }
}
