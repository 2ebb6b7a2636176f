/// The fragments of a movie that was written while it was recorded (ISO/IEC 14496-12, 8.8).
enum MovieFragments {
    /// The length in seconds of a track's fragments together.
    static func duration(_ reader: ByteReader, from start: Int64, movie: Box, of track: MovieTrack)
        throws(MediaError) -> Double?
    {
        guard track.timeScale > 0 else { return nil }
        let usual = try defaultDuration(reader, movie, track.id)
        var ticks: UInt64 = 0
        var boxes = BoxSequence(reader, from: start, to: reader.size, limit: 1_000_000)
        while let box = try boxes.next() {
            guard box.type == "moof" else { continue }
            var parts = BoxSequence(reader, in: box)
            while let part = try parts.next() {
                if part.type == "traf" { ticks &+= try duration(reader, part, track.id, usual) }
            }
        }
        return Double(ticks) / Double(track.timeScale)
    }

    private static func defaultDuration(_ reader: ByteReader, _ movie: Box, _ id: UInt32) throws(MediaError) -> UInt32 {
        var boxes = BoxSequence(reader, in: movie)
        guard let extends = try boxes.first("mvex") else { return 0 }
        var entries = BoxSequence(reader, in: extends)
        while let entry = try entries.first("trex") {
            if try reader.integer(UInt32.self, at: entry.body + 4) == id {
                return try reader.integer(UInt32.self, at: entry.body + 12) ?? 0
            }
        }
        return 0
    }

    private static func duration(_ reader: ByteReader, _ fragment: Box, _ id: UInt32, _ usual: UInt32)
        throws(MediaError) -> UInt64
    {
        var ticks: UInt64 = 0
        var usual = usual
        var boxes = BoxSequence(reader, in: fragment)
        while let box = try boxes.next() {
            let flags = (try reader.integer(UInt32.self, at: box.body) ?? 0) & 0xFF_FFFF
            switch box.type {
            case "tfhd":
                guard try reader.integer(UInt32.self, at: box.body + 4) == id else { return 0 }
                let position = box.body + 8 + (flags & 1 != 0 ? 8 : 0) + (flags & 2 != 0 ? 4 : 0)
                if flags & 8 != 0 { usual = try reader.integer(UInt32.self, at: position) ?? usual }
            case "trun":
                let count = Int64(try reader.integer(UInt32.self, at: box.body + 4) ?? 0)
                guard flags & 0x100 != 0 else {
                    ticks &+= UInt64(count) &* UInt64(usual)
                    continue
                }
                let start = box.body + 8 + (flags & 1 != 0 ? 4 : 0) + (flags & 4 != 0 ? 4 : 0)
                let stride = Int64(((flags & 0xF00) >> 8).nonzeroBitCount * 4)
                for index in 0..<min(count, max(0, box.end - start) / stride) {
                    ticks &+= UInt64(try reader.integer(UInt32.self, at: start + index * stride) ?? 0)
                }
            default: break
            }
        }
        return ticks
    }
}
