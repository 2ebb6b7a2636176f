/// What a movie says of itself in its `meta` and `udta` boxes (QuickTime File Format, "Metadata"; 3GPP TS 26.244).
struct QuickTimeMetadata {
    var creationDate: String?
    var location: Location?
    /// The place in the list that iTunes' format has, which copies and converters leave behind: the least trusted one.
    private var listedLocation: Location?
    var make: String?
    var model: String?
    var contentIdentifier: String?
    /// Frames per second while recording, which slow motion of Android phones tells.
    var captureFrameRate: Double?

    private static let valueLimit: Int64 = 1024

    /// Reads a `meta` box with `keys` and `ilst`; QuickTime's has no version field, that of the ISO standard has.
    mutating func readMeta(_ reader: ByteReader, _ box: Box) throws(MediaError) {
        let isPlain = try reader.matches("hdlr", at: box.body + 4)
        var boxes = BoxSequence(reader, in: box, skipping: isPlain ? 0 : 4)
        var keys: [String] = []
        while let child = try boxes.next() {
            switch child.type {
            case "keys": keys = try Self.names(reader, child)
            case "ilst":
                var items = BoxSequence(reader, in: child)
                while let item = try items.next() { try take(reader, item, keys) }
            default: break
            }
        }
    }

    private static func names(_ reader: ByteReader, _ box: Box) throws(MediaError) -> [String] {
        var names: [String] = []
        var entries = BoxSequence(reader, in: box, skipping: 8, limit: 256)
        while let entry = try entries.next() {
            let bytes = try reader.bytes(at: entry.body, count: min(entry.end - entry.body, valueLimit))
            names.append(String(decoding: bytes, as: UTF8.self))
        }
        return names
    }

    private mutating func take(_ reader: ByteReader, _ item: Box, _ keys: [String]) throws(MediaError) {
        let index = Int(item.type.rawValue)
        var boxes = BoxSequence(reader, in: item)
        guard let data = try boxes.first("data") else { return }
        let type = try reader.integer(UInt32.self, at: data.body) ?? 0
        let start = data.body + 8
        let bytes = try reader.bytes(at: start, count: min(data.end - start, Self.valueLimit))
        let text = String(decoding: bytes, as: UTF8.self).trimmed
        // ©xyz stands for itself, in a list without keys.
        if item.type.rawValue == 0xA978_797A { listedLocation = Location(iso6709: text) }
        let name = index >= 1 && index <= keys.count ? keys[index - 1] : ""
        switch name {
        case "com.apple.quicktime.creationdate": creationDate = text
        case "com.apple.quicktime.location.ISO6709": location = Location(iso6709: text) ?? location
        case "com.apple.quicktime.make": make = text
        case "com.apple.quicktime.model": model = text
        case "com.android.manufacturer": make = make ?? text
        case "com.android.model": model = model ?? text
        case "com.apple.quicktime.content.identifier": contentIdentifier = text
        case "com.android.capture.fps":
            if type == 23, bytes.count == 4 {
                let rate = Float(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) })
                if rate.isFinite, rate > 0 { captureFrameRate = Double(rate) }
            }
        default: break
        }
    }

    /// Reads a `udta` box: international text (© codes), 3GPP location, and a `meta` box inside.
    mutating func readUserData(_ reader: ByteReader, _ box: Box) throws(MediaError) {
        var boxes = BoxSequence(reader, in: box)
        while let child = try boxes.next() {
            switch child.type.rawValue {
            case 0xA978_797A:  // ©xyz
                if location == nil { location = try Self.text(reader, child).flatMap(Location.init(iso6709:)) }
            case 0xA96D_616B:  // ©mak
                if make == nil { make = try Self.text(reader, child) }
            case 0xA96D_6F64:  // ©mod
                if model == nil { model = try Self.text(reader, child) }
            case 0xA964_6179:  // ©day
                if creationDate == nil { creationDate = try Self.text(reader, child) }
            case FourCC("loci").rawValue:
                if location == nil { location = try Self.place(reader, child) }
            case FourCC("meta").rawValue:
                try readMeta(reader, child)
            default: break
            }
        }
    }

    private static func text(_ reader: ByteReader, _ box: Box) throws(MediaError) -> String? {
        let count = Int64(try reader.integer(UInt16.self, at: box.body) ?? 0)
        guard count > 0, count <= box.end - box.body - 4, count <= valueLimit else { return nil }
        return String(decoding: try reader.bytes(at: box.body + 4, count: count), as: UTF8.self).trimmed
    }

    /// `loci`: language, a name, a role, then longitude, latitude and altitude as 16.16 fixed point numbers.
    private static func place(_ reader: ByteReader, _ box: Box) throws(MediaError) -> Location? {
        guard let end = try reader.first(0, from: box.body + 6, before: box.end), end + 2 + 12 <= box.end,
            let longitude = try reader.integer(Int32.self, at: end + 2),
            let latitude = try reader.integer(Int32.self, at: end + 6),
            let altitude = try reader.integer(Int32.self, at: end + 10)
        else { return nil }
        return Location(
            checkedLatitude: Double(latitude) / 65536, longitude: Double(longitude) / 65536,
            altitude: Double(altitude) / 65536)
    }

    /// Writes what is known into an inspection.
    func apply(to inspection: inout MediaInspection) {
        if let creationDate, let date = CaptureDateParser.iso8601(creationDate) { inspection.captureDate = date }
        if let location = location ?? listedLocation { inspection.location = location }
        inspection.cameraMake = make?.nilIfEmpty ?? inspection.cameraMake
        inspection.cameraModel = model?.nilIfEmpty ?? inspection.cameraModel
        inspection.contentIdentifier = contentIdentifier?.nilIfEmpty
    }
}

extension String {
    /// Without NULs, spaces and line ends at either side.
    var trimmed: String {
        func isFiller(_ scalar: Unicode.Scalar) -> Bool { scalar.value <= 0x20 }
        var scalars = Substring(self).unicodeScalars
        while let first = scalars.first, isFiller(first) { scalars.removeFirst() }
        while let last = scalars.last, isFiller(last) { scalars.removeLast() }
        return String(scalars)
    }

    var nilIfEmpty: String? { isEmpty ? nil : self }
}
