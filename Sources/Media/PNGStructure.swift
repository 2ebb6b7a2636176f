/// The chunks of a PNG picture (PNG, third edition), walked from IHDR to IEND.
struct PNGStructure {
    var width = 0
    var height = 0
    /// A TIFF block: of the `eXIf` chunk, or of the text chunk that ImageMagick wrote before there was one.
    var exif: [UInt8]?
    var xmp: [UInt8]?
    /// An animation's frames; 1 for a still.
    var frames = 1
    /// Milliseconds, of an animation.
    var duration: Int64?
    /// What makes the picture: header, palette, transparency, picture data. In file order.
    var essence: [Range<Int64>] = []

    private static let what = "The PNG picture"
    private static let chunkLimit = 1_000_000
    private static let essenceLimit = 1 << 17

    /// Walks the chunks; picture data is not decoded.
    static func read(_ reader: ByteReader) throws(MediaError) -> PNGStructure {
        var result = PNGStructure()
        var position: Int64 = 8
        var hasData = false
        var seconds = 0.0
        for index in 0..<chunkLimit {
            guard let length = try reader.integer(UInt32.self, at: position),
                let code = try reader.integer(UInt32.self, at: position + 4)
            else { throw .cutOff(what) }
            let type = FourCC(code)
            guard length <= 0x7FFF_FFFF, type.isPlausible else { throw .damaged(what, "a chunk is not readable") }
            let body = position + 8
            let end = body + Int64(length)
            guard end + 4 <= reader.size else { throw .cutOff(what) }
            guard (type == "IHDR") == (index == 0) else { throw .damaged(what, "its size is missing") }
            switch type {
            case "IHDR": try result.header(reader, body, length)
            case "IDAT", "fdAT":
                if type == "IDAT", length > 0 { hasData = true }
                result.addEssence(body..<end)
            case "PLTE", "tRNS": result.addEssence(body..<end)
            case "acTL": result.frames = Int(try reader.integer(UInt32.self, at: body) ?? 1)
            case "fcTL": seconds += try delay(reader, body)
            case "eXIf": result.exif = try reader.bytes(at: body, count: Int64(length)).withoutExifHeader
            case "tEXt", "zTXt", "iTXt": try result.text(reader, type, body..<end)
            case "IEND":
                guard hasData else { throw .rejected(reason: "The PNG file has no picture in it.") }
                if result.frames > 1 { result.duration = seconds.milliseconds }
                return result
            default: break
            }
            position = end + 4
        }
        throw .damaged(what, "it has too many chunks")
    }

    private mutating func header(_ reader: ByteReader, _ body: Int64, _ length: UInt32) throws(MediaError) {
        guard length >= 13, let width = try reader.integer(UInt32.self, at: body),
            let height = try reader.integer(UInt32.self, at: body + 4),
            (1...0x7FFF_FFFF).contains(width), (1...0x7FFF_FFFF).contains(height)
        else { throw .damaged(Self.what, "its size is not readable") }
        self.width = Int(width)
        self.height = Int(height)
        addEssence(body..<body + 13)
    }

    /// Seconds that a frame of an animation stays.
    private static func delay(_ reader: ByteReader, _ body: Int64) throws(MediaError) -> Double {
        let top = Double(try reader.integer(UInt16.self, at: body + 20) ?? 0)
        let bottom = Double(try reader.integer(UInt16.self, at: body + 22) ?? 0)
        return top / (bottom == 0 ? 100 : bottom)
    }

    private mutating func text(_ reader: ByteReader, _ type: FourCC, _ range: Range<Int64>) throws(MediaError) {
        guard
            let keyEnd = try reader.first(
                0, from: range.lowerBound, before: min(range.upperBound, range.lowerBound + 80))
        else { return }
        let key = String(
            decoding: try reader.bytes(at: range.lowerBound, count: keyEnd - range.lowerBound), as: UTF8.self)
        switch key {
        case "XML:com.adobe.xmp":
            if xmp == nil { xmp = try reader.bytes(at: keyEnd + 1, count: range.upperBound - keyEnd - 1) }
        case "Raw profile type exif", "Raw profile type APP1", "Raw profile type EXIF":
            guard exif == nil else { return }
            let start = keyEnd + (type == "tEXt" ? 1 : 2)
            let bytes = try reader.bytes(at: start, count: range.upperBound - start)
            let profile = type == "zTXt" ? Inflate.bytes(bytes, limit: 4 * 65536) : bytes
            exif = profile.flatMap(Self.profile)?.withoutExifHeader
        default: break
        }
    }

    /// The bytes of ImageMagick's profile text: a line with its name, one with its length, then hexadecimal digits.
    private static func profile(_ text: [UInt8]) -> [UInt8]? {
        let lines = text.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: true)
        guard lines.count == 3 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in lines[2] {
            let digit: UInt8
            switch character {
            case 0x30...0x39: digit = character - 0x30
            case 0x41...0x46: digit = character - 0x41 + 10
            case 0x61...0x66: digit = character - 0x61 + 10
            default: continue
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }

    private mutating func addEssence(_ range: Range<Int64>) {
        if essence.count < Self.essenceLimit { essence.append(range) }
    }
}

extension [UInt8] {
    /// These bytes without the `Exif\0\0` that some writers put in front of the TIFF header.
    var withoutExifHeader: [UInt8] {
        starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) ? Array(dropFirst(6)) : self
    }
}
