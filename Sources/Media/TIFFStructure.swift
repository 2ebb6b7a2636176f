/// The directories of a TIFF file or of a RAW format that is built like one, and whether their pictures are in the file.
struct TIFFStructure {
    let tiff: TIFFReader
    var width = 0
    var height = 0
    var kind = MediaKind.tiff
    var metadata = EXIFMetadata()
    private var pictures: [Picture] = []
    /// Directories may share tables, so that the file's size does not bound how many strips there are.
    private var remainingStrips: Int64 = 16_000_000

    private struct Picture {
        var width: Int64
        var height: Int64
        var isReduced: Bool
        var isRAW: Bool
    }

    private static let what = "The TIFF picture"
    private static let directoryLimit = 256

    /// Walks the chain of directories and the ones below them, and checks each one's strips and tiles.
    static func read(_ reader: ByteReader, _ hint: NameHint) throws(MediaError) -> TIFFStructure {
        guard let tiff = try TIFFReader(reader), let first = try tiff.directory(at: tiff.firstDirectory) else {
            throw .cutOff(what)
        }
        var result = TIFFStructure(tiff: tiff)
        var waiting = [tiff.firstDirectory]
        var seen: Set<Int64> = []
        while let offset = waiting.popLast(), seen.count < directoryLimit {
            guard seen.insert(offset).inserted else { continue }
            guard let directory = try tiff.directory(at: offset), !directory.isCut else { throw .cutOff(what) }
            try result.check(directory)
            if directory.next != 0 { waiting.append(directory.next) }
            let below = directory.entries[0x014A]
            for index in 0..<Int64(min(below?.count ?? 0, 32)) {
                if let offset = try tiff.number(below, index), offset != 0 { waiting.append(offset) }
            }
        }
        guard !result.pictures.isEmpty else {
            throw .rejected(reason: "The file begins like a TIFF picture, but there is no picture in it.")
        }
        result.metadata = try EXIFMetadata(TIFFTags(tiff))
        result.kind = try result.kind(reader, first, hint)
        try result.measure(first)
        if result.kind == .rw2, result.metadata.captureDate == nil, let preview = first.entries[0x002E] {
            try result.readPreview(reader, preview)
        }
        return result
    }

    /// Takes the metadata from the JPEG picture that Panasonic's RAW files carry, where they have none of their own.
    private mutating func readPreview(_ reader: ByteReader, _ entry: TIFFReader.Entry) throws(MediaError) {
        let end = entry.position + entry.byteCount
        guard end <= reader.size, try reader.integer(UInt16.self, at: entry.position) == 0xFFD8 else { return }
        let preview: JPEGStructure
        do throws(MediaError) {
            preview = try JPEGStructure.read(reader, from: entry.position, to: end)
        } catch .rejected {
            return
        }
        if let exif = preview.exif { metadata = try EXIFMetadata.read(jpegBlock: exif) }
    }

    /// Checks that a directory's picture lies in the file.
    private mutating func check(_ directory: TIFFReader.Directory) throws(MediaError) {
        let entries = directory.entries
        var hasPicture = false
        for (offsets, lengths) in [(entries[0x0111], entries[0x0117]), (entries[0x0144], entries[0x0145])] {
            guard let offsets else { continue }
            hasPicture = true
            try check(offsets, lengths)
        }
        if let offset = try tiff.number(entries[0x0201]), let length = try tiff.number(entries[0x0202]) {
            guard tiff.base + offset + length <= tiff.reader.size else { throw .cutOff(Self.what) }
        }
        // Panasonic's RAW data: an offset, up to the end of the file.
        if let offset = try tiff.number(entries[0x0118]), try tiff.reader.matches("IIU\0", at: 0) {
            guard offset < tiff.reader.size else { throw .cutOff(Self.what) }
            hasPicture = true
        }
        guard hasPicture else { return }
        let photometric = try tiff.number(entries[0x0106])
        pictures.append(
            Picture(
                width: try tiff.number(entries[0x0100]) ?? 0, height: try tiff.number(entries[0x0101]) ?? 0,
                isReduced: (try tiff.number(entries[0x00FE]) ?? 0) & 1 == 1,
                isRAW: photometric == 32803 || photometric == 34892))
    }

    /// The two tables are read side by side, each through a window of its own.
    private mutating func check(_ offsets: TIFFReader.Entry, _ lengths: TIFFReader.Entry?) throws(MediaError) {
        let size = tiff.reader.size
        guard let other = tiff.reader.another(capacity: 64 << 10),
            offsets.position + offsets.byteCount <= size,
            lengths.map({ $0.position + $0.byteCount <= size }) ?? true
        else { throw .cutOff(Self.what) }
        remainingStrips -= Int64(offsets.count)
        guard remainingStrips >= 0 else { throw .damaged(Self.what, "it is in too many pieces") }
        let lengthReader = TIFFReader(other, base: tiff.base, isBigEndian: tiff.isBigEndian, firstDirectory: 0)
        for index in 0..<Int64(offsets.count) {
            // Cameras write all ones where another tag says it.
            guard let offset = try tiff.number(offsets, index), offset != 0xFFFF_FFFF else { continue }
            let length = try lengthReader.number(lengths, index) ?? 1
            guard tiff.base + offset + length <= size else { throw .cutOff(Self.what) }
        }
    }

    /// The kind, by magic number, DNG's version tag, or the maker of what is not developed yet.
    private func kind(_ reader: ByteReader, _ first: TIFFReader.Directory, _ hint: NameHint) throws(MediaError)
        -> MediaKind
    {
        for magic in ["IIRO", "IIRS", "MMOR"] as [StaticString] where try reader.matches(magic, at: 0) { return .orf }
        if try reader.matches("IIU\0", at: 0) { return .rw2 }
        if try reader.matches("CR", at: 8), try reader.byte(at: 10) == 2 { return .cr2 }
        if first.entries[0xC612] != nil { return .dng }
        let maker = metadata.make?.uppercased() ?? ""
        let isRAW = pictures.contains { $0.isRAW }
        if maker.hasPrefix("NIKON"), isRAW || hint.pathExtension == "nef" { return .nef }
        if maker.hasPrefix("SONY"), isRAW || hint.pathExtension == "arw" { return .arw }
        return .tiff
    }

    /// The size of the picture itself: of the first directory in a TIFF file, of the largest full picture in a RAW file.
    private mutating func measure(_ first: TIFFReader.Directory) throws(MediaError) {
        if kind == .rw2, let top = try tiff.number(first.entries[0x0004]),
            let left = try tiff.number(first.entries[0x0005]),
            let bottom = try tiff.number(first.entries[0x0006]), let right = try tiff.number(first.entries[0x0007]),
            bottom > top, right > left
        {
            width = Int(right - left)
            height = Int(bottom - top)
            return
        }
        let candidates = kind.isRAW ? pictures.filter { !$0.isReduced } : [pictures[0]]
        let best = (candidates.isEmpty ? pictures : candidates)
            .max { $0.width.multipliedFullWidth(by: $0.height) < $1.width.multipliedFullWidth(by: $1.height) }
        width = Int(best?.width ?? 0)
        height = Int(best?.height ?? 0)
        guard width > 0, height > 0 else { throw .damaged(Self.what, "its size is missing") }
    }
}
