internal import CFuse
import Glibc
internal import Platform

extension Session {
    /// How long clients' open files may keep a stopped mount alive, in nanoseconds.
    private static let grace: Int64 = 300_000_000

    /// Waits for the end, and brings everything to it.
    func finish() -> End {
        let event = loop.waitForEvent()
        connection.fileSystem.sessionWillEnd()
        if event == .stopRequested {
            // Without the path no new client gets in. Where none holds anything open the kernel now writes out what it
            // keeps, closes the connection, and the threads end by themselves.
            if detach() { _ = loop.waitUntilEnded(timeout: Self.grace) }
            // While requests are still served: a notice on its way may wait for one of them.
            connection.notifier.close()
            loop.stop()
        }
        loop.join()
        connection.notifier.close()
        end()
        if let failure = loop.failure { return .failed(failure) }
        return event == .stopRequested ? .stopped : .unmounted
    }

    /// Unmounts what is still mounted and gives libfuse's session up.
    func end() {
        detach()
        // libfuse would unmount the path again where the connection still stands, which is by now another's mount or
        // none. Destroying the session closes the connection then; libfuse's copy of the path is all that is not freed.
        if loop.isDisconnected || entry == nil { fuse_session_unmount(raw) }
        fuse_session_destroy(raw)
    }

    /// Takes this session's own mount away from its path, open files or not.
    ///
    /// - Returns: false where it is still there.
    @discardableResult
    private func detach() -> Bool {
        guard let entry, let table = try? MountTable() else { return false }
        // A directory above it may have been renamed since. The kernel gives both numbers to the next mount once this one
        // is gone.
        let own = table.mounts.first {
            $0.identifier == entry.identifier && $0.device == entry.device && $0.type == entry.type
        }
        guard let path = own?.path, !loop.isDisconnected || Self.isDead(path) else { return true }
        // Another mount on top of this one is not ours to take away.
        guard table.mount(at: path)?.identifier == entry.identifier else { return false }
        do throws(SessionError) {
            try MountTable.unmount(path, lazily: true)
            return true
        } catch {
            return false
        }
    }

    /// Whether a mount is one whose connection is closed: where this session's is, one that answers is another's.
    private static func isDead(_ path: String) -> Bool {
        // Unlike the status of its top, this is nothing that the kernel keeps.
        var status = statvfs()
        guard statvfs(path, &status) != 0 else { return false }
        return [.notConnected, .connectionAborted].contains(Errno.current)
    }
}
