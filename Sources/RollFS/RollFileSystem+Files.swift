public import FUSE
internal import PhotoLibrary
public import Platform

extension RollFileSystem {
    public func open(_ inode: UInt64, flags: OpenFlags, for caller: Caller) throws(Errno) -> OpenReply {
        if let view = ViewInode(inode) { return try open(view, flags: flags, caller) }
        let access = try gate.askedAccess(of: caller, "open", pathForLog(inode))
        settle(inode)
        guard let node = try library.node(inode) ?? orphan(inode) else { throw .stale }
        if flags.canWrite {
            try gate.require(access, reaches: node, "open", pathForLog(inode))
        } else {
            try gate.require(access, reads: node, "open", pathForLog(inode))
        }
        let open = try files.acquire(inode, forWriting: flags.canWrite)
        if flags.truncates, flags.canWrite {
            do throws(Errno) {
                try open.write(to: library, startsEmpty: true) { (file) throws(Errno) in try file.truncate(to: 0) }
                open.state.withLock { state in
                    if state.draft == nil { state.stream = library.makeStreamingDigest() }
                }
            } catch {
                files.release(open, forWriting: true)
                throw error
            }
        }
        let name = flags.canWrite ? lastLookups.name(of: inode, for: caller) : nil
        let viewName = flags.canWrite ? lastLookups.viewName(of: inode, for: caller) : nil
        // Pages of another version, which another process has put in its place since, are dropped.
        let keepsCache = node.kind != .asset || knownContents.note(node.file, of: inode)
        return reply(
            OpenHandle(node: open, canWrite: flags.canWrite, client: access.client, name: name, viewName: viewName),
            keepsCache: keepsCache)
    }

    func pathForLog(_ inode: UInt64) -> String {
        do throws(Errno) { return try library.path(ofNode: inode) ?? "" } catch { return "" }
    }

    /// A node without a row that somebody has open.
    private func orphan(_ inode: UInt64) -> NodeRecord? {
        files.node(inode)?.state.withLock { $0.orphan ?? $0.merged?.node }
    }

    /// The one place where replies to open and create are made.
    private func reply(_ handle: OpenHandle, keepsCache: Bool = true) -> OpenReply {
        var reply = OpenReply(handle: files.addHandle(handle))
        // What the kernel keeps of a file is dropped whenever the bytes change without it.
        reply.keepsCache = keepsCache
        reply.skipsFlush = !handle.canWrite
        return reply
    }

    public func create(
        _ name: FileName, in parent: UInt64, mode: UInt32, flags: OpenFlags, for caller: Caller
    ) throws(Errno) -> (entry: Entry, open: OpenReply) {
        if let view = ViewInode(parent) { return try create(name, in: view, mode: mode, flags: flags, caller) }
        let (owner, access) = try requireAdding(name, in: parent, "create", caller)
        let made: (node: NodeRecord, file: FileDescriptor)
        do throws(Errno) {
            made = try makeFile(name, in: parent, mode: mode, owner, access)
        } catch {
            // Another process made it since the kernel looked.
            guard error == .exists, !flags.isExclusive, let entry = try gate.entry(name, in: parent, access) else {
                throw error
            }
            return (try nodes.entry(of: entry.node, for: access), try open(entry.node.id, flags: flags, for: caller))
        }
        gate.noteAddition(made.node.id, by: access)
        if flags.isExclusive {
            library.noteCreation(of: made.node.id, at: WrittenName(parent: parent, name: name), thread: caller.pid)
        }
        return try adopt(made, access)
    }

    /// Opens a file that was just made.
    func adopt(
        _ made: (node: NodeRecord, file: FileDescriptor), _ access: Access, isView: Bool = false
    ) throws(Errno) -> (entry: Entry, open: OpenReply) {
        guard let open = files.adopt(made.node, file: made.file) else { throw .ioError }
        open.state.withLock { $0.stream = library.makeStreamingDigest() }
        let reply = reply(OpenHandle(node: open, canWrite: true, client: access.client))
        return (try nodes.entry(of: made.node, for: access, isView: isView), reply)
    }

    /// Makes a file under the name that a client chose, or under one like it where it may not see what has that name.
    func makeFile(
        _ name: FileName, in parent: UInt64, mode: UInt32, _ owner: Library.Owner, _ access: Access
    ) throws(Errno) -> (node: NodeRecord, file: FileDescriptor) {
        let kept = try gate.newName(name, in: parent, access)
        let made = try library.makeFile(kept, in: parent, mode: mode, owner: owner)
        try gate.noteChoice(of: name, for: kept, in: parent, access)
        return made
    }

    public func read(_ inode: UInt64, handle: UInt64, at offset: Int64, count: Int) throws(Errno) -> ReadReply {
        .file(try files.handle(handle).node.file, offset: offset, count: count)
    }

    public func write(
        _ inode: UInt64, handle: UInt64, at offset: Int64, from source: borrowing WriteSource
    ) throws(Errno) -> Int {
        let handle = try files.writingHandle(handle)
        let count = try handle.node.write(to: library, at: offset, isPlainWrite: true) { (file) throws(Errno) -> Int in
            let count = try source.write(to: file, at: offset)
            handle.node.noteWrite(offset: offset, count: count, file: file)
            startWriteback(file, after: offset, count)
            return count
        }
        return count
    }

    /// Lets the disk begin with what was written, step by step, so that the sync at the close is short.
    private func startWriteback(_ file: FileDescriptor, after offset: Int64, _ count: Int) {
        let step: Int64 = 8 << 20
        let (before, after) = (offset / step, (offset &+ Int64(count)) / step)
        if after > before, !library.options.isRelaxed {
            file.startWriteback(at: before * step, count: (after - before) * step)
        }
    }

    public func flush(_ inode: UInt64, handle: UInt64, for caller: Caller) throws(Errno) {
        let number = handle
        let handle = try files.handle(number)
        guard handle.canWrite else { return }
        let open = handle.node
        // Where somebody else still writes, their close commits.
        let isLast = open.state.withLock { state in
            state.closing.insert(number)
            return state.closing.count == state.writers
        }
        guard isLast else { return }
        if let failure = commit(
            open, client: handle.client, name: handle.name, viewName: handle.viewName, isLast: false,
            operation: "close")
        {
            throw failure.errno
        }
    }

    public func release(_ inode: UInt64, handle: UInt64) {
        let number = handle
        guard let handle = files.removeHandle(number) else { return }
        guard handle.canWrite else { return files.release(handle.node, forWriting: false) }
        finishWriting(
            handle.node, number, client: handle.client, name: handle.name, viewName: handle.viewName,
            operation: "release")
    }

    /// Ends one writer's use of a file; the last one commits what it left.
    ///
    /// - Parameter number: the writer's handle.
    @discardableResult
    func finishWriting(
        _ open: OpenNode, _ number: UInt64, client: String, name: WrittenName? = nil,
        viewName: LastLookups.ViewName? = nil, operation: String
    ) -> CommitFailure? {
        let (commits, isLast) = open.state.withLock { state in
            state.closing.insert(number)
            state.releasing += 1
            let isLast = state.releasing == state.writers
            return (state.closing.count == state.writers && (state.isDirty || isLast && state.draft != nil), isLast)
        }
        var failure: CommitFailure?
        if commits {
            failure = commit(
                open, client: client, name: name, viewName: viewName, isLast: isLast, operation: operation)
        }
        files.release(open, forWriting: true, finished: number)
        return failure
    }

    /// Commits a file that nobody has open for writing, as if it were closed now.
    func commitUnopened(_ open: OpenNode, client: String, operation: String) -> CommitFailure? {
        open.state.withLock { state in
            state.isDirty = true
            state.failure = nil
        }
        return commit(open, client: client, name: nil, isLast: true, operation: operation)
    }

    /// Commits a file; what it ran into is logged here and nowhere else.
    private func commit(
        _ open: OpenNode, client: String, name: WrittenName?, viewName: LastLookups.ViewName? = nil, isLast: Bool,
        operation: String
    ) -> CommitFailure? {
        let isRepeated = open.state.withLock { !$0.isDirty && $0.failure != nil }
        var effect = OpenNode.CommitEffect()
        var failure: CommitFailure?
        let before = viewName == nil ? nil : asset(at: open.id)
        do throws(CommitFailure) {
            try open.commit(to: library, client: client, name: name, isLast: isLast, effect: &effect)
        } catch { failure = error }
        if failure == nil, let viewName, let after = asset(at: open.id), before != after {
            joinView(viewName, open.id)
        }
        gate.noteClose(
            of: open.id, mergedInto: open.state.withLock { $0.merged?.target }, by: client)
        companions.noteCommit()
        files.contentsChanged()
        if failure == nil, !effect.lostContents { noteContents(of: open.id) }
        for gone in effect.goneNodes { files.orphan(gone) }
        dropAttributes(of: effect.changedNodes)
        if effect.lostContents { notifier?.dropContents(of: open.id, waiting: 200_000_000) }
        if let failure, !isRepeated { log(failure, open, client, operation) }
        return failure
    }

    /// What was written through the kernel is what it has pages of.
    private func noteContents(of inode: UInt64) {
        do throws(Errno) {
            if let node = try library.node(inode), node.kind == .asset { _ = knownContents.note(node.file, of: inode) }
        } catch {
            // The next opening drops the pages.
        }
    }

    private func asset(at inode: UInt64) -> Int64? {
        do throws(Errno) { return try library.node(inode)?.asset } catch { return nil }
    }

    /// Gives a new asset the name in the view under which it was written over another, which steps aside there too.
    private func joinView(_ name: LastLookups.ViewName, _ inode: UInt64) {
        do throws(Errno) {
            guard let node = try library.node(inode) else { return }
            _ = try views.view(of: name.directory).receive(
                node, as: name.name, into: name.directory.directory, mayReplace: true)
        } catch {
            library.events.add(
                EventLog.Event(
                    client: "", operation: "close", path: pathForLog(inode), errno: error,
                    reason: "The picture is in the library, but could not be put where it was written: \(error)."))
        }
    }

    private func log(_ failure: CommitFailure, _ open: OpenNode, _ client: String, _ operation: String) {
        let path = pathForLog(open.id)
        library.events.add(
            EventLog.Event(
                client: client, operation: operation, path: path, errno: failure.errno, reason: failure.reason))
    }

    public func sync(_ inode: UInt64, handle: UInt64, dataOnly: Bool) throws(Errno) {
        let handle = try files.handle(handle)
        guard let file = handle.node.staged else { return }
        // The name must last too, or the bytes would come back without it.
        if dataOnly { try file.syncData() } else { try file.sync() }
        try library.synchronize()
    }

    public func allocate(
        _ inode: UInt64, handle: UInt64, mode: Int32, at offset: Int64, count: Int64
    ) throws(Errno) {
        let handle = try files.writingHandle(handle)
        try handle.node.write(to: library) { (file) throws(Errno) in
            try file.allocate(mode: mode, at: offset, count: count)
        }
    }

    public func seek(
        _ inode: UInt64, handle: UInt64, from offset: Int64, to target: SeekTarget
    ) throws(Errno) -> Int64 {
        let file = try files.handle(handle).node.file
        switch target {
        case .data: return try file.nextData(after: offset)
        case .hole: return try file.nextHole(after: offset)
        }
    }

    public func copyRange(
        from source: (inode: UInt64, handle: UInt64, offset: Int64),
        to target: (inode: UInt64, handle: UInt64, offset: Int64), count: Int, for caller: Caller
    ) throws(Errno) -> Int {
        let input = try files.handle(source.handle).node
        let output = try files.writingHandle(target.handle)
        let size = try input.file.status().size
        // Behind the end nothing is copied, and nothing becomes of the target that was not.
        if source.offset >= size { return 0 }
        if source.offset == 0, target.offset == 0, count >= size, input !== output.node,
            let asset = try output.node.take(input, in: library)
        {
            gate.noteClose(of: output.node.id, mergedInto: asset.target, by: output.client)
            companions.noteCommit()
            files.contentsChanged()
            dropAttributes(of: asset.names.map(\.parent) + [asset.target, output.node.id])
            return Int(size)
        }
        return try output.node.write(to: library, at: target.offset) { (file) throws(Errno) in
            try input.file.copyRange(at: source.offset, to: file, at: target.offset, count: count)
        }
    }
}
