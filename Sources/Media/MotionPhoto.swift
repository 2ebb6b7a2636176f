/// Finds the movie that Android phones put behind a still in the same file.
enum MotionPhoto {
    /// The offset of the movie that XMP announces, where a movie really begins there (the flag outlives the movie
    /// in many edited copies). The container's item length and the older `MicroVideoOffset` both count from the
    /// end of the file.
    static func movieOffset(announcedBy xmp: XMPScan, in reader: ByteReader) throws(MediaError) -> Int64? {
        if xmp.number("MotionPhoto") == 1, let length = xmp.itemLength(semantic: "MotionPhoto"),
            let offset = try movie(at: reader.size - length, in: reader)
        {
            return offset
        }
        guard xmp.number("MicroVideo") == 1 || xmp.number("MotionPhoto") == 1,
            let length = xmp.number("MicroVideoOffset")
        else { return nil }
        return try movie(at: reader.size - length, in: reader)
    }

    /// The offset of the movie in Samsung's trailer: `SEFH`, a directory of blocks, its length, `SEFT` at the end of
    /// the file. Each block's place counts back from `SEFH`.
    static func movieOffsetInTrailer(_ reader: ByteReader, after start: Int64) throws(MediaError) -> Int64? {
        guard reader.size - start >= 24, try reader.matches("SEFT", at: reader.size - 4),
            let length = try reader.integer(UInt32.self, at: reader.size - 8, bigEndian: false)
        else { return nil }
        let directory = reader.size - 8 - Int64(length)
        guard directory >= start, try reader.matches("SEFH", at: directory),
            let count = try reader.integer(UInt32.self, at: directory + 8, bigEndian: false)
        else { return nil }
        for index in 0..<Int64(min(count, 256)) {
            let entry = directory + 12 + index * 12
            guard let type = try reader.integer(UInt16.self, at: entry + 2, bigEndian: false),
                let back = try reader.integer(UInt32.self, at: entry + 4, bigEndian: false)
            else { return nil }
            guard type == 0x0A30 else { continue }
            let block = directory - Int64(back)
            guard block >= start, let name = try reader.integer(UInt32.self, at: block + 4, bigEndian: false)
            else { continue }
            if let offset = try movie(at: block + 8 + Int64(name), in: reader) { return offset }
        }
        return nil
    }

    /// `offset` where a movie's `ftyp` box begins there.
    static func movie(at offset: Int64, in reader: ByteReader) throws(MediaError) -> Int64? {
        guard offset > 0, offset < reader.size, try reader.matches("ftyp", at: offset + 4),
            let size = try reader.integer(UInt32.self, at: offset), size >= 16, Int64(size) <= reader.size - offset
        else { return nil }
        return offset
    }
}
