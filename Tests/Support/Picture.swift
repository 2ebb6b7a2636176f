import Platform

/// Small JPEG pictures that differ in just what a test is about.
public enum Picture {
    /// A whole JPEG.
    ///
    /// - Parameters:
    ///   - number: pictures of different numbers are different files (the bytes behind the end).
    ///   - look: pictures of different looks, 0 to 100, have different pixels; the same look is the same picture to a
    ///     program that compares what is shown.
    ///   - date: capture time as EXIF writes it, `2024:05:17 10:00:00`; nil for a file that has no EXIF.
    ///   - model: of the camera, written with the date.
    ///   - identifier: what pairs it with its movie, a UUID, in Apple's maker note; written with the date.
    public static func jpeg(
        _ number: UInt64, look: UInt8 = 0, date: String? = nil, model: String = "One", identifier: String? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        if let date { bytes += exifSegment(date, model, identifier.map(makerNote)) }
        bytes += comment + picture(look) + Array("variant".utf8)
        return bytes + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// What is left of a picture whose copy was cut off after 600 bytes.
    public static func cutOff(_ number: UInt64) -> [UInt8] { Array(jpeg(number).prefix(600)) }

    /// A comment that makes the file some size.
    private static let comment: [UInt8] = [0xFF, 0xFE, 0x03, 0xEA] + [UInt8](repeating: 0x2E, count: 1000)

    /// A grey square of 8 by 8 pixels (ITU-T T.81, baseline): its one coefficient times a table's first value is how
    /// bright it is.
    private static func picture(_ look: UInt8) -> [UInt8] {
        let quantization = [0xFF, 0xDB, 0x00, 0x43, 0x00, 20 + look] + [UInt8](repeating: 16, count: 63)
        let frame: [UInt8] = [0xFF, 0xC0, 0x00, 0x0B, 0x08, 0x00, 0x08, 0x00, 0x08, 0x01, 0x01, 0x11, 0x00]
        // One code of one bit in each table: a difference of four bits, and the end of the block.
        let lengths: [UInt8] = [1] + [UInt8](repeating: 0, count: 15)
        let codes = [0xFF, 0xC4, 0x00, 0x14, 0x00] + lengths + [4] + [0xFF, 0xC4, 0x00, 0x14, 0x10] + lengths + [0]
        let scan: [UInt8] = [0xFF, 0xDA, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3F, 0x00, 0x43, 0xFF, 0xD9]
        return quantization + frame + codes + scan
    }

    /// A movie with the keys that an iPhone writes, made once for the same arguments; `number` makes different files.
    ///
    /// - Parameters:
    ///   - date: ISO 8601 with the zone, `2024-05-17T10:00:00+0200`.
    ///   - identifier: what pairs it with its still, a UUID.
    ///   - seconds: how long it is.
    public static func movie(
        _ number: UInt64, date: String? = nil, identifier: String? = nil, seconds: Int = 1
    ) throws -> [UInt8] {
        let key = "\(date ?? "")|\(identifier ?? "")|\(seconds)"
        let movie = try movies.withLock { cache in
            if let known = cache[key] { return Result<[UInt8], any Error>.success(known) }
            let made = Result { try makeMovie(date, identifier, seconds) }
            if case .success(let bytes) = made { cache[key] = bytes }
            return made
        }.get()
        return movie + [0, 0, 0, 16] + "free".utf8 + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static let movies = Lock<[String: [UInt8]]>([:])

    private static func makeMovie(_ date: String?, _ identifier: String?, _ seconds: Int) throws -> [UInt8] {
        try withTemporaryPlace { place in
            let path = place("movie.mov")
            var arguments = [
                "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=\(seconds)", "-pix_fmt",
                "yuv420p", "-movflags", "use_metadata_tags",
            ]
            if let date { arguments += ["-metadata", "com.apple.quicktime.creationdate=\(date)"] }
            if let identifier { arguments += ["-metadata", "com.apple.quicktime.content.identifier=\(identifier)"] }
            let outcome = try run("ffmpeg", arguments: arguments + [path])
            guard outcome.succeeded else { throw HarnessError(outcome.description) }
            return try Files.read(path)
        }
    }

    /// Apple's maker note with tag 0x0011 alone: ASCII, its offset from the note's start, big-endian, a directory at byte 14.
    private static func makerNote(_ identifier: String) -> [UInt8] {
        let text = Array(identifier.utf8) + [0]
        let count = withUnsafeBytes(of: UInt32(text.count).bigEndian) { Array($0) }
        let start: [UInt8] = [0, 0, 0, 32]
        let directory: [UInt8] = [0, 1, 0x00, 0x11, 0, 2] + count + start + [0, 0, 0, 0]
        return Array("Apple iOS\0\0\u{01}MM".utf8) + directory + text
    }

    /// An APP1 segment with maker, model and DateTimeOriginal (Exif 2.32), little-endian.
    private static func exifSegment(_ date: String, _ model: String, _ note: [UInt8]?) -> [UInt8] {
        let texts = [note == nil ? "Example" : "Apple", model, date].map { Array($0.utf8) + [0] }
        func entry(_ tag: UInt16, _ type: UInt16, _ count: Int, _ value: Int) -> [UInt8] {
            little(tag) + little(type) + little(UInt32(count)) + little(UInt32(value))
        }
        // Header 8, directory of 3 entries 42, directory of 1 or 2 entries; texts and note follow.
        let behind = 50 + (note == nil ? 18 : 30)
        let starts = [behind, behind + texts[0].count, behind + texts[0].count + texts[1].count]
        func inlined(_ tag: UInt16, _ text: [UInt8], _ start: Int) -> [UInt8] {
            if text.count > 4 { return entry(tag, 2, text.count, start) }
            let padded = text + [UInt8](repeating: 0, count: 4 - text.count)
            return little(tag) + little(UInt16(2)) + little(UInt32(text.count)) + padded
        }
        var tiff = Array("II".utf8) + little(UInt16(42)) + little(UInt32(8))
        tiff += little(UInt16(3)) + inlined(0x010F, texts[0], starts[0]) + inlined(0x0110, texts[1], starts[1])
        tiff += entry(0x8769, 4, 1, 50) + little(UInt32(0))
        tiff += little(UInt16(note == nil ? 1 : 2)) + inlined(0x9003, texts[2], starts[2])
        if let note { tiff += entry(0x927C, 7, note.count, starts[2] + texts[2].count) }
        tiff += little(UInt32(0)) + texts[0] + texts[1] + texts[2] + (note ?? [])
        let body = Array("Exif\0\0".utf8) + tiff
        let length = UInt16(body.count + 2)
        return [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + body
    }

    private static func little<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
