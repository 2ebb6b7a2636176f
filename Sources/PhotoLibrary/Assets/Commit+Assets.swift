internal import Media
internal import Platform
internal import SQLite

/// PHAssetResourceType's values that the catalogue uses.
enum ResourceType: Int {
    case photo = 1
    case video = 2
    /// The RAW of a photo that the camera wrote beside it.
    case alternatePhoto = 4
    case fullSizePhoto = 5
    case fullSizeVideo = 6
    /// The movie of a Live Photo.
    case pairedVideo = 9
}

/// Rows of assets and resources. To be used inside a transaction.
extension Database {
    /// Makes an asset of prepared bytes that lie at `file` now, and gives it to `node`.
    func makeAsset(
        _ prepared: PreparedFile, file: String, at node: NodeRecord, client: String, added: Int64 = Clock.now()
    ) throws(Errno) {
        let inspection = prepared.inspection
        let moment = CaptureMoment(
            inspection.captureDate, name: prepared.name, modified: node.modified ?? prepared.modified)
        try run(
            """
            INSERT INTO asset (identifier, media_type, subtypes, width, height, orientation, duration, captured,
                captured_offset, captured_source, captured_evidence, day, latitude, longitude, altitude, make, model,
                lens, content_identifier, added_at, modified_at, client)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [.text(Store.identifier())] + Self.description(of: inspection, moment)
                + [.integer(added), .integer(added), .text(client)])
        let asset = lastInsertedRow
        let type: ResourceType = inspection.kind.mediaType == .image ? .photo : .video
        try addResource(prepared, file: file, to: asset, type: type, version: 0)
        try setContents(of: node.id, to: prepared, file: file, asset: asset, captured: moment.instant)
        try setDisplayName(of: node.id, like: prepared.name)
        try gatherSidecars(madeWith: node.id, beside: node.id)
        try attachSidecars(to: node.id, by: client)
        try settlePlacements(of: node.id, asset: asset, hasDate: moment.evidence != nil)
        try settleAttributes(of: node.id, asset: asset, isKnown: false)
    }

    /// The columns from `media_type` to `content_identifier`.
    private static func description(of inspection: MediaInspection, _ moment: CaptureMoment) -> [Value] {
        [
            .integer(inspection.kind.mediaType.rawValue),
            .integer(subtypes(of: inspection)),
            .integer(inspection.pixelWidth), .integer(inspection.pixelHeight), .integer(inspection.orientation),
            .integer(inspection.duration), .integer(moment.instant), .integer(moment.offset),
            .integer(moment.source.rawValue), .integer(moment.evidence), .integer(moment.day),
            .real(inspection.location?.latitude), .real(inspection.location?.longitude),
            .real(inspection.location?.altitude), .text(inspection.cameraMake), .text(inspection.cameraModel),
            .text(inspection.lensModel), .text(inspection.contentIdentifier),
        ]
    }

    private static func subtypes(of inspection: MediaInspection) -> UInt64 {
        inspection.subtypes.union(inspection.kind.isRAW ? .raw : []).rawValue
    }

    func addResource(
        _ prepared: PreparedFile, file: String, to asset: Int64, type: ResourceType, version: Int
    ) throws(Errno) {
        let kind = prepared.inspection.kind
        try run(
            """
            INSERT INTO resource (asset, type, version, file, size, blocks, digest, uniform_type, kind, filename)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(asset), .integer(type.rawValue), .integer(version), .text(file), .integer(prepared.size),
                .integer(prepared.blocks), .blob(prepared.digest), .text(kind.uniformTypeIdentifier),
                .text(kind.rawValue), .text(prepared.name.bytes),
            ])
    }

    private func setContents(
        of node: UInt64, to prepared: PreparedFile, file: String, asset: Int64, captured: Int64
    ) throws(Errno) {
        try run(
            """
            UPDATE node SET kind = ?, asset = ?, file = ?, size = ?, blocks = ?, captured = ?, reason = NULL, changed = ?
            WHERE id = ?
            """,
            [
                .integer(NodeKind.asset.rawValue), .integer(asset), .text(file), .integer(prepared.size),
                .integer(prepared.blocks), .integer(captured), .integer(Clock.now()), .integer(node),
            ])
    }

    /// Describes an asset anew by the bytes of its latest version. What that version does not say, stays.
    private func describe(asset: Int64, by prepared: PreparedFile) throws(Errno) -> Int64 {
        let inspection = prepared.inspection
        if inspection.captureDate != nil {
            let moment = CaptureMoment(inspection.captureDate, name: prepared.name, modified: prepared.modified)
            try run(
                """
                UPDATE asset SET captured = ?, captured_offset = ?, captured_source = ?, captured_evidence = ?, day = ?
                WHERE id = ? AND captured_source <> ?
                """,
                [
                    .integer(moment.instant), .integer(moment.offset), .integer(moment.source.rawValue),
                    .integer(moment.evidence), .integer(moment.day), .integer(asset),
                    .integer(CaptureDate.Source.explicit.rawValue),
                ])
        }
        try run(
            """
            UPDATE asset SET width = ?, height = ?, orientation = ?, duration = ?, latitude = coalesce(?, latitude),
                longitude = coalesce(?, longitude), altitude = coalesce(?, altitude), make = coalesce(?, make),
                model = coalesce(?, model), lens = coalesce(?, lens), modified_at = ?
            WHERE id = ?
            """,
            [
                .integer(inspection.pixelWidth), .integer(inspection.pixelHeight), .integer(inspection.orientation),
                .integer(inspection.duration), .real(inspection.location?.latitude),
                .real(inspection.location?.longitude), .real(inspection.location?.altitude),
                .text(inspection.cameraMake), .text(inspection.cameraModel), .text(inspection.lensModel),
                .integer(Clock.now()), .integer(asset),
            ])
        return try first("SELECT captured FROM asset WHERE id = ?", [.integer(asset)]) { $0.int64(0) } ?? 0
    }

    /// Gives an asset a new current version; the original stays, an earlier edit's bytes go.
    func addVersion(_ prepared: PreparedFile, file: String, to asset: Int64, at node: UInt64) throws(Errno) {
        let latest =
            try first(
                "SELECT max(version) FROM resource WHERE asset = ?", [.integer(asset)], read: { $0.int(0) }) ?? 0
        try dropVersions(of: asset, after: 0)
        let type: ResourceType = prepared.inspection.kind.mediaType == .image ? .fullSizePhoto : .fullSizeVideo
        try addResource(prepared, file: file, to: asset, type: type, version: latest + 1)
        let captured = try describe(asset: asset, by: prepared)
        try setContents(of: node, to: prepared, file: file, asset: asset, captured: captured)
    }

    /// Puts bytes in the place of an asset's latest version: the program that made it was not done yet.
    func amendVersion(_ prepared: PreparedFile, file: String, of asset: Int64, at node: UInt64) throws(Errno) {
        guard let latest = try latestVersion(of: asset) else { throw .ioError }
        try doom(latest.file)
        try run(
            "DELETE FROM resource WHERE asset = ? AND version = ?", [.integer(asset), .integer(latest.version)])
        let inspection = prepared.inspection
        let isImage = inspection.kind.mediaType == .image
        let type: ResourceType =
            latest.version == 0 ? (isImage ? .photo : .video) : (isImage ? .fullSizePhoto : .fullSizeVideo)
        try addResource(prepared, file: file, to: asset, type: type, version: latest.version)
        if latest.version == 0 {
            try run(
                "UPDATE asset SET media_type = ?, subtypes = ?, content_identifier = ? WHERE id = ?",
                [
                    .integer(inspection.kind.mediaType.rawValue), .integer(Self.subtypes(of: inspection)),
                    .text(inspection.contentIdentifier), .integer(asset),
                ])
        }
        let captured = try describe(asset: asset, by: prepared)
        try setContents(of: node, to: prepared, file: file, asset: asset, captured: captured)
    }

    /// Brings the original back as the current version.
    func revert(asset: Int64, at node: UInt64, describedBy prepared: PreparedFile) throws(Errno) {
        let original = try first(
            "SELECT file, size, blocks FROM resource WHERE asset = ? AND version = 0", [.integer(asset)],
            read: { (file: $0.text(0), size: $0.int64(1), blocks: $0.int64(2)) })
        guard let original else { throw .ioError }
        try dropVersions(of: asset, after: 0)
        var restored = prepared
        restored.size = original.size
        restored.blocks = original.blocks
        let captured = try describe(asset: asset, by: restored)
        try setContents(of: node, to: restored, file: original.file, asset: asset, captured: captured)
    }

    private func dropVersions(of asset: Int64, after version: Int) throws(Errno) {
        try run(
            """
            INSERT OR IGNORE INTO doomed_file (file)
            SELECT file FROM resource WHERE asset = ? AND version > ?
            """, [.integer(asset), .integer(version)])
        try run(
            "DELETE FROM resource WHERE asset = ? AND version > ?", [.integer(asset), .integer(version)])
    }

    /// An asset whose current version has these bytes.
    func assetHolding(digest: [UInt8], size: Int64) throws(Errno) -> (asset: Int64, node: UInt64)? {
        try first(
            """
            SELECT n.asset, n.id FROM resource r JOIN node n ON n.asset = r.asset AND n.file = r.file
            WHERE r.digest = ? AND r.size = ? LIMIT 1
            """, [.blob(digest), .integer(size)]
        ) { (asset: $0.int64(0), node: $0.uint64(1)) }
    }

    /// A file in the store that has these bytes, of a current version or an original.
    func fileHolding(digest: [UInt8], size: Int64) throws(Errno) -> String? {
        try first(
            "SELECT file FROM resource WHERE digest = ? AND size = ? LIMIT 1", [.blob(digest), .integer(size)]
        ) { $0.text(0) }
    }

    /// An asset's current version.
    func latestVersion(of asset: Int64) throws(Errno) -> (version: Int, file: String, digest: [UInt8])? {
        try first(
            "SELECT version, file, digest FROM resource WHERE asset = ? ORDER BY version DESC LIMIT 1",
            [.integer(asset)]
        ) { (version: $0.int(0), file: $0.text(1), digest: $0.bytes(2)) }
    }

    /// The digest of an asset's original, and whether the asset is edited.
    func original(of asset: Int64) throws(Errno) -> (digest: [UInt8], isEdited: Bool)? {
        try first(
            """
            SELECT digest, EXISTS (SELECT 1 FROM resource e WHERE e.asset = r.asset AND e.version > 0)
            FROM resource r WHERE asset = ? AND version = 0
            """, [.integer(asset)]
        ) { (digest: $0.bytes(0), isEdited: $0.bool(1)) }
    }

    /// Deletes an asset for good: its rows, every name, and all its files.
    func purge(_ node: NodeRecord) throws(Errno) {
        guard let asset = node.asset else { return }
        for place in try places(of: node.id) {
            try removeName(cookie: place.cookie, of: node.id, in: place.parent)
        }
        try dropVersions(of: asset, after: -1)
        try run("DELETE FROM node WHERE id = ?", [.integer(node.id)])
        try run("DELETE FROM asset WHERE id = ?", [.integer(asset)])
    }
}
