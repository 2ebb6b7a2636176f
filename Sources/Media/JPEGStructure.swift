/// The segments of a JPEG picture (ITU-T T.81, annex B), walked from SOI to EOI.
struct JPEGStructure {
    var width = 0
    var height = 0
    /// The TIFF block of the first Exif segment.
    var exif: [UInt8]?
    /// The first XMP packet.
    var xmp: [UInt8]?
    /// Where a movie begins that XMP announces behind the picture and that is really there.
    var movieOffset: Int64?
    /// The first byte after EOI.
    var end: Int64 = 0
    /// What makes the picture: tables, frame and scan headers, scan data. In file order, neighbours joined.
    var essence: [Range<Int64>] = []

    private var hasFrame = false
    private var hasScan = false
    private(set) var limit: Int64
    /// Where the Exif segment ends.
    private var exifEnd: Int64 = 0

    /// How many pieces of essence are remembered; a real picture has some dozens.
    private static let essenceLimit = 4096
    private static let what = "The JPEG picture"

    private init(limit: Int64) { self.limit = limit }

    /// Why a walk ended early.
    private enum Failure: Error {
        case media(MediaError)
        /// An EOI came (ending before the given offset) and no frame had begun.
        case noPicture(before: Int64)
        /// Less than a segment's header follows the Exif segment, and no frame had begun.
        case endsBehindExif(JPEGStructure)
    }

    /// Walks the picture that begins at `start`.
    ///
    /// Fill bytes and junk between segments are skipped, as decoders do. Where the walk comes to an end without any
    /// picture, other bytes were put in front of the real one: it is looked for within the first 128 KiB. It must
    /// then go on past the place where the first walk ended, so that a thumbnail is never taken for the picture.
    static func read(_ reader: ByteReader, from start: Int64 = 0, to end: Int64? = nil) throws(MediaError)
        -> JPEGStructure
    {
        let end = end ?? reader.size
        let passed: Int64
        do throws(Failure) {
            return try walk(reader, from: start, to: end)
        } catch {
            switch error {
            case .media(let error): throw error
            case .noPicture(let before): passed = before
            case .endsBehindExif(let structure):
                guard start == 0, end == reader.size, let structure = try structure.showingPreview(end) else {
                    throw .cutOff(what)
                }
                return structure
            }
        }
        var position = start + 2
        var tries = 0
        while tries < 8, let found = try reader.first(0xFF, from: position, before: min(start + 128 << 10, end)) {
            position = found + 1
            guard try reader.byte(at: found + 1) == 0xD8, try reader.byte(at: found + 2) == 0xFF else { continue }
            tries += 1
            if let walked = try? walk(reader, from: found, to: end), walked.end > passed { return walked }
        }
        throw .rejected(reason: "The file begins like a JPEG picture, but there is no picture in it.")
    }

    /// Walks a picture that lies between these places, and is whole.
    static func readWhole(_ reader: ByteReader, from start: Int64, to end: Int64) -> JPEGStructure? {
        try? walk(reader, from: start, to: end)
    }

    private static func walk(_ reader: ByteReader, from start: Int64, to end: Int64) throws(Failure) -> JPEGStructure {
        var structure = JPEGStructure(limit: end)
        var position = start + 2
        while true {
            if structure.exif != nil, !structure.hasFrame, position == structure.exifEnd, structure.limit - position < 4
            {
                throw .endsBehindExif(structure)
            }
            let marker: (code: UInt8, end: Int64)
            do throws(MediaError) {
                guard let next = try structure.marker(reader, from: position) else {
                    if structure.movieOffset == structure.limit, structure.hasScan {
                        // The still was cut down to nothing; the movie behind it is all there.
                        structure.end = structure.limit
                        return structure
                    }
                    throw MediaError.cutOff(what)
                }
                marker = next
            } catch {
                throw .media(error)
            }
            if marker.code == 0xD9 {
                guard structure.hasScan else {
                    if structure.hasFrame { throw .media(.damaged(what, "it ends before its first line")) }
                    throw .noPicture(before: marker.end)
                }
                guard structure.height > 0 else { throw .media(.damaged(what, "its height is missing")) }
                structure.end = marker.end
                return structure
            }
            do throws(MediaError) {
                position = try structure.segment(reader, marker.code, from: marker.end)
            } catch {
                throw .media(error)
            }
        }
    }

    /// The next marker at or after `position`; nil where the picture ends without one.
    private func marker(_ reader: ByteReader, from position: Int64) throws(MediaError) -> (code: UInt8, end: Int64)? {
        var position = position
        while let found = try reader.first(0xFF, from: position, before: limit) {
            position = found + 1
            while position < limit, try reader.byte(at: position) == 0xFF { position += 1 }
            guard position < limit, let code = try reader.byte(at: position) else { return nil }
            position += 1
            switch code {
            case 0x00...0xBF, 0xC8, 0xD0...0xD7, 0xF0...0xFD: continue
            case 0xD8:
                if hasScan { throw .damaged(Self.what, "another picture begins in the middle of it") }
            default: return (code, position)
            }
        }
        return nil
    }

    /// Takes in the segment of a marker, and the scan behind it; returns where it ends.
    private mutating func segment(_ reader: ByteReader, _ code: UInt8, from body: Int64) throws(MediaError) -> Int64 {
        guard let length = try reader.integer(UInt16.self, at: body), body <= limit - 2 else {
            throw .cutOff(Self.what)
        }
        let end = body + Int64(length)
        guard length >= 2 else { throw .damaged(Self.what, "a segment is shorter than its own header") }
        guard end <= limit else { throw .cutOff(Self.what) }
        switch code {
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
            try frame(reader, at: body, length: Int(length))
            addEssence(body - 2..<end)
        case 0xDA:
            try scanHeader(reader, at: body, length: Int(length))
            let scanEnd = try scan(reader, from: end)
            addEssence(body - 2..<scanEnd)
            return scanEnd
        case 0xDD:
            guard length == 4 else { throw .damaged(Self.what, "its restart interval is not readable") }
            addEssence(body - 2..<end)
        case 0xDC:
            guard length == 4 else { throw .damaged(Self.what, "its line count is not readable") }
            if height == 0 { height = Int(try reader.integer(UInt16.self, at: body + 2) ?? 0) }
            addEssence(body - 2..<end)
        case 0xC4, 0xCC, 0xDB:
            addEssence(body - 2..<end)
        case 0xE1:
            try applicationSegment(reader, from: body + 2, to: end)
        default:
            break
        }
        return end
    }

    private mutating func frame(_ reader: ByteReader, at body: Int64, length: Int) throws(MediaError) {
        guard !hasFrame else { throw .damaged(Self.what, "it has two sizes") }
        guard let lines = try reader.integer(UInt16.self, at: body + 3),
            let columns = try reader.integer(UInt16.self, at: body + 5),
            let components = try reader.byte(at: body + 7),
            components > 0, length == 8 + 3 * Int(components), columns > 0
        else { throw .damaged(Self.what, "its size is not readable") }
        hasFrame = true
        width = Int(columns)
        height = Int(lines)
    }

    private mutating func scanHeader(_ reader: ByteReader, at body: Int64, length: Int) throws(MediaError) {
        guard hasFrame else { throw .damaged(Self.what, "its size is missing") }
        guard let components = try reader.byte(at: body + 2), (1...4).contains(components),
            length == 6 + 2 * Int(components)
        else { throw .damaged(Self.what, "a scan header is not readable") }
        hasScan = true
    }

    /// Where entropy-coded data ends: the next marker that is neither stuffing nor a restart. Codes that no
    /// encoder writes are bit errors; a decoder shows the picture with a fault, so they do not end it.
    private func scan(_ reader: ByteReader, from start: Int64) throws(MediaError) -> Int64 {
        var position = start
        while let found = try reader.first(0xFF, from: position, before: limit) {
            guard found + 1 < limit, let code = try reader.byte(at: found + 1) else { return limit }
            switch code {
            case 0xFF: position = found + 1
            case 0x00...0xBF, 0xC8, 0xD0...0xD7, 0xF0...0xFD: position = found + 2
            default: return found
            }
        }
        return limit
    }

    private mutating func applicationSegment(_ reader: ByteReader, from start: Int64, to end: Int64) throws(MediaError)
    {
        if exif == nil, try reader.matches("Exif\0", at: start) {
            exif = try reader.bytes(at: start + 6, count: end - start - 6)
            exifEnd = end
        } else if xmp == nil, try reader.matches("http://ns.adobe.com/xap/1.0/\0", at: start) {
            let packet = try reader.bytes(at: start + 29, count: end - start - 29)
            xmp = packet
            if let offset = try MotionPhoto.movieOffset(announcedBy: XMPScan(packet), in: reader), offset >= end {
                movieOffset = offset
                limit = min(limit, offset)
            }
        }
    }

    private mutating func addEssence(_ range: Range<Int64>) {
        if let last = essence.last, last.upperBound == range.lowerBound {
            essence[essence.count - 1] = last.lowerBound..<range.upperBound
        } else if essence.count < Self.essenceLimit {
            essence.append(range)
        }
    }
}
