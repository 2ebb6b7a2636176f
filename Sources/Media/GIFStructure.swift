/// The blocks of a GIF picture (GIF89a), walked from the screen descriptor to the trailer.
struct GIFStructure {
    var width = 0
    var height = 0
    var frames = 0
    /// Milliseconds.
    var duration: Int64 = 0

    private static let what = "The GIF picture"

    /// Walks the blocks; pictures are not decoded.
    static func read(_ reader: ByteReader) throws(MediaError) -> GIFStructure {
        var result = GIFStructure()
        guard let width = try reader.integer(UInt16.self, at: 6, bigEndian: false),
            let height = try reader.integer(UInt16.self, at: 8, bigEndian: false),
            let flags = try reader.byte(at: 10)
        else { throw .cutOff(what) }
        result.width = Int(width)
        result.height = Int(height)
        var position: Int64 = 13 + colorTableSize(flags)
        while true {
            guard let kind = try reader.byte(at: position) else { throw .cutOff(what) }
            switch kind {
            case 0x2C:
                guard let flags = try reader.byte(at: position + 9) else { throw .cutOff(what) }
                if result.width == 0 || result.height == 0 {
                    result.width = Int(try reader.integer(UInt16.self, at: position + 5, bigEndian: false) ?? 0)
                    result.height = Int(try reader.integer(UInt16.self, at: position + 7, bigEndian: false) ?? 0)
                }
                result.frames += 1
                position = try skipBlocks(reader, position + 10 + colorTableSize(flags) + 1)
            case 0x21:
                if try reader.byte(at: position + 1) == 0xF9 {
                    let hundredths = try reader.integer(UInt16.self, at: position + 4, bigEndian: false) ?? 0
                    result.duration += Int64(hundredths) * 10
                }
                position = try skipBlocks(reader, position + 2)
            case 0x3B:
                guard result.frames > 0, result.width > 0, result.height > 0 else {
                    throw .rejected(reason: "The GIF file has no picture in it.")
                }
                return result
            case 0x00:
                // Some encoders write a terminator too many.
                position += 1
            default:
                throw .damaged(what, "a block is not readable")
            }
        }
    }

    private static func colorTableSize(_ flags: UInt8) -> Int64 { flags & 0x80 == 0 ? 0 : 3 << Int64(flags & 7 + 1) }

    /// Where a sequence of sub-blocks ends.
    private static func skipBlocks(_ reader: ByteReader, _ start: Int64) throws(MediaError) -> Int64 {
        var position = start
        while true {
            guard let length = try reader.byte(at: position) else { throw .cutOff(what) }
            position += 1 + Int64(length)
            if length == 0 { return position }
        }
    }
}
