internal import CFuse
import Glibc
internal import Platform

extension Session {
    /// The mount point as the mount table will show it.
    static func resolve(_ mountPoint: String) throws(SessionError) -> String {
        do throws(Errno) {
            let path = try MountTable.resolve(mountPoint)
            var status = stat()
            _ = try retryingInterrupts { stat(path, &status) }
            guard FileKind(mode: status.st_mode) == .directory else { throw .notDirectory }
            return path
        } catch {
            throw SessionError(error, sentence(for: error, mountPoint))
        }
    }

    private static func sentence(for error: Errno, _ path: String) -> String {
        switch error {
        case .noEntry:
            "\(path) cannot be mounted on: it does not exist. Make the directory first."
        case .notDirectory:
            "\(path) cannot be mounted on: it is not a directory."
        case .notConnected:
            "\(path) is a mount whose process has ended. Unmount it first: fusermount3 -u '\(path)'"
        case .accessDenied:
            "\(path) cannot be mounted on: a directory on the way is not open to this user."
        default:
            "\(path) cannot be mounted on: \(error) (\(error.name))."
        }
    }

    /// Makes libfuse's session and mounts it: by mount(2) as root, through fusermount3 otherwise.
    static func mount(
        _ connection: Connection, at path: String, _ options: MountOptions, _ operations: fuse_lowlevel_ops
    ) throws(SessionError) -> OpaquePointer {
        if let unknown = options.flags.first(where: { !MountOptions.knownFlags.contains($0) }) {
            let known = MountOptions.knownFlags.sorted().joined(separator: ", ")
            throw SessionError(.invalid, "The mount option \(unknown) is not known. Known are: \(known).")
        }
        guard access("/dev/fuse", F_OK) == 0 else {
            throw SessionError(
                .noDevice, "/dev/fuse is missing: the kernel has no FUSE. Load it with: modprobe fuse")
        }
        let (created, createLog) = LibraryLog.capturing { makeSession(connection, options, operations) }
        guard let session = created else {
            throw SessionError(.invalid, "The mount options were refused: \(clean(createLog))")
        }
        let (mounted, mountLog) = LibraryLog.capturing { fuse_session_mount(session, path) }
        guard mounted == 0 else {
            fuse_session_destroy(session)
            throw SessionError(.notPermitted, "\(path) could not be mounted: \(clean(mountLog))\(hint(options))")
        }
        return session
    }

    private static func makeSession(
        _ connection: Connection, _ options: MountOptions, _ operations: fuse_lowlevel_ops
    ) -> OpaquePointer? {
        // libfuse skips the first argument and keeps a copy of the operations.
        var strings = [strdup("fuse"), strdup("-o"), strdup(options.text), nil]
        defer { for string in strings { free(string) } }
        var operations = operations
        return strings.withUnsafeMutableBufferPointer { arguments in
            var list = fuse_args(argc: 3, argv: arguments.baseAddress, allocated: 0)
            defer { fuse_opt_free_args(&list) }
            return fuse_session_new(
                &list, &operations, MemoryLayout<fuse_lowlevel_ops>.size,
                Unmanaged.passUnretained(connection).toOpaque())
        }
    }

    /// libfuse's lines as one, without the prefix.
    private static func clean(_ log: String) -> String {
        let lines = log.split(separator: "\n").map { line in
            line.hasPrefix("fuse: ") ? line.dropFirst(6) : line
        }
        return lines.isEmpty ? "the kernel or fusermount3 refused it." : lines.joined(separator: "; ") + "."
    }

    private static func hint(_ options: MountOptions) -> String {
        guard geteuid() != 0 else { return "" }
        let others =
            options.allowsOthers ? " Access for other users needs user_allow_other in /etc/fuse.conf." : ""
        return " An ordinary user needs the program fusermount3 (package fuse3) and write permission"
            + " on the mount point." + others
    }
}
