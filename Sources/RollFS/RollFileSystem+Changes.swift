internal import FUSE
internal import PhotoLibrary
public import Platform

/// Changes by other processes.
extension RollFileSystem {
    public var answerToken: UInt64 { library.announcements.count }

    public func mayKeep(_ inode: UInt64, as name: FileName?, in parent: UInt64, since token: UInt64) -> Bool {
        answers.note(name.map { RecentAnswers.Name(parent: parent, name: $0) }, inode, since: token)
    }

    /// Drops what the kernel keeps of what was so before this call.
    func dropOldAnswers() {
        gate.namesChanged()
        let batch = answers.take()
        if batch.isCut { Clock.sleep(Authorization.cacheLifetime) }
        for node in files.openNodes where takeUpVersion(of: node) {
            notifier?.dropContents(of: node.id, waiting: 200_000_000)
        }
        dropAttributes(of: batch.inodes.filter { $0 != 0 })
        var last: RecentAnswers.Name?
        for (name, inode) in batch.names where !leads(name, to: inode) {
            if let last { notifier?.dropEntry(last.name, in: last.parent, waiting: 0) }
            last = name
        }
        // They go in order; where a client keeps one of them locked, it runs out by itself.
        if let last {
            notifier?.dropEntry(last.name, in: last.parent, waiting: Authorization.cacheLifetime)
        }
    }

    /// Whether a name still leads where the kernel believes: then it stays, since somebody may have it as the current
    /// directory, which getcwd(2) does not find under a name that was dropped.
    private func leads(_ name: RecentAnswers.Name, to inode: UInt64) -> Bool {
        do throws(Errno) {
            let node = try library.entry(name.name, in: name.parent)?.node
            return inode == 0 ? node?.kind == .directory : node?.id == inode
        } catch { return false }
    }

    /// Lets those who have an asset open read what its current version is now.
    ///
    /// - Returns: whether another process gave it other bytes.
    private func takeUpVersion(of open: OpenNode) -> Bool {
        do throws(Errno) {
            guard open.state.withLock({ !$0.isWritable && $0.draft == nil && $0.orphan == nil && $0.merged == nil }),
                let record = try library.node(open.id), record.kind == .asset,
                let now = try library.fileStatus(of: record)
            else { return false }
            let before = try open.file.status()
            if before.inode == now.inode, before.device == now.device { return false }
            let file = try library.openFile(of: record, forWriting: false)
            return open.gate.exclusive {
                open.state.withLock { state in
                    guard !state.isWritable, state.draft == nil else { return false }
                    state.file = file
                    return true
                }
            }
        } catch {
            // It was deleted meanwhile: what is open stays readable.
            return false
        }
    }
}
