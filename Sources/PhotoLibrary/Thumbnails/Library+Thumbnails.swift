public import Platform
internal import SQLite

/// Where thumbnails are kept: `thumbnails/ab/DIGEST.jpg`, named by the version's digest, which begins with `ab`.
///
/// They can be made again, so that nothing waits for the disk. `DIGEST.failed` holds why none can be made. Both are
/// removed with the last version that has the digest (the trigger `thumbnail_of_lost_version`).
extension Library {
    /// What there is of a thumbnail.
    public enum ThumbnailState: Sendable {
        /// Bytes, and blocks of 512 bytes.
        case made(size: Int64, blocks: Int64)
        /// Nothing can be made of the picture.
        case failed
        /// Nobody asked for it yet.
        case missing
    }

    /// How long a failure is remembered, in nanoseconds: a day. A newer library may decode what an older one did not.
    private static let failureLifetime: Int64 = 86_400 * 1_000_000_000

    /// What there is of a thumbnail, without opening anything.
    public func thumbnailState(of source: ThumbnailSource) throws(Errno) -> ThumbnailState {
        if let made = try store.status(of: ThumbnailFiles.picture(source.digest)), made.size > 0 {
            return .made(size: made.size, blocks: made.blocks)
        }
        return try isRememberedFailure(source) ? .failed : .missing
    }

    /// Opens a thumbnail; nil where it is not made.
    public func openThumbnail(of source: ThumbnailSource) throws(Errno) -> FileDescriptor? {
        do throws(Errno) { return try store.open(ThumbnailFiles.picture(source.digest)) } catch .noEntry { return nil }
    }

    /// Opens the version that a thumbnail is made of.
    public func openVersion(of source: ThumbnailSource) throws(Errno) -> FileDescriptor {
        guard let file = source.node.file else { throw .stale }
        do throws(Errno) { return try store.open(file) } catch .noEntry { throw .stale }
    }

    /// Keeps a thumbnail. Where it cannot be kept, it is in memory for as long as it is open.
    public func storeThumbnail(_ bytes: [UInt8], of source: ThumbnailSource) throws(Errno) -> FileDescriptor {
        guard !options.isReadOnly else { return try .inMemory(holding: bytes) }
        do throws(Errno) {
            let file = try keep(bytes, at: ThumbnailFiles.picture(source.digest))
            try dropIfLost(source)
            return file
        } catch {
            return try .inMemory(holding: bytes)
        }
    }

    /// Remembers that nothing can be made of a picture.
    ///
    /// - Parameter reason: a sentence for a person.
    public func storeThumbnailFailure(_ reason: String, of source: ThumbnailSource) {
        guard !options.isReadOnly else { return }
        do throws(Errno) {
            _ = try keep(Array(reason.utf8.prefix(1024)), at: ThumbnailFiles.failure(source.digest))
            try dropIfLost(source)
        } catch {
            // Then it is tried again the next time.
        }
    }

    private func isRememberedFailure(_ source: ThumbnailSource) throws(Errno) -> Bool {
        guard let marker = try store.status(of: ThumbnailFiles.failure(source.digest)) else { return false }
        let age = Clock.now() &- marker.modificationTime
        return age >= 0 && age < Self.failureLifetime
    }

    /// Writes a file under another name first: under its own it is whole.
    private func keep(_ bytes: [UInt8], at path: String) throws(Errno) -> FileDescriptor {
        let temporary = ThumbnailFiles.temporary()
        let file = try store.create(temporary)
        do throws(Errno) {
            try file.write(bytes, at: 0)
            try store.replace(temporary, at: path)
        } catch {
            do throws(Errno) { try store.remove(temporary) } catch {
                // It goes at the next mount.
            }
            throw error
        }
        return file
    }

    /// Removes what was made of bytes that were deleted meanwhile: no transaction will note it any more.
    private func dropIfLost(_ source: ThumbnailSource) throws(Errno) {
        let isThere = try catalog.read { (database) throws(Errno) in
            try database.first("SELECT 1 FROM resource WHERE digest = ? LIMIT 1", [.blob(source.digest)]) { _ in true }
        }
        guard isThere == nil else { return }
        try store.remove(ThumbnailFiles.picture(source.digest))
        try store.remove(ThumbnailFiles.failure(source.digest))
    }

    /// Removes files that a crash kept from getting their names. One that is an hour old is nobody's.
    func dropUnfinishedThumbnails() throws(Errno) {
        guard try store.status(of: ThumbnailFiles.area) != nil else { return }
        let area = try Directory(ThumbnailFiles.area, in: store.root)
        var old: [String] = []
        try area.forEachName { (name) throws(Errno) in
            guard name.hasPrefix(ThumbnailFiles.temporaryPrefix), let status = try area.status(of: name),
                Clock.now() &- status.modificationTime > 3600 * 1_000_000_000
            else { return }
            old.append(name)
        }
        for name in old { try store.remove("\(ThumbnailFiles.area)/\(name)") }
    }
}

/// Paths of thumbnails, relative to the library.
enum ThumbnailFiles {
    static let area = "thumbnails"
    static let temporaryPrefix = ".new-"

    static func picture(_ digest: [UInt8]) -> String { path(digest) + ".jpg" }
    static func failure(_ digest: [UInt8]) -> String { path(digest) + ".failed" }
    static func temporary() -> String { "\(area)/\(temporaryPrefix)\(Store.identifier())" }

    private static func path(_ digest: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        return "\(area)/\(text.prefix(2))/\(text)"
    }
}
