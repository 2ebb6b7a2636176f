internal import Media
public import Platform
internal import SQLite

/// Attributes that clients set.
extension Library {
    /// What `chmod`, `chown` and `utimensat` change; nil stays.
    public struct AttributeUpdate: Sendable {
        /// Permission bits.
        public var mode: UInt32?
        public var uid: UInt32?
        public var gid: UInt32?
        /// Nanoseconds since 1970 UTC.
        public var accessed: Int64?
        public var modified: Int64?
        public init() {}
    }

    public func update(_ id: UInt64, _ update: AttributeUpdate) throws(Errno) -> NodeRecord {
        try catalog.write { (database) throws(Errno) in
            guard let node = try database.node(id) else { throw .stale }
            let mode = update.mode.map { node.mode & 0o170000 | $0 & 0o7777 } ?? node.mode
            try database.run(
                """
                UPDATE node SET mode = ?, uid = ?, gid = ?, accessed = coalesce(?, accessed),
                    modified = coalesce(?, modified), changed = ? WHERE id = ?
                """,
                [
                    .integer(mode), .integer(update.uid ?? node.uid), .integer(update.gid ?? node.gid),
                    .integer(update.accessed), .integer(update.modified), .integer(Clock.now()), .integer(id),
                ])
            if let modified = update.modified, let asset = node.asset {
                try database.redate(asset: asset, node: id, by: modified)
            }
            guard let updated = try database.node(id) else { throw .ioError }
            return updated
        }
    }

    /// The bytes were written to: a time that a client set before no longer holds.
    public func forgetModified(_ id: UInt64) throws(Errno) {
        try catalog.write { (database) throws(Errno) in
            try database.run(
                "UPDATE node SET modified = NULL, changed = ? WHERE id = ?", [.integer(Clock.now()), .integer(id)])
        }
    }
}

extension Database {
    /// An asset whose only date is its file's time follows that time: tar and some file managers set it after the close.
    fileprivate func redate(asset: Int64, node: UInt64, by modified: Int64) throws(Errno) {
        let moment = CaptureMoment(nil, name: FileName(trusted: []), modified: modified)
        try run(
            "UPDATE asset SET captured = ?, captured_offset = ?, day = ? WHERE id = ? AND captured_source = ?",
            [
                .integer(moment.instant), .integer(moment.offset), .integer(moment.day), .integer(asset),
                .integer(CaptureDate.Source.modificationTime.rawValue),
            ])
        if changedRows > 0 {
            try run("UPDATE node SET captured = ? WHERE id = ?", [.integer(moment.instant), .integer(node)])
        }
    }
}
