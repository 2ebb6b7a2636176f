/// Texts in a PNG file (ISO/IEC 15948, 11.3.3.3).
enum PNGText {
    /// Signature and header chunk, behind which texts may stand.
    private static let headerSize = 33
    private static let beginning: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + "IHDR".utf8

    /// The file with texts behind its header; nil for what is no PNG file.
    ///
    /// - Parameter texts: keywords and values, in ASCII.
    static func inserting(_ texts: [(keyword: String, value: String)], into png: [UInt8]) -> [UInt8]? {
        guard png.count > headerSize, png.starts(with: beginning) else { return nil }
        var result = Array(png[..<headerSize])
        for (keyword, value) in texts { result += chunk("tEXt", Array(keyword.utf8) + [0] + value.utf8) }
        return result + png[headerSize...]
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return bytes(UInt32(data.count)) + body + bytes(checksum(body))
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    /// CRC-32 as PNG has it (annex D).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return ~value
    }
}
