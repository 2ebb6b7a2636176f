import CExif

/// EXIF's fields in a JPEG file, as libexif reads them.
///
/// What libexif gives nothing for comes from the block's TIFF structure: blocks that libexif does not take at all, tags
/// that it leaves out, and Apple's maker note, which it does not know. Its own parsers of maker notes never run: they
/// have had most of its faults, and nothing here needs them. Each object has data and memory of its own.
final class JPEGEXIFTags: EXIFTags {
    /// What libexif read; nil where it could not begin.
    let data: UnsafeMutablePointer<ExifData>?
    private let order: ExifByteOrder
    private let structure: TIFFTags

    /// What libexif may take for a block, in bytes: values, a preview picture and its own records.
    static let memoryLimit = 1 << 20
    /// The most that a JPEG segment holds.
    private static let blockLimit = 65535

    /// Reads the TIFF block of an Exif segment.
    ///
    /// - Parameter memoryLimit: what libexif may take for it, in bytes.
    init(block: [UInt8], memoryLimit: Int = JPEGEXIFTags.memoryLimit) throws(MediaError) {
        structure = try TIFFTags(block: block) ?? TIFFTags()
        guard block.count <= Self.blockLimit else {
            (data, order) = (nil, EXIF_BYTE_ORDER_MOTOROLA)
            return
        }
        let copy = Self.withoutMakerNotes(block)
        data = cexif_load(copy, UInt32(copy.count), memoryLimit)
        order = data.map { exif_data_get_byte_order($0) } ?? EXIF_BYTE_ORDER_MOTOROLA
    }

    deinit { if let data { exif_data_unref(data) } }

    /// The block behind the Exif marker, with the tag of every maker note made one that no one knows.
    ///
    /// libexif goes to directories that no sane reader would, so that following them the way it does proves nothing:
    /// wherever the tag stands with one of the twelve types behind it, in the block's byte order, it is replaced.
    private static func withoutMakerNotes(_ block: [UInt8]) -> [UInt8] {
        var copy: [UInt8] = Array("Exif\0\0".utf8) + block
        let isBigEndian = block.first == UInt8(ascii: "M")
        let tag: (UInt8, UInt8) = isBigEndian ? (0x92, 0x7C) : (0x7C, 0x92)
        for index in copy.indices.dropLast(3) where copy[index] == tag.0 && copy[index + 1] == tag.1 {
            let type = isBigEndian ? (copy[index + 2], copy[index + 3]) : (copy[index + 3], copy[index + 2])
            if type.0 == 0, (1...12).contains(type.1) { (copy[index], copy[index + 1]) = (0xFF, 0xFE) }
        }
        return copy
    }

    /// A value in libexif's memory, valid as long as this object is.
    private struct Value {
        let bytes: UnsafeBufferPointer<UInt8>
        let format: ExifFormat
    }

    private func value(_ tag: EXIFTag) -> Value? {
        let directory: ExifIfd =
            switch tag.directory {
            case .image: EXIF_IFD_0
            case .exif: EXIF_IFD_EXIF
            case .gps: EXIF_IFD_GPS
            }
        guard let data, let entry = cexif_entry(data, directory, UInt32(tag.number)), let bytes = entry.pointee.data
        else { return nil }
        return Value(
            bytes: UnsafeBufferPointer(start: bytes, count: Int(entry.pointee.size)), format: entry.pointee.format)
    }

    func text(_ tag: EXIFTag) throws(MediaError) -> String? {
        if let value = value(tag),
            [EXIF_FORMAT_ASCII, EXIF_FORMAT_BYTE, EXIF_FORMAT_UNDEFINED].contains(value.format),
            let text = String(decoding: value.bytes.prefix { $0 != 0 }, as: UTF8.self).trimmed.nilIfEmpty
        {
            return text
        }
        return try structure.text(tag)
    }

    func number(_ tag: EXIFTag) throws(MediaError) -> Int64? {
        if let value = value(tag), let start = value.bytes.baseAddress {
            switch value.format {
            case EXIF_FORMAT_BYTE, EXIF_FORMAT_UNDEFINED:
                if value.bytes.count >= 1 { return Int64(value.bytes[0]) }
            case EXIF_FORMAT_SHORT:
                if value.bytes.count >= 2 { return Int64(exif_get_short(start, order)) }
            case EXIF_FORMAT_LONG:
                if value.bytes.count >= 4 { return Int64(exif_get_long(start, order)) }
            default: break
            }
        }
        return try structure.number(tag)
    }

    func fraction(_ tag: EXIFTag, _ index: Int) throws(MediaError) -> Double? {
        if let value = value(tag), let start = value.bytes.baseAddress, value.bytes.count / 8 > index {
            switch value.format {
            case EXIF_FORMAT_RATIONAL:
                let fraction = exif_get_rational(start + index * 8, order)
                return fraction.denominator == 0 ? nil : Double(fraction.numerator) / Double(fraction.denominator)
            case EXIF_FORMAT_SRATIONAL:
                let fraction = exif_get_srational(start + index * 8, order)
                return fraction.denominator == 0 ? nil : Double(fraction.numerator) / Double(fraction.denominator)
            default: break
            }
        }
        return try structure.fraction(tag, index)
    }

    func bytes(_ tag: EXIFTag) throws(MediaError) -> [UInt8]? {
        if let value = value(tag), !value.bytes.isEmpty { return Array(value.bytes) }
        return try structure.bytes(tag)
    }

    func appleMakerNote() throws(MediaError) -> AppleMakerNote? { try structure.appleMakerNote() }
}
