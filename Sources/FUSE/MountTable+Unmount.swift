import Glibc
internal import Platform

extension MountTable {
    /// Takes a mount away: as root by umount2(2), else by `fusermount3 -u`.
    ///
    /// - Parameter lazily: the path is free at once, the rest follows when nobody uses it any more (`MNT_DETACH`).
    /// - Throws: `EBUSY` where files are open on it, `EINVAL` where nothing is mounted, `EPERM` where it is another's.
    public static func unmount(_ path: String, lazily: Bool = false) throws(SessionError) {
        do throws(Errno) {
            if geteuid() == 0 {
                try Mounts.unmount(path, lazily: lazily)
            } else {
                try unmountAsUser(path, lazily: lazily)
            }
        } catch {
            throw SessionError(error, sentence(for: error, path))
        }
    }

    private static func unmountAsUser(_ path: String, lazily: Bool) throws(Errno) {
        let mounted = try MountTable().mount(at: path)
        guard mounted != nil else { throw .invalid }
        let status = try runQuietly(["fusermount3", "-u", "-q"] + (lazily ? ["-z"] : []) + ["--", path])
        if status == 0 { return }
        throw try MountTable().mount(at: path) == mounted ? .busy : .ioError
    }

    /// Runs a program found in `PATH`, with no signal blocked, and returns its wait status.
    private static func runQuietly(_ command: [String]) throws(Errno) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, command[0], nil, &attributes, &arguments, environ)
        guard code == 0 else { throw Errno(code) }
        var status: Int32 = 0
        _ = try retryingInterrupts { waitpid(process, &status, 0) }
        return status
    }

    private static func sentence(for error: Errno, _ path: String) -> String {
        switch error {
        case .busy:
            "\(path) cannot be unmounted: files on it are open. Close them, or unmount it lazily."
        case .invalid:
            "\(path) cannot be unmounted: nothing is mounted there."
        case .notPermitted:
            "\(path) cannot be unmounted: it was mounted by another user. Unmount it as that user or as root."
        case .noEntry:
            "\(path) cannot be unmounted: the path or the program fusermount3 (package fuse3) is missing."
        default:
            "\(path) cannot be unmounted: \(error) (\(error.name))."
        }
    }
}
