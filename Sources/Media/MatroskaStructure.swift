/// The elements of a Matroska or WebM movie (RFC 8794, RFC 9559).
struct MatroskaStructure {
    var isWebM = false
    var width = 0
    var height = 0
    /// Milliseconds.
    var duration: Int64?
    /// Nanoseconds since 1970 UTC.
    var created: Int64?
    var frameRate: Double?
    private var hasVideo = false
    private var hasSound = false
    private var hasCluster = false

    private static let what = "The movie"
    private static let elementLimit = 4_000_000

    private struct Element {
        var id: UInt32
        var body: Int64
        /// nil where the element's size is unknown, as in live recordings.
        var end: Int64?
    }

    /// Walks the segment's elements to the end; clusters are skipped over.
    static func read(_ reader: ByteReader) throws(MediaError) -> MatroskaStructure {
        var result = MatroskaStructure()
        guard let header = try element(reader, at: 0, limit: reader.size), let headerEnd = header.end else {
            throw .cutOff(what)
        }
        try result.header(reader, header.body, headerEnd)
        var position = headerEnd
        var segment: Element?
        for _ in 0..<16 {
            guard let next = try element(reader, at: position, limit: reader.size) else { throw .cutOff(what) }
            if next.id == 0x1853_8067 {
                segment = next
                break
            }
            guard let end = next.end else { break }
            position = end
        }
        guard let segment else { throw .damaged(what, "it has no segment") }
        let end = segment.end ?? reader.size
        position = segment.body
        var count = 0
        while position < end, count < elementLimit {
            count += 1
            guard let child = try element(reader, at: position, limit: end) else { throw .cutOff(what) }
            switch child.id {
            case 0x1549_A966: try result.information(reader, child.body, child.end ?? end)
            case 0x1654_AE6B: try result.tracks(reader, child.body, child.end ?? end)
            case 0x1F43_B675: result.hasCluster = true
            default: break
            }
            // An element of unknown size ends where the next one of its own level begins: its children are walked here.
            position = child.end ?? child.body
        }
        guard result.hasVideo else {
            throw .rejected(
                reason: result.hasSound
                    ? "The file holds sound only, no pictures; the library keeps photos and videos."
                    : "The file begins like a movie, but there is no movie in it.")
        }
        guard result.hasCluster else { throw .cutOff(what) }
        return result
    }

    /// The element at `position`; nil where its header or its contents go on after `limit`.
    private static func element(_ reader: ByteReader, at position: Int64, limit: Int64) throws(MediaError) -> Element? {
        guard let first = try reader.byte(at: position), first >= 0x10 else { return nil }
        let idLength = Int64(first.leadingZeroBitCount + 1)
        var id: UInt32 = 0
        for index in 0..<idLength { id = id << 8 | UInt32(try reader.byte(at: position + index) ?? 0) }
        let sizeAt = position + idLength
        guard let lead = try reader.byte(at: sizeAt), lead != 0 else { return nil }
        let sizeLength = Int64(lead.leadingZeroBitCount + 1)
        var size = UInt64(lead) & (UInt64(0xFF) >> UInt64(sizeLength))
        for index in 1..<sizeLength {
            guard let byte = try reader.byte(at: sizeAt + index) else { return nil }
            size = size << 8 | UInt64(byte)
        }
        let body = sizeAt + sizeLength
        if size == UInt64(1) << UInt64(7 * sizeLength) - 1 { return Element(id: id, body: body, end: nil) }
        guard let end = body.advanced(byLength: size), end <= limit else { return nil }
        return Element(id: id, body: body, end: end)
    }

    /// The children of an element that has a size, at most 4096 of them.
    private static func children(_ reader: ByteReader, _ start: Int64, _ end: Int64) throws(MediaError) -> [Element] {
        var elements: [Element] = []
        var position = start
        while position < end, elements.count < 4096, let child = try element(reader, at: position, limit: end) {
            elements.append(child)
            position = child.end ?? end
        }
        return elements
    }

    private mutating func header(_ reader: ByteReader, _ start: Int64, _ end: Int64) throws(MediaError) {
        for child in try Self.children(reader, start, end) where child.id == 0x4282 {
            let type = String(
                decoding: try reader.bytes(at: child.body, count: min((child.end ?? end) - child.body, 16)),
                as: UTF8.self
            ).trimmed
            guard type == "webm" || type == "matroska" else {
                throw .rejected(
                    reason: "The file is built like a Matroska movie, but it is of a kind that is not known.")
            }
            isWebM = type == "webm"
        }
    }

    private mutating func information(_ reader: ByteReader, _ start: Int64, _ end: Int64) throws(MediaError) {
        var scale: UInt64 = 1_000_000
        var ticks: Double?
        for child in try Self.children(reader, start, end) {
            switch child.id {
            case 0x2AD7B1: scale = try Self.unsigned(reader, child) ?? scale
            case 0x4489: ticks = try Self.float(reader, child)
            case 0x4461:
                // Nanoseconds since 2001 UTC.
                guard (child.end ?? end) - child.body == 8,
                    let since2001 = try reader.integer(Int64.self, at: child.body)
                else { continue }
                let (sum, overflow) = since2001.addingReportingOverflow(978_307_200 * 1_000_000_000)
                if !overflow, since2001 != 0 { created = sum }
            default: break
            }
        }
        if let ticks, ticks > 0 { duration = (ticks * Double(scale) / 1e9).milliseconds }
    }

    private mutating func tracks(_ reader: ByteReader, _ start: Int64, _ end: Int64) throws(MediaError) {
        for track in try Self.children(reader, start, end) where track.id == 0xAE {
            let fields = try Self.children(reader, track.body, track.end ?? end)
            var type: UInt64?
            if let field = fields.first(where: { $0.id == 0x83 }) { type = try Self.unsigned(reader, field) }
            if type == 2 { hasSound = true }
            guard type == 1, !hasVideo else { continue }
            hasVideo = true
            if let field = fields.first(where: { $0.id == 0x23E383 }), let step = try Self.unsigned(reader, field),
                step > 0
            {
                frameRate = 1e9 / Double(step)
            }
            guard let video = fields.first(where: { $0.id == 0xE0 }) else { continue }
            for field in try Self.children(reader, video.body, video.end ?? end) {
                switch field.id {
                case 0xB0: width = Int(min(try Self.unsigned(reader, field) ?? 0, 1 << 20))
                case 0xBA: height = Int(min(try Self.unsigned(reader, field) ?? 0, 1 << 20))
                default: break
                }
            }
        }
    }

    private static func unsigned(_ reader: ByteReader, _ element: Element) throws(MediaError) -> UInt64? {
        guard let end = element.end, end - element.body <= 8 else { return nil }
        var value: UInt64 = 0
        for byte in try reader.bytes(at: element.body, count: end - element.body) { value = value << 8 | UInt64(byte) }
        return value
    }

    private static func float(_ reader: ByteReader, _ element: Element) throws(MediaError) -> Double? {
        guard let end = element.end else { return nil }
        switch end - element.body {
        case 4: return try reader.integer(UInt32.self, at: element.body).map { Double(Float(bitPattern: $0)) }
        case 8: return try reader.integer(UInt64.self, at: element.body).map(Double.init(bitPattern:))
        default: return nil
        }
    }
}
