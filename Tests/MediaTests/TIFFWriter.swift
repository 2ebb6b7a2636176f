/// Writes TIFF structures: directories that refer to each other, and one block of picture data at the end.
struct TIFFWriter {
    enum Value {
        case text(String)
        case short(UInt16)
        case long(UInt32)
        case fractions([(UInt32, UInt32)])
        case undefined([UInt8])
        /// The place of another directory, by its index.
        case directory(Int)
        /// The place and the length of the picture data.
        case data
        case dataLength
    }

    var isBigEndian = false
    var magic: [UInt8]?
    /// Bytes between the header and the first directory.
    var gap: [UInt8] = []
    var directories: [[(tag: UInt16, value: Value)]]
    var data: [UInt8] = []

    private func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
        withUnsafeBytes(of: isBigEndian ? value.bigEndian : value.littleEndian) { Array($0) }
    }

    private func encode(_ value: Value, _ starts: [Int], _ dataStart: Int) -> (type: UInt16, count: Int, bytes: [UInt8])
    {
        switch value {
        case .text(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
        case .short(let value): (3, 1, number(value))
        case .long(let value): (4, 1, number(value))
        case .fractions(let values): (5, values.count, values.flatMap { number($0.0) + number($0.1) })
        case .undefined(let bytes): (7, bytes.count, bytes)
        case .directory(let index): (4, 1, number(UInt32(starts[index])))
        case .data: (4, 1, number(UInt32(dataStart)))
        case .dataLength: (4, 1, number(UInt32(data.count)))
        }
    }

    /// The structure's bytes; the first directory is the one the header names.
    var bytes: [UInt8] {
        let headerCount = 8 + gap.count
        var starts: [Int] = []
        var position = headerCount
        for directory in directories {
            starts.append(position)
            position += 2 + directory.count * 12 + 4
            for (_, value) in directory {
                let count = encode(value, Array(repeating: 0, count: directories.count), 0).bytes.count
                if count > 4 { position += count + count % 2 }
            }
        }
        var result = magic ?? (isBigEndian ? Array("MM\0*".utf8) : Array("II*\0".utf8))
        result += number(UInt32(headerCount)) + gap
        for (index, directory) in directories.enumerated() {
            var far: [UInt8] = []
            let farStart = starts[index] + 2 + directory.count * 12 + 4
            result += number(UInt16(directory.count))
            for (tag, value) in directory {
                let (type, count, bytes) = encode(value, starts, position)
                result += number(tag) + number(type) + number(UInt32(count))
                if bytes.count <= 4 {
                    result += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
                } else {
                    result += number(UInt32(farStart + far.count))
                    far += bytes + [UInt8](repeating: 0, count: bytes.count % 2)
                }
            }
            result += number(UInt32(0)) + far
        }
        return result + data
    }

    /// EXIF with these fields in the picture's, the EXIF and the GPS directory.
    static func exif(
        image: [(tag: UInt16, value: Value)] = [], exif: [(tag: UInt16, value: Value)] = [],
        gps: [(tag: UInt16, value: Value)] = [], isBigEndian: Bool = true
    ) -> [UInt8] {
        let pointers: [(tag: UInt16, value: Value)] = [(0x8769, .directory(1)), (0x8825, .directory(2))]
        return TIFFWriter(
            isBigEndian: isBigEndian,
            directories: [
                image + pointers, exif + [(0x9000, .undefined([48, 50, 51, 50]))], gps + [(0, .long(0x0203))],
            ]
        ).bytes
    }
}

/// The smallest JPEG picture that has all its parts.
func jpeg(exif: [UInt8] = [], xmp: String = "", width: UInt16 = 32, height: UInt16 = 16) -> [UInt8] {
    func segment(_ marker: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((bytes.count + 2) >> 8), UInt8((bytes.count + 2) & 255)] + bytes
    }
    var result: [UInt8] = [0xFF, 0xD8]
    if !exif.isEmpty { result += segment(0xE1, Array("Exif\0\0".utf8) + exif) }
    if !xmp.isEmpty { result += segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8)) }
    result += segment(0xDB, [UInt8](repeating: 1, count: 65))
    result += segment(
        0xC0, [8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255), 1, 1, 0x11, 0])
    result += segment(0xC4, [UInt8](repeating: 0, count: 17))
    result += segment(0xDA, [1, 1, 0, 0, 63, 0])
    return result + [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56] + [0xFF, 0xD9]
}
