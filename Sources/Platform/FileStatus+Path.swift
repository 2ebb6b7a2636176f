import Glibc

extension FileStatus {
    /// What the kernel knows of the file at a path, symbolic links followed. The corresponding C function is `stat`.
    public init(path: String) throws(Errno) {
        var status = stat()
        _ = try retryingInterrupts { stat(path, &status) }
        self.init(status)
    }

    /// As `init(path:)`, of a symbolic link itself. The corresponding C function is `lstat`.
    public init(linkAt path: String) throws(Errno) {
        var status = stat()
        _ = try retryingInterrupts { lstat(path, &status) }
        self.init(status)
    }
}
