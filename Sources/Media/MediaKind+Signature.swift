/// What a file's first bytes say it is built like.
enum Signature {
    case jpeg, png, gif, webp, avi, raf, matroska
    case tiff
    case isoBaseMedia
    /// Something else, in words that follow "This is ".
    case other(String)
    case unknown

    /// Looks at the first 64 bytes of a file.
    init(_ reader: ByteReader) throws(MediaError) {
        let bytes = try reader.bytes(at: 0, count: 64)
        func has(_ text: StaticString, at offset: Int = 0) -> Bool {
            guard bytes.count >= offset + text.utf8CodeUnitCount else { return false }
            for index in 0..<text.utf8CodeUnitCount where bytes[offset + index] != text.utf8Start[index] {
                return false
            }
            return true
        }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("RIFF"), has("WEBP", at: 8) {
            self = .webp
        } else if has("RIFF"), has("AVI ", at: 8) {
            self = .avi
        } else if has("FUJIFILMCCD-RAW") {
            self = .raf
        } else if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .matroska
        } else if has("II*\0") || has("MM\0*") || has("IIRO") || has("IIRS") || has("MMOR") || has("IIU\0") {
            self = .tiff
        } else if has("ftyp", at: 4) || has("moov", at: 4) || has("mdat", at: 4)
            || bytes.first == 0 && Self.smallStarts.contains(where: { has($0, at: 4) })
        {
            self = .isoBaseMedia
        } else if let name = Self.otherKind(bytes, has: has) {
            self = .other(name)
        } else {
            self = .unknown
        }
    }

    /// Small boxes that a movie without `ftyp`, as old QuickTime wrote it, may begin with.
    private static let smallStarts: [StaticString] = ["wide", "free", "skip", "pnot"]

    private static func otherKind(_ bytes: [UInt8], has: (StaticString, Int) -> Bool) -> String? {
        if has("%PDF", 0) { return "a PDF document" }
        if has("PK\u{03}\u{04}", 0) { return "a ZIP archive or an office document" }
        if bytes.starts(with: [0x1F, 0x8B]) || has("7z", 0) || has("Rar!", 0) { return "a compressed archive" }
        if bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) || has("MZ", 0) { return "a program" }
        if has("RIFF", 0), has("WAVE", 8) { return "a sound recording" }
        if has("ID3", 0) || has("OggS", 0) || has("fLaC", 0) { return "a sound recording" }
        if has("8BPS", 0) { return "a Photoshop document" }
        if has("BM", 0), bytes.count > 14, bytes[6...9].allSatisfy({ $0 == 0 }) {
            return "a Windows bitmap, a kind of picture that the library does not keep"
        }
        if bytes.starts(with: [0x00, 0x00, 0x01, 0xBA]) || bytes.starts(with: [0x00, 0x00, 0x01, 0xB3]) {
            return "an MPEG-1 or MPEG-2 video, a kind that the library does not keep"
        }
        if bytes.starts(with: [0x30, 0x26, 0xB2, 0x75]) {
            return "a Windows Media file, a kind that the library does not keep"
        }
        if has("FLV\u{01}", 0) { return "a Flash video, a kind that the library does not keep" }
        if has("SQLite format 3", 0) { return "a database" }
        if !bytes.isEmpty, bytes.allSatisfy({ $0 == 0 }) {
            return "a file whose beginning holds nothing but zeros (its contents were probably never written)"
        }
        return textKind(bytes)
    }

    private static func textKind(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") || start.hasPrefix("<head") {
            return "a web page"
        }
        if start.hasPrefix("<svg") { return "an SVG drawing" }
        if start.hasPrefix("<?xml") || start.hasPrefix("<x:xmpmeta") { return "an XML document" }
        if start.hasPrefix("{") || start.hasPrefix("[") { return "a JSON document" }
        if bytes.contains(where: { $0 >= 0x80 }), text.contains("\u{FFFD}") { return nil }
        return "a text"
    }
}
