internal import Media
internal import Platform
internal import SQLite

/// What tells which picture a version shows, as far as the catalogue holds it.
struct CaptureIdentity: Sendable, Equatable {
    var mediaType: Int
    var contentIdentifier: String?
    var make: String?
    var model: String?
    /// Local time by the file's own word; nil where it has no date.
    var moment: Int64?

    enum Verdict { case same, different, noEvidence }

    /// Compares two versions by their capture data alone.
    func compared(with other: CaptureIdentity) -> Verdict {
        if mediaType != other.mediaType { return .different }
        if let mine = contentIdentifier, let others = other.contentIdentifier {
            return mine == others ? .same : .different
        }
        guard let moment, let otherMoment = other.moment else { return .noEvidence }
        return moment == otherMoment && make == other.make && model == other.model ? .same : .different
    }
}

extension Library {
    /// Decides whether new bytes show the picture that an asset shows already: by capture data, and where that differs
    /// by the digest of the picture itself, since a program may have corrected the date.
    ///
    /// Where neither file says anything, they count as the same: the original is kept either way.
    func showsSamePicture(
        _ prepared: PreparedFile, file: FileDescriptor, as asset: Int64
    ) throws(Errno) -> Bool {
        let current = try catalog.read { (database) throws(Errno) in
            try database.first(
                """
                SELECT a.media_type, a.content_identifier, a.make, a.model, a.captured_evidence,
                    r.file, r.size, r.kind
                FROM asset a JOIN resource r ON r.asset = a.id WHERE a.id = ? ORDER BY r.version DESC LIMIT 1
                """, [.integer(asset)]
            ) { row in
                (
                    identity: CaptureIdentity(
                        mediaType: row.int(0), contentIdentifier: row.optionalText(1), make: row.optionalText(2),
                        model: row.optionalText(3), moment: row.optionalInt64(4)),
                    file: row.text(5), size: row.int64(6), kind: MediaKind(rawValue: row.text(7))
                )
            }
        }
        guard let current else { return false }
        let inspection = prepared.inspection
        let identity = CaptureIdentity(
            mediaType: inspection.kind.mediaType.rawValue, contentIdentifier: inspection.contentIdentifier,
            make: inspection.cameraMake, model: inspection.cameraModel,
            moment: CaptureMoment(inspection.captureDate, name: prepared.name, modified: 0).evidence)
        switch identity.compared(with: current.identity) {
        case .same, .noEvidence: return identity.mediaType == current.identity.mediaType
        case .different:
            guard identity.mediaType == current.identity.mediaType, let kind = current.kind, kind == inspection.kind
            else { return false }
            let stored = try store.open(current.file)
            do throws(MediaError) {
                let mine = try MediaInspector.essenceDigest(file, size: prepared.size, kind: kind)
                return try MediaInspector.essenceDigest(stored, size: current.size, kind: kind) == mine
            } catch { return false }
        }
    }
}
