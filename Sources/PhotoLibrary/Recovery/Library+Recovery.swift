public import Platform
internal import SQLite

/// What opening a library for a mount puts right after a crash.
extension Library {
    /// What recovery found.
    public struct RecoveryReport: Sendable {
        /// Files that were moved back to where their rows say they are.
        public var movedBack = 0
        /// Pending files that are to be looked at again, by node: their close may not have returned.
        public var unfinished: [UInt64] = []
        /// Staging files without a row that came back as pending files.
        public var recovered = 0
        /// Drafts of edits that nobody had closed.
        public var droppedDrafts = 0
        /// Pending files whose bytes are gone.
        public var lost = 0
    }

    /// Brings staging and catalogue in line. To be called by the process that mounts the library, before it does.
    ///
    /// The order of a commit is: sync the staging file, move it to the originals, commit the row, sync the log. A crash
    /// after the move leaves a pending row whose file is gone from staging; it lies under the same identifier in the
    /// originals, and goes back. A crash before the row of a new file was on the disk leaves a staging file without a
    /// row; a draft's are dropped, others come back as pending files.
    public func recover() throws(Errno) -> RecoveryReport {
        var report = RecoveryReport()
        sweeper.sweep()
        reserve.fill()
        try recoverRows(&report)
        try recoverStrays(&report)
        return report
    }

    private func recoverRows(_ report: inout RecoveryReport) throws(Errno) {
        let nodes = try catalog.read { (database) throws(Errno) in
            try database.all("SELECT n.* FROM node n WHERE n.file IS NOT NULL AND n.asset IS NULL") {
                NodeRecord(row: $0)
            }
        }
        for node in nodes {
            guard let path = node.file else { continue }
            if let status = try store.status(of: path) {
                if node.kind == .pending, node.reason == nil, status.size > 0 { report.unfinished.append(node.id) }
            } else if let moved = try movedFile(of: node, path) {
                try store.move(moved, to: path)
                report.movedBack += 1
                if node.kind == .pending { report.unfinished.append(node.id) }
            } else {
                try forget(node)
                report.lost += 1
            }
        }
    }

    /// Where a commit that a crash cut off moved a staging file.
    private func movedFile(of node: NodeRecord, _ path: String) throws(Errno) -> String? {
        guard let identifier = path.split(separator: "/").last else { return nil }
        for area in [Store.originals, Store.renders] {
            let directory = store.directory(in: area, node: node.id)
            var found: String?
            do throws(Errno) {
                try Directory(directory, in: store.root).forEachName { (name) throws(Errno) in
                    if name.hasPrefix(identifier + ".") { found = "\(directory)/\(name)" }
                }
            } catch .noEntry { continue }
            if let found { return found }
        }
        return nil
    }

    /// A row whose bytes never reached the disk: its close had not returned.
    private func forget(_ node: NodeRecord) throws(Errno) {
        let path = try path(ofNode: node.id) ?? ""
        try catalog.write { (database) throws(Errno) in
            for place in try database.places(of: node.id) {
                try database.removeName(cookie: place.cookie, of: node.id, in: place.parent)
            }
            try database.run("DELETE FROM node WHERE id = ?", [.integer(node.id)])
        }
        events.add(
            EventLog.Event(
                client: "", operation: "recover", path: path, errno: .ioError,
                reason: "The machine stopped before anything of this file was on the disk. Copy it again."))
    }

    private func recoverStrays(_ report: inout RecoveryReport) throws(Errno) {
        var strays: [String] = []
        try store.forEachStagingFile { (path) throws(Errno) in
            let isKnown = try catalog.read { (database) throws(Errno) in
                try database.first("SELECT 1 FROM node WHERE file = ? AND asset IS NULL", [.text(path)]) { _ in true }
                    ?? false
            }
            if !isKnown { strays.append(path) }
        }
        for path in strays {
            let file = try store.open(path)
            let isDraft = try isMarkedAsDraft(file)
            let isEmpty = try file.status().size == 0
            if let place = try versionPlace(of: path), try store.status(of: place) == nil {
                try store.move(path, to: place)
                report.movedBack += 1
            } else if isDraft || isEmpty {
                try store.remove(path)
                if isDraft { report.droppedDrafts += 1 }
            } else {
                try adopt(path, file)
                report.recovered += 1
            }
        }
    }

    private func isMarkedAsDraft(_ file: FileDescriptor) throws(Errno) -> Bool {
        do throws(Errno) {
            return try file.attribute(StagingMark.draft) != nil
        } catch {
            // A store without extended attributes: what might be a draft is kept.
            if error == .notSupported { return false }
            throw error
        }
    }

    /// Where a version's row says that a staging file lies: the row reached the disk and the move did not.
    private func versionPlace(of path: String) throws(Errno) -> String? {
        guard let identifier = path.split(separator: "/").last else { return nil }
        return try catalog.read { (database) throws(Errno) in
            try database.first(
                "SELECT file FROM resource WHERE instr(file, ?) > 0", [.text("/\(identifier).")]
            ) { $0.text(0) }
        }
    }

    /// Gives a staging file without a row its place in the tree again, as a pending file.
    private func adopt(_ path: String, _ file: FileDescriptor) throws(Errno) {
        var name = FileName(trusted: Array("Recovered".utf8))
        do throws(Errno) {
            if let mark = try file.attribute(StagingMark.place),
                let last = mark.split(separator: 0x2F).last
            {
                name = try FileName(validating: last)
            }
        } catch {
            // Without its mark it gets a name of its own.
        }
        let status = try file.status()
        let wanted = name
        try catalog.write { (database) throws(Errno) in
            var free = wanted
            if try database.entry(free, in: FixedNode.cameraRoll) != nil {
                free = try database.freeName(like: free, in: FixedNode.cameraRoll)
            }
            _ = try database.make(
                NewNode(kind: .pending, mode: 0o100644, uid: status.uid, gid: status.gid, file: path),
                named: free, in: FixedNode.cameraRoll)
        }
    }

    /// Looks again at a pending file that no one has open, as after a crash.
    public func commitUnfinished(_ id: UInt64) throws(CommitFailure) -> CommitOutcome {
        let node: NodeRecord
        let file: FileDescriptor
        do throws(Errno) {
            guard let found = try self.node(id), found.kind == .pending else { return .kept }
            node = found
            file = try openFile(of: node, forWriting: false)
        } catch { throw .failed(error) }
        return try commitPending(id, file: file, client: node.client ?? "")
    }
}
