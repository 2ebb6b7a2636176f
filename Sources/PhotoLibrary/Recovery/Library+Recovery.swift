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
        /// Files without a row that came back as pending files.
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
    /// row; a draft's are dropped, others come back as pending files. So does a file among the versions that no row knows:
    /// an edit that was cut off after the move, or a version that is newer than a catalogue from a backup.
    public func recover() throws(Errno) -> RecoveryReport {
        var report = RecoveryReport()
        sweeper.sweep()
        reserve.fill()
        try dropUnfinishedThumbnails()
        try recoverRows(&report)
        // What another process imports has no row yet either; the next mount looks at what that leaves.
        if let hold = try holdAgainstImports() {
            try recoverStrays(&report)
            try recoverVersions(&report)
            withExtendedLifetime(hold) {}
        }
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
                if node.kind == .pending, node.reason == nil, status.size > 0 {
                    try recoverPending(node, path, status, &report)
                }
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

    /// A pending file with bytes: one that was closed is looked at again; one whose writer was cut off says so, since
    /// its bytes may look whole and yet lack what was still to come.
    private func recoverPending(
        _ node: NodeRecord, _ path: String, _ status: FileStatus, _ report: inout RecoveryReport
    ) throws(Errno) {
        var mark: [UInt8]?
        do throws(Errno) {
            mark = try store.open(path).attribute(StagingMark.closed)
        } catch {
            guard error == .notSupported else { throw error }
        }
        if mark == StagingMark.closedValue(status) {
            report.unfinished.append(node.id)
        } else {
            let names = try names(of: node.id)
            guard names.contains(where: { NameClass(of: $0.name) == .ordinary }) else { return }
            try noteIncomplete(
                node.id,
                reason: "The mount ended while this file was being written. Copy it again, or remove it.")
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
                report.unfinished.append(try adopt(path, file))
                report.recovered += 1
            }
        }
    }

    private func isMarkedAsDraft(_ file: FileDescriptor) throws(Errno) -> Bool {
        // In a store without extended attributes, what might be a draft is kept.
        try attribute(StagingMark.draft, of: file) != nil
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

    /// Brings versions that no row knows back as pending files.
    private func recoverVersions(_ report: inout RecoveryReport) throws(Errno) {
        for area in [Store.originals, Store.renders] {
            var strays: [String] = []
            try store.forEachVersionDirectory(in: area) { (directory, names) throws(Errno) in
                try catalog.read { (database) throws(Errno) in
                    for name in names where try !database.isVersion("\(directory)/\(name)") {
                        strays.append("\(directory)/\(name)")
                    }
                }
            }
            for path in strays {
                let file = try store.open(path)
                let staged = store.stagingPath(ofVersion: path)
                try store.move(path, to: staged)
                report.unfinished.append(try adopt(staged, file))
                report.recovered += 1
            }
        }
    }

    /// Gives a staging file without a row its place in the tree again, as a pending file.
    private func adopt(_ path: String, _ file: FileDescriptor) throws(Errno) -> UInt64 {
        let status = try file.status()
        let place = try attribute(StagingMark.place, of: file).map { String(decoding: $0, as: UTF8.self) }
        let draft = try attribute(StagingMark.draft, of: file).flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        return try catalog.write { (database) throws(Errno) in
            var (parent, name) = (FixedNode.cameraRoll, FileName(trusted: Array("Recovered".utf8)))
            if let home = try database.home(place: place, draftOf: draft) { (parent, name) = home }
            if try database.entry(name, in: parent) != nil { name = try database.freeName(like: name, in: parent) }
            let kind: NodeKind = NameClass(of: name) == .plain ? .plain : .pending
            return try database.make(
                NewNode(kind: kind, mode: 0o100644, uid: status.uid, gid: status.gid, file: path),
                named: name, in: parent
            ).id
        }
    }

    private func attribute(_ name: String, of file: FileDescriptor) throws(Errno) -> [UInt8]? {
        do throws(Errno) { return try file.attribute(name) } catch .notSupported { return nil }
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

extension Database {
    fileprivate func isVersion(_ path: String) throws(Errno) -> Bool {
        try first(
            "SELECT 1 FROM resource WHERE file = ?1 UNION ALL SELECT 1 FROM doomed_file WHERE file = ?1", [.text(path)]
        ) { _ in true } ?? false
    }

    /// Where a file belongs by its marks: the path at which it was made, its directory being still there, or beside the
    /// file that it was written over.
    fileprivate func home(place: String?, draftOf node: UInt64?) throws(Errno) -> (parent: UInt64, name: FileName)? {
        if let node, let found = try places(of: node).first(where: { $0.room == .cameraRoll }) {
            return (found.parent, found.name)
        }
        guard let place else { return nil }
        let parts = place.split(separator: "/")
        do throws(Errno) {
            let name = try FileName(parts.last.map(String.init) ?? "")
            let directory = try self.node(atPath: parts.dropLast().joined(separator: "/"))
            let isThere = directory?.kind == .directory && directory?.room == .cameraRoll
            return (isThere ? directory?.id ?? FixedNode.cameraRoll : FixedNode.cameraRoll, name)
        } catch {
            if [.invalid, .illegalSequence, .nameTooLong].contains(error) { return nil }
            throw error
        }
    }
}
