internal import Platform

/// An animated WebP file, whose frames libavcodec does not read (RFC 9649, section 2.7).
enum WebPAnimation {
    private static let frameLimit: Int64 = 64 << 20

    /// The first frame as a WebP file of its own; nil where the file is no animation.
    static func firstFrame(_ file: FileDescriptor, size: Int64) throws(RenderingFailure) -> [UInt8]? {
        do throws(Errno) {
            var position: Int64 = 12
            // The frames come behind a few chunks of metadata.
            for _ in 0..<64 {
                let header = try file.readBytes(8, at: position)
                guard header.count == 8 else { return nil }
                let length = little(header, at: 4, count: 4)
                let end = position + 8 + length
                if header.starts(with: Array("ANMF".utf8)) {
                    guard length > 24, length <= frameLimit, end <= size else { return nil }
                    return still(try file.readBytes(Int(length), at: position + 8))
                }
                position = end + length & 1
            }
            return nil
        } catch { throw RenderingFailure("The file cannot be read: \(error).") }
    }

    /// - Parameter frame: place, size, duration and flags in 16 bytes, then the chunks of a still picture.
    private static func still(_ frame: [UInt8]) -> [UInt8] {
        let chunks = frame.dropFirst(16)
        var body = Array("WEBP".utf8)
        if chunks.starts(with: Array("ALPH".utf8)) {
            // Opacity needs the extended header: flags, then the size less 1 in 24 bits each, as the frame has it.
            body += Array("VP8X".utf8) + [10, 0, 0, 0, 0x10, 0, 0, 0] + frame[6..<12]
        }
        body += chunks
        let length = UInt32(clamping: body.count)
        return Array("RIFF".utf8) + withUnsafeBytes(of: length.littleEndian) { Array($0) } + body
    }

    private static func little(_ bytes: [UInt8], at offset: Int, count: Int) -> Int64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}
