import FUSE
import Platform

extension Subcommand {
    static let unmount = Subcommand(
        name: "unmount", operands: "MOUNTPOINT", summary: "Unmount a library.",
        details: """
            Everything written is on the disk, and the process that served the mount has ended, when this returns.
            While a program has a file open in the mount it stays (exit status 5). A mount point whose process has died
            is cleared.
            """,
        options: [], operandCount: 1...1, run: UnmountCommand.run)
}

/// Takes a mount away.
enum UnmountCommand {
    /// How long the process that serves the mount may take to end, in nanoseconds.
    private static let patience: Int64 = 60_000_000_000

    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        let path = try MountPoint.locate(arguments.operands[0])
        let mount = try mount(at: path)
        let holder = holder(of: mount)
        // Its number may be another process's by the time it is asked for.
        let began = holder.flatMap { RunningProcess.startTime(of: $0.pid) }
        let isDead = MountPoint.isDead(path)
        do throws(SessionError) { try MountTable.unmount(path, lazily: isDead) } catch {
            guard error.code == .busy else { throw CommandFailure(error) }
            throw CommandFailure(
                .busy,
                "\(path) is in use: a program has a file open or its working directory there. Close it, or see who it"
                    + " is with: fuser -vm \(path)")
        }
        if isDead { StandardError.note("\(path) was a mount whose process had ended; it is cleared away.") }
        try waitForEnd(of: mount.source, holder, began)
        return .done
    }

    private static func mount(at path: String) throws(CommandFailure) -> MountTable.Mount {
        let table: MountTable
        do throws(Errno) { table = try MountTable() } catch {
            throw CommandFailure(system: error, "The mount table /proc/self/mountinfo cannot be read")
        }
        guard let mount = table.mount(at: path) else {
            let own = table.mounts.first { $0.type == LibraryLocation.mountType && $0.source == path }
            let hint = own.map { " The library \(path) is mounted at \($0.path)." } ?? " See: cameraroll status"
            throw CommandFailure(.noSuchItem, "Nothing is mounted at \(path).\(hint)")
        }
        guard mount.type == LibraryLocation.mountType else {
            throw CommandFailure(
                .noSuchItem, "\(path) is a mount of another kind (\(mount.type)). Use umount(8) for it.")
        }
        return mount
    }

    private static func holder(of mount: MountTable.Mount) -> MountLock.Holder? {
        guard let state = try? MountLock.state(of: mount.source), case .held(let holder?) = state,
            holder.mountPoint.utf8.elementsEqual(mount.path.utf8)
        else { return nil }
        return holder
    }

    /// Waits until the process that served the mount has let go of the library and ended.
    ///
    /// - Parameter began: when that process was started, by the kernel's clock.
    private static func waitForEnd(
        of library: String, _ holder: MountLock.Holder?, _ began: UInt64?
    ) throws(CommandFailure) {
        guard let holder else { return }
        let deadline = Clock.monotonic() + patience
        while isRunning(holder, library, began) {
            guard Clock.monotonic() < deadline else {
                throw CommandFailure(
                    .busy,
                    "The mount is gone, but process \(holder.pid) still works on \(library) after 60 seconds."
                        + " See \(library)/logs/mount.log")
            }
            Clock.sleep(10_000_000)
        }
    }

    private static func isRunning(_ holder: MountLock.Holder, _ library: String, _ began: UInt64?) -> Bool {
        if let state = try? MountLock.state(of: library), case .held(let other) = state, other == nil || other == holder
        {
            return true
        }
        // The lock goes a moment before the process does. One that has ended and was not waited for has no program.
        guard let began, RunningProcess.startTime(of: holder.pid) == began else { return false }
        return RunningProcess.program(of: holder.pid).map { $0.contains("/cameraroll") } ?? false
    }
}
