/// The image file directories of a TIFF structure (TIFF 6.0), which EXIF and most RAW formats are built on.
///
/// All offsets count from the structure's header. What lies outside the file, or is larger than a sane value, is absent.
struct TIFFReader {
    let reader: ByteReader
    /// Where the header stands in the file.
    let base: Int64
    let isBigEndian: Bool
    /// The first directory, from the header.
    let firstDirectory: Int64

    private static let entryLimit = 4096

    /// Reads the header; nil where there is none. The magic number is not looked at: RAW formats have their own.
    init?(_ reader: ByteReader, base: Int64 = 0) throws(MediaError) {
        if try reader.matches("II", at: base) {
            isBigEndian = false
        } else if try reader.matches("MM", at: base) {
            isBigEndian = true
        } else {
            return nil
        }
        guard let first = try reader.integer(UInt32.self, at: base + 4, bigEndian: isBigEndian) else { return nil }
        self.reader = reader
        self.base = base
        firstDirectory = Int64(first)
    }

    /// A reader of directories inside another structure, such as a maker note.
    init(_ reader: ByteReader, base: Int64, isBigEndian: Bool, firstDirectory: Int64) {
        self.reader = reader
        self.base = base
        self.isBigEndian = isBigEndian
        self.firstDirectory = firstDirectory
    }

    /// Where a tag's value is.
    struct Entry {
        var type: UInt16
        var count: UInt32
        /// In the file.
        var position: Int64

        /// Bytes of one value of a type (TIFF 6.0, page 15; 13 is a directory's offset).
        static func size(of type: UInt16) -> Int64? {
            switch type {
            case 1, 2, 6, 7: 1
            case 3, 8: 2
            case 4, 9, 11, 13: 4
            case 5, 10, 12: 8
            default: nil
            }
        }

        var byteCount: Int64 { (Self.size(of: type) ?? 0) * Int64(count) }
    }

    /// A directory's tags; the first of a tag that is there twice.
    struct Directory {
        var entries: [UInt16: Entry] = [:]
        /// Where the next one stands, from the header; 0 at the end of the chain.
        var next: Int64 = 0
        /// Fewer entries could be read than it says.
        var isCut = false
    }

    /// Reads the directory at an offset from the header; nil where none can be there.
    func directory(at offset: Int64) throws(MediaError) -> Directory? {
        let start = base + offset
        guard offset > 0, let count = try reader.integer(UInt16.self, at: start, bigEndian: isBigEndian), count > 0
        else { return nil }
        var directory = Directory()
        for index in 0..<Int64(min(Int(count), Self.entryLimit)) {
            let position = start + 2 + index * 12
            guard let tag = try reader.integer(UInt16.self, at: position, bigEndian: isBigEndian),
                let type = try reader.integer(UInt16.self, at: position + 2, bigEndian: isBigEndian),
                let number = try reader.integer(UInt32.self, at: position + 4, bigEndian: isBigEndian),
                let field = try reader.integer(UInt32.self, at: position + 8, bigEndian: isBigEndian)
            else {
                directory.isCut = true
                return directory
            }
            guard Entry.size(of: type) != nil, directory.entries[tag] == nil else { continue }
            var entry = Entry(type: type, count: number, position: position + 8)
            if entry.byteCount > 4 { entry.position = base + Int64(field) }
            directory.entries[tag] = entry
        }
        let next = try reader.integer(UInt32.self, at: start + 2 + Int64(count) * 12, bigEndian: isBigEndian)
        directory.next = Int64(next ?? 0)
        return directory
    }

    /// The bytes of a tag's value: at most 64 KiB; nil where they are not all in the file.
    func bytes(_ entry: Entry?) throws(MediaError) -> [UInt8]? {
        guard let entry, entry.byteCount > 0, entry.byteCount <= 65536 else { return nil }
        let bytes = try reader.bytes(at: entry.position, count: entry.byteCount)
        return bytes.count == Int(entry.byteCount) ? bytes : nil
    }

    /// A text, without the NUL at its end and blanks around it; nil where it is empty.
    func text(_ entry: Entry?) throws(MediaError) -> String? {
        guard let entry, [1, 2, 7].contains(entry.type), let bytes = try bytes(entry) else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).trimmed.nilIfEmpty
    }

    /// One whole number that is not negative, of a tag that has several.
    func number(_ entry: Entry?, _ index: Int64 = 0) throws(MediaError) -> Int64? {
        guard let entry, index < Int64(entry.count) else { return nil }
        switch entry.type {
        case 1, 6, 7: return try reader.byte(at: entry.position + index).map(Int64.init)
        case 3, 8:
            return try reader.integer(UInt16.self, at: entry.position + index * 2, bigEndian: isBigEndian)
                .map(Int64.init)
        case 4, 9, 13:
            return try reader.integer(UInt32.self, at: entry.position + index * 4, bigEndian: isBigEndian)
                .map(Int64.init)
        default: return nil
        }
    }

    /// One fraction of a tag that has several; nil where its denominator is 0.
    func fraction(_ entry: Entry?, _ index: Int64 = 0) throws(MediaError) -> Double? {
        guard let entry, index < Int64(entry.count) else { return nil }
        let position = entry.position + index * 8
        switch entry.type {
        case 5:
            guard let top = try reader.integer(UInt32.self, at: position, bigEndian: isBigEndian),
                let bottom = try reader.integer(UInt32.self, at: position + 4, bigEndian: isBigEndian), bottom != 0
            else { return nil }
            return Double(top) / Double(bottom)
        case 10:
            guard let top = try reader.integer(Int32.self, at: position, bigEndian: isBigEndian),
                let bottom = try reader.integer(Int32.self, at: position + 4, bigEndian: isBigEndian), bottom != 0
            else { return nil }
            return Double(top) / Double(bottom)
        default: return nil
        }
    }
}
