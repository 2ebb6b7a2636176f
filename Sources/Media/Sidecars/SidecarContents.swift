public import Platform

/// What a sidecar says of the picture beside which it lies.
public struct SidecarContents: Sendable, Equatable {
    public var caption: String?
    /// Stars, 1...5; nil for a picture that nobody rated or that was rejected.
    public var rating: Int?
    public var keywords: [String] = []
    public var date: SidecarDate?
    public var location: Location?
    public var isFavorite: Bool?

    public init() {}

    /// Larger files are kept and not read, in bytes: sidecars with the whole history of an edit stay below it.
    public static let sizeLimit: Int64 = 4 << 20
    /// The same for Takeout's files, which are read as a whole.
    public static let takeoutSizeLimit: Int64 = 256 << 10

    /// A longer caption is cut at a character's border, in bytes.
    static let captionLimit = 65_536
    static let keywordLimit = 1000

    /// Takes a caption from outside: without the blanks around it, and cut where it is too long.
    mutating func setCaption(_ text: String) {
        let text = text.trimmed
        guard !text.isEmpty, !text.utf8.contains(0) else { return }
        var bytes = Array(text.utf8.prefix(Self.captionLimit))
        while String(validating: bytes, as: UTF8.self) == nil, !bytes.isEmpty { bytes.removeLast() }
        caption = String(decoding: bytes, as: UTF8.self)
    }

    /// Takes a place from outside. 0, 0 is what programs write that know none.
    mutating func setLocation(latitude: Double, longitude: Double, altitude: Double?) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), latitude != 0 || longitude != 0 else {
            return
        }
        location = Location(
            latitude: latitude, longitude: longitude, altitude: altitude.flatMap { $0.isFinite ? $0 : nil })
    }
}

/// When a picture was taken, as far as a sidecar says.
public enum SidecarDate: Sendable, Hashable {
    /// The day alone, yyyymmdd.
    case day(Int)
    /// The camera's own clock, in nanoseconds since 1970-01-01 00:00 by that clock.
    case local(Int64)
    /// The moment, in nanoseconds since 1970 UTC, and the clock's zone in seconds east of UTC.
    case zoned(Int64, offset: Int)
    /// The moment, in nanoseconds since 1970 UTC; nobody knows what the camera's clock showed.
    case instant(Int64)
}

extension SidecarDate {
    /// A text that stands for the date, for storing.
    public var text: String {
        switch self {
        case .day(let day): "day \(day)"
        case .local(let time): "local \(time)"
        case .zoned(let instant, let offset): "zoned \(instant) \(offset)"
        case .instant(let instant): "instant \(instant)"
        }
    }

    /// Reads what `text` gave; nil for anything else.
    public init?(text: String) {
        let words = text.split(separator: " ")
        guard words.count >= 2, let number = Int64(words[1]) else { return nil }
        switch words[0] {
        case "day": self = .day(Int(number))
        case "local": self = .local(number)
        case "instant": self = .instant(number)
        case "zoned":
            guard words.count == 3, let offset = Int(words[2]) else { return nil }
            self = .zoned(number, offset: offset)
        default: return nil
        }
    }
}

/// Reads sidecars.
public enum SidecarReader {
    /// Reads an XMP sidecar (XMP specification, part 1: RDF/XML).
    ///
    /// - Throws: `rejected` for what is no XMP or longer than `SidecarContents.sizeLimit`.
    public static func readXMP(_ file: FileDescriptor, size: Int64) throws(MediaError) -> SidecarContents {
        try checkSize(size, limit: SidecarContents.sizeLimit)
        let parser = try XMPPropertyParser()
        var position: Int64 = 0
        while position < size {
            let chunk: [UInt8]
            do throws(Errno) {
                chunk = try file.readBytes(Int(min(64 << 10, size - position)), at: position)
            } catch { throw .unreadable(error) }
            if chunk.isEmpty { break }
            position += Int64(chunk.count)
            try parser.parse(chunk, isLast: position >= size)
        }
        guard position == size else { throw .cutOff("The XMP sidecar") }
        return XMPSidecar.contents(of: parser.properties)
    }

    /// Reads what Google Takeout writes beside each picture.
    ///
    /// - Throws: `rejected` for other JSON, and what is longer than `SidecarContents.takeoutSizeLimit`.
    public static func readTakeout(_ file: FileDescriptor, size: Int64) throws(MediaError) -> SidecarContents {
        try checkSize(size, limit: SidecarContents.takeoutSizeLimit)
        let bytes: [UInt8]
        do throws(Errno) { bytes = try file.readBytes(Int(size), at: 0) } catch { throw .unreadable(error) }
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONParser.parse(bytes, limit: Int(SidecarContents.takeoutSizeLimit))
        } catch { throw .damaged("The JSON sidecar", error.description) }
        guard let contents = TakeoutSidecar.contents(of: document) else {
            throw .rejected(reason: "The JSON file is none that Google Takeout writes beside a picture.")
        }
        return contents
    }

    private static func checkSize(_ size: Int64, limit: Int64) throws(MediaError) {
        guard size > 0 else { throw .rejected(reason: "The sidecar is empty.") }
        guard size <= limit else {
            throw .rejected(reason: "The sidecar is larger than \(limit >> 10) KiB and was not read.")
        }
    }
}
