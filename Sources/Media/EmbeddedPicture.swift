public import Platform

/// A smaller JPEG picture that a file carries beside its own: the thumbnail in EXIF, or a RAW file's preview.
public struct EmbeddedPicture: Sendable, Equatable {
    /// Where it lies in the file.
    public var range: Range<Int64>
    /// Size in pixels, before any orientation is applied.
    public var width: Int
    public var height: Int
}

extension MediaInspector {
    /// The smaller pictures in a JPEG or RAW file, the largest first.
    ///
    /// Their headers were read; whether they can be decoded is for a decoder to find out.
    ///
    /// - Throws: `MediaError.unreadable` where reading the file fails.
    public static func embeddedPictures(
        in file: FileDescriptor, size: Int64, kind: MediaKind
    ) throws(MediaError) -> [EmbeddedPicture] {
        let reader = ByteReader(file, size: size)
        var ranges: [Range<Int64>] = []
        switch kind {
        case .jpeg: ranges = try jpegThumbnail(reader)
        case .raf: ranges = try rafPreview(reader)
        case .cr3: ranges = try cr3Previews(reader)
        case .dng, .nef, .arw, .cr2, .orf, .rw2: ranges = try tiffPreviews(reader)
        default: break
        }
        var pictures: [EmbeddedPicture] = []
        for range in Set(ranges) {
            guard let picture = try picture(reader, range) else { continue }
            pictures.append(picture)
        }
        return pictures.sorted { ($0.width, $0.range.lowerBound) > ($1.width, $1.range.lowerBound) }
    }

    /// The picture's size, from its frame header; nil where no JPEG of the common processes is there (what RAW files hold
    /// of sensor data is lossless JPEG, which is no picture to look at).
    private static func picture(_ reader: ByteReader, _ range: Range<Int64>) throws(MediaError) -> EmbeddedPicture? {
        var segments = JPEGSegments(reader, in: range)
        while let segment = try segments.next() {
            switch segment.marker {
            case 0xC0...0xC2:
                guard let height = try reader.integer(UInt16.self, at: segment.body.lowerBound + 1),
                    let width = try reader.integer(UInt16.self, at: segment.body.lowerBound + 3), width > 0, height > 0
                else { return nil }
                return EmbeddedPicture(range: range, width: Int(width), height: Int(height))
            case 0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF, 0xDA: return nil
            default: break
            }
        }
        return nil
    }

    /// EXIF's thumbnail: the picture of the second directory (Exif 2.32, 4.5.5).
    private static func jpegThumbnail(_ reader: ByteReader) throws(MediaError) -> [Range<Int64>] {
        var segments = JPEGSegments(reader, in: 0..<reader.size)
        while let segment = try segments.next(), segment.marker != 0xDA {
            guard segment.marker == 0xE1, try reader.matches("Exif\0", at: segment.body.lowerBound),
                let tiff = try TIFFReader(reader, base: segment.body.lowerBound + 6),
                let first = try tiff.directory(at: tiff.firstDirectory),
                let second = try tiff.directory(at: first.next)
            else { continue }
            return try range(tiff, second.entries[0x0201], second.entries[0x0202], in: segment.body).map { [$0] } ?? []
        }
        return []
    }

    private static func rafPreview(_ reader: ByteReader) throws(MediaError) -> [Range<Int64>] {
        guard let offset = try reader.integer(UInt32.self, at: 84), let length = try reader.integer(UInt32.self, at: 88)
        else { return [] }
        let range = Int64(offset)..<Int64(offset) + Int64(length)
        return range.upperBound <= reader.size && !range.isEmpty ? [range] : []
    }

    /// Pictures of directories, and what Panasonic and others keep in tags of their own.
    private static func tiffPreviews(_ reader: ByteReader) throws(MediaError) -> [Range<Int64>] {
        guard let tiff = try TIFFReader(reader) else { return [] }
        let file = 0..<reader.size
        var ranges: [Range<Int64>] = []
        var waiting = [tiff.firstDirectory]
        var seen: Set<Int64> = []
        while let offset = waiting.popLast(), seen.count < 64 {
            guard seen.insert(offset).inserted, let directory = try tiff.directory(at: offset) else { continue }
            let entries = directory.entries
            if directory.next != 0 { waiting.append(directory.next) }
            for index in 0..<Int64(min(entries[0x014A]?.count ?? 0, 16)) {
                if let below = try tiff.number(entries[0x014A], index), below != 0 { waiting.append(below) }
            }
            if let range = try range(tiff, entries[0x0201], entries[0x0202], in: file) { ranges.append(range) }
            // One strip that is a JPEG picture of its own.
            if entries[0x0111]?.count == 1, let range = try range(tiff, entries[0x0111], entries[0x0117], in: file) {
                ranges.append(range)
            }
            if let preview = entries[0x002E], preview.byteCount > 4, preview.position + preview.byteCount <= reader.size
            {
                ranges.append(preview.position..<preview.position + preview.byteCount)
            }
        }
        return ranges
    }

    /// Canon's preview box, behind the index, and the thumbnail in it; each is a header and a JPEG picture.
    private static func cr3Previews(_ reader: ByteReader) throws(MediaError) -> [Range<Int64>] {
        var ranges: [Range<Int64>] = []
        var boxes = BoxSequence(reader, from: 0, to: reader.size)
        while let box = try boxes.next() {
            guard box.type == "uuid" else { continue }
            // PRVW stands behind the identifier and eight bytes; its picture behind some 24.
            let header = try reader.bytes(at: box.body, count: min(box.end - box.body, 128))
            guard
                let start = header.indices.dropLast(2).first(where: { header[$0...].starts(with: [0xFF, 0xD8, 0xFF]) })
            else { continue }
            ranges.append(box.body + Int64(start)..<box.end)
        }
        return ranges
    }

    /// What two tags say of a place, where it lies in `limits`.
    private static func range(
        _ tiff: TIFFReader, _ offset: TIFFReader.Entry?, _ length: TIFFReader.Entry?, in limits: Range<Int64>
    ) throws(MediaError) -> Range<Int64>? {
        guard let offset = try tiff.number(offset), let length = try tiff.number(length), length > 4 else { return nil }
        let start = tiff.base + offset
        guard start >= limits.lowerBound, start <= limits.upperBound - length else { return nil }
        return start..<start + length
    }
}

/// The segments of a JPEG picture up to its first scan.
private struct JPEGSegments {
    let reader: ByteReader
    private var position: Int64
    private let end: Int64
    private var remaining = 4096

    init(_ reader: ByteReader, in range: Range<Int64>) {
        self.reader = reader
        position = range.lowerBound
        end = range.upperBound
    }

    /// The next segment with its body; nil where no further one is there.
    mutating func next() throws(MediaError) -> (marker: UInt8, body: Range<Int64>)? {
        while remaining > 0, position <= end - 2 {
            remaining -= 1
            guard try reader.byte(at: position) == 0xFF, let marker = try reader.byte(at: position + 1) else {
                return nil
            }
            switch marker {
            case 0xFF: position += 1
            case 0xD8, 0x01: position += 2
            case 0xD9: return nil
            default:
                guard let length = try reader.integer(UInt16.self, at: position + 2), length >= 2,
                    position + 2 + Int64(length) <= end
                else { return nil }
                defer { position += 2 + Int64(length) }
                return (marker, position + 4..<position + 2 + Int64(length))
            }
        }
        return nil
    }
}
