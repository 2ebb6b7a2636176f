public import Platform
internal import SQLite

/// Counts and sizes.
extension Library {
    /// What the library holds.
    public struct Statistics: Sendable, Equatable {
        /// Assets that are not deleted; a Live Photo, or a RAW and its JPEG, is one.
        public var photos = 0
        public var videos = 0
        /// Files that are no assets yet.
        public var pending = 0
        /// Pending files whose bytes were refused.
        public var refused = 0
        /// Deleted assets that can be restored.
        public var trash = 0
        /// Of all versions of all assets, deleted ones included.
        public var bytes: Int64 = 0
        public init() {}
    }

    /// When anything in the library last changed; nanoseconds since 1970 UTC.
    public func lastChange() throws(Errno) -> Int64 { try catalog.lastChange() }

    public func statistics() throws(Errno) -> Statistics {
        var result = Statistics()
        try catalog.read { (database) throws(Errno) in
            try database.forEach(
                "SELECT media_type, trashed_at IS NOT NULL, count(*) FROM asset WHERE primary_asset IS NULL GROUP BY 1, 2"
            ) { row in
                if row.bool(1) {
                    result.trash += row.int(2)
                } else if row.int(0) == 2 {
                    result.videos += row.int(2)
                } else {
                    result.photos += row.int(2)
                }
                return true
            }
            try database.forEach(
                "SELECT count(*), count(reason) FROM node WHERE kind = 3 AND links > 0"
            ) { row in
                result.pending = row.int(0)
                result.refused = row.int(1)
                return false
            }
            // A sum over more than 64 bits is an error in SQL; as a fraction it is none.
            try database.forEach("SELECT total(size) FROM resource") { row in
                result.bytes = Int64(exactly: row.double(0).rounded()) ?? .max
                return false
            }
        }
        return result
    }

    /// The catalogue was found damaged while it was read; nothing is written any more.
    public var isDamaged: Bool { catalog.isDamaged }
}
