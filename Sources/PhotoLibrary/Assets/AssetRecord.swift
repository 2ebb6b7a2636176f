internal import Media
public import Platform
internal import SQLite

/// What the library knows of an asset.
public struct AssetRecord: Sendable {
    public var id: Int64
    /// PhotoKit's local identifier without its suffix: a UUID.
    public var identifier: String
    public var isVideo: Bool
    public var subtypes: UInt64
    public var width: Int
    public var height: Int
    /// EXIF orientation, 1...8.
    public var orientation: Int
    /// Milliseconds.
    public var duration: Int64?
    /// Nanoseconds since 1970 UTC.
    public var captured: Int64
    /// Seconds east of UTC.
    public var capturedOffset: Int
    public var capturedSource: String
    public var latitude: Double?
    public var longitude: Double?
    /// Metres.
    public var altitude: Double?
    public var make: String?
    public var model: String?
    public var lens: String?
    public var isFavorite: Bool
    public var isHidden: Bool
    public var isEdited: Bool
    /// Nanoseconds since 1970 UTC.
    public var added: Int64
    public var deleted: Int64?
    public var uniformType: String
    /// Of the current version, in bytes.
    public var size: Int64
    /// SHA-256 of the current version.
    public var digest: [UInt8]
    public var node: NodeRecord

    /// When it was taken, as RFC 3339 with the offset.
    public var capturedText: String { CivilTime.rfc3339(instant: captured, offset: capturedOffset) }

    /// SHA-256 in hexadecimal.
    public var digestText: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The value of `user.cameraroll.NAME`, nil for a name that means nothing here.
    func attribute(_ name: String) -> String? {
        switch name {
        case "id": identifier
        case "url": "assets-library://asset/asset.\(fileExtension)?id=\(identifier)&ext=\(fileExtension)"
        case "type": uniformType
        case "captured": capturedText
        case "location": latitude.flatMap { north in longitude.map { "geo:\(north),\($0)" } }
        case "favorite": isFavorite ? "1" : "0"
        case "hidden": isHidden ? "1" : "0"
        case "edited": isEdited ? "1" : "0"
        case "sha256": digestText
        default: nil
        }
    }

    private var fileExtension: String {
        MediaKind.allCases.first { $0.uniformTypeIdentifier == uniformType }?.preferredExtension ?? "DAT"
    }

    /// Reads the columns that `Library.assetRecord` selects.
    init(row: Row) {
        id = row.int64(0)
        identifier = row.text(1)
        isVideo = row.int(2) == MediaKind.MediaType.video.rawValue
        subtypes = row.uint64(3)
        width = row.int(4)
        height = row.int(5)
        orientation = row.int(6)
        duration = row.optionalInt64(7)
        captured = row.int64(8)
        capturedOffset = row.int(9)
        capturedSource = CaptureDate.Source(rawValue: row.int(10)).map { "\($0)" } ?? ""
        latitude = row.optionalDouble(11)
        longitude = row.optionalDouble(12)
        altitude = row.optionalDouble(13)
        make = row.optionalText(14)
        model = row.optionalText(15)
        lens = row.optionalText(16)
        isFavorite = row.bool(17)
        isHidden = row.bool(18)
        added = row.int64(19)
        deleted = row.optionalInt64(20)
        isEdited = row.int(21) > 0
        uniformType = row.text(22)
        size = row.int64(23)
        digest = row.bytes(24)
        node = NodeRecord(row: row, from: 25)
    }

    /// CROSS JOIN keeps SQLite to this order, in which a page of a listing by row needs no sorting.
    static let selection =
        "SELECT \(columns(asset: "a", node: "n", resource: "r")) "
        + "FROM asset a CROSS JOIN node n ON n.asset = a.id CROSS JOIN resource r ON r.asset = a.id AND r.file = n.file"

    /// Files (`f`) whose asset (`a`, with its node and resource) is tested: the movie of a Live Photo is found with its
    /// photo.
    static let selectionOfFiles =
        "SELECT \(columns(asset: "f", node: "m", resource: "s")) "
        + "FROM asset f CROSS JOIN asset a ON a.id = coalesce(f.primary_asset, f.id) "
        + "CROSS JOIN node n ON n.asset = a.id CROSS JOIN resource r ON r.asset = a.id AND r.file = n.file "
        + "CROSS JOIN node m ON m.asset = f.id CROSS JOIN resource s ON s.asset = f.id AND s.file = m.file"

    private static func columns(asset: String, node: String, resource: String) -> String {
        let own = [
            "media_type", "subtypes", "width", "height", "orientation", "duration", "captured", "captured_offset",
            "captured_source", "latitude", "longitude", "altitude", "make", "model", "lens", "favorite", "hidden",
            "added_at", "trashed_at",
        ]
        let version = ["version", "uniform_type", "size", "digest"]
        let identifier =
            "coalesce((SELECT identifier FROM asset p WHERE p.id = \(asset).primary_asset), \(asset).identifier)"
        return
            (["\(asset).id", identifier] + own.map { "\(asset).\($0)" } + version.map { "\(resource).\($0)" }
            + ["\(node).*"]).joined(separator: ", ")
    }
}

extension Library {
    public func assetRecord(_ id: Int64) throws(Errno) -> AssetRecord? {
        var found: AssetRecord?
        try catalog.read { (database) throws(Errno) in
            try database.forEach(composed: AssetRecord.selection + " WHERE a.id = ?", [.integer(id)]) {
                found = AssetRecord(row: $0)
                return false
            }
        }
        return found
    }

    /// The paths of an asset below the root.
    public func paths(ofNode id: UInt64) throws(Errno) -> [String] {
        try catalog.read { (database) throws(Errno) in
            var paths: [String] = []
            for place in try database.places(of: id) {
                let directory = try database.path(ofDirectory: place.parent)
                paths.append(directory.isEmpty ? place.name.description : "\(directory)/\(place.name)")
            }
            return paths
        }
    }

    /// The node at a path below the root.
    public func node(atPath path: String) throws(Errno) -> NodeRecord? {
        try catalog.read { (database) throws(Errno) in try database.node(atPath: path) }
    }
}
