/// One chunk of a RIFF file (Multimedia Programming Interface 1.0): a code, a little-endian length, contents, and a
/// byte of padding after an odd length.
struct RIFFChunk {
    var type: FourCC
    var body: Int64
    var end: Int64
}

/// The chunks that follow each other in a range of a file.
struct RIFFSequence {
    let reader: ByteReader
    private(set) var position: Int64
    let end: Int64
    private var remaining = 1_000_000
    private let what: String

    init(_ reader: ByteReader, from start: Int64, to end: Int64, what: String) {
        self.reader = reader
        position = start
        self.end = end
        self.what = what
    }

    /// The next chunk; nil at the end. A chunk that is longer than what it lies in is damage.
    mutating func next() throws(MediaError) -> RIFFChunk? {
        guard remaining > 0, position <= end - 8, let code = try reader.integer(UInt32.self, at: position),
            let length = try reader.integer(UInt32.self, at: position + 4, bigEndian: false)
        else { return nil }
        remaining -= 1
        let chunk = RIFFChunk(type: FourCC(code), body: position + 8, end: position + 8 + Int64(length))
        guard chunk.end <= end else { throw .damaged(what, "a chunk is longer than the file says it is") }
        position = chunk.end + Int64(length & 1)
        return chunk
    }
}

extension ByteReader {
    /// Where the RIFF file that begins at `start` ends by its own word.
    fileprivate func riffEnd(at start: Int64, what: String) throws(MediaError) -> Int64 {
        guard let length = try integer(UInt32.self, at: start + 4, bigEndian: false), length >= 4,
            start + 8 + Int64(length) <= size
        else { throw .cutOff(what) }
        return start + 8 + Int64(length)
    }

    /// A little-endian number of 24 bits.
    fileprivate func integer24(at offset: Int64) throws(MediaError) -> Int? {
        guard let low = try integer(UInt16.self, at: offset, bigEndian: false), let high = try byte(at: offset + 2)
        else { return nil }
        return Int(high) << 16 | Int(low)
    }
}

/// The chunks of a WebP picture (RFC 9649).
struct WebPStructure {
    var width = 0
    var height = 0
    var exif: [UInt8]?
    var xmp: [UInt8]?
    var frames = 0
    /// Milliseconds, of an animation.
    var duration: Int64 = 0

    private static let what = "The WebP picture"

    static func read(_ reader: ByteReader) throws(MediaError) -> WebPStructure {
        var result = WebPStructure()
        var chunks = RIFFSequence(reader, from: 12, to: try reader.riffEnd(at: 0, what: what), what: what)
        var isExtended = false
        while let chunk = try chunks.next() {
            switch chunk.type {
            case "VP8X":
                isExtended = true
                result.width = (try reader.integer24(at: chunk.body + 4) ?? 0) + 1
                result.height = (try reader.integer24(at: chunk.body + 7) ?? 0) + 1
            case "VP8 ":
                result.frames += 1
                guard try reader.matches("\u{01}\u{2A}", at: chunk.body + 4),
                    let width = try reader.integer(UInt16.self, at: chunk.body + 6, bigEndian: false),
                    let height = try reader.integer(UInt16.self, at: chunk.body + 8, bigEndian: false)
                else { throw .damaged(what, "its size is not readable") }
                if !isExtended { (result.width, result.height) = (Int(width & 0x3FFF), Int(height & 0x3FFF)) }
            case "VP8L":
                result.frames += 1
                guard try reader.byte(at: chunk.body) == 0x2F,
                    let bits = try reader.integer(UInt32.self, at: chunk.body + 1, bigEndian: false)
                else { throw .damaged(what, "its size is not readable") }
                if !isExtended {
                    (result.width, result.height) = (Int(bits & 0x3FFF) + 1, Int(bits >> 14 & 0x3FFF) + 1)
                }
            case "ANMF":
                result.frames += 1
                result.duration += Int64(try reader.integer24(at: chunk.body + 12) ?? 0)
            case "EXIF":
                result.exif = try reader.bytes(at: chunk.body, count: chunk.end - chunk.body).withoutExifHeader
            case "XMP ": result.xmp = try reader.bytes(at: chunk.body, count: chunk.end - chunk.body)
            default: break
            }
        }
        guard result.frames > 0, result.width > 0, result.height > 0 else {
            throw .rejected(reason: "The WebP file has no picture in it.")
        }
        return result
    }
}

/// The chunks of an AVI movie (with the OpenDML extension: further `RIFF…AVIX` parts).
struct AVIStructure {
    var width = 0
    var height = 0
    /// Milliseconds.
    var duration: Int64?
    var frameRate: Double?
    /// The text of the `IDIT` chunk.
    var digitized: String?
    private var hasVideo = false
    private var hasMedia = false

    private static let what = "The AVI movie"

    static func read(_ reader: ByteReader) throws(MediaError) -> AVIStructure {
        var result = AVIStructure()
        var start: Int64 = 0
        for _ in 0..<4096 {
            guard try reader.matches("RIFF", at: start) else { break }
            let end = try reader.riffEnd(at: start, what: what)
            var chunks = RIFFSequence(reader, from: start + 12, to: end, what: what)
            while let chunk = try chunks.next() {
                guard chunk.type == "LIST" else { continue }
                switch FourCC(try reader.integer(UInt32.self, at: chunk.body) ?? 0) {
                case "hdrl": try result.header(reader, chunk)
                case "movi": result.hasMedia = chunk.end - chunk.body > 4 || result.hasMedia
                default: break
                }
            }
            start = end + end % 2
        }
        guard result.hasVideo else {
            throw .rejected(reason: "The AVI file holds no pictures; the library keeps photos and videos.")
        }
        guard result.hasMedia else { throw .cutOff(what) }
        return result
    }

    private mutating func header(_ reader: ByteReader, _ list: RIFFChunk) throws(MediaError) {
        var chunks = RIFFSequence(reader, from: list.body + 4, to: list.end, what: Self.what)
        while let chunk = try chunks.next() {
            switch chunk.type {
            case "avih":
                width = Int(try reader.integer(UInt32.self, at: chunk.body + 32, bigEndian: false) ?? 0)
                height = Int(try reader.integer(UInt32.self, at: chunk.body + 36, bigEndian: false) ?? 0)
            case "LIST":
                if try reader.matches("strl", at: chunk.body) { try stream(reader, chunk) }
            case "IDIT":
                let text = try reader.bytes(at: chunk.body, count: min(chunk.end - chunk.body, 64))
                digitized = String(decoding: text, as: UTF8.self).trimmed
            default: break
            }
        }
    }

    private mutating func stream(_ reader: ByteReader, _ list: RIFFChunk) throws(MediaError) {
        var chunks = RIFFSequence(reader, from: list.body + 4, to: list.end, what: Self.what)
        var isVideo = false
        while let chunk = try chunks.next() {
            switch chunk.type {
            case "strh":
                isVideo = try reader.matches("vids", at: chunk.body) && !hasVideo
                guard isVideo, let scale = try reader.integer(UInt32.self, at: chunk.body + 20, bigEndian: false),
                    let rate = try reader.integer(UInt32.self, at: chunk.body + 24, bigEndian: false),
                    let length = try reader.integer(UInt32.self, at: chunk.body + 32, bigEndian: false)
                else { continue }
                hasVideo = true
                guard scale > 0, rate > 0 else { continue }
                frameRate = Double(rate) / Double(scale)
                duration = (Double(length) * Double(scale) / Double(rate)).milliseconds
            case "strf":
                guard isVideo, width == 0 || height == 0 else { continue }
                width = Int(try reader.integer(UInt32.self, at: chunk.body + 4, bigEndian: false) ?? 0)
                let rows = try reader.integer(Int32.self, at: chunk.body + 8, bigEndian: false) ?? 0
                height = Int(rows.magnitude)
            default: break
            }
        }
    }
}
