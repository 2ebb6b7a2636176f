/// EXIF's fields as directories of TIFF structures have them.
struct TIFFTags: EXIFTags {
    /// A directory and the structure that its offsets count in; Canon's RAW files of 2018 have one for each directory.
    typealias Part = (tiff: TIFFReader, directory: TIFFReader.Directory)

    var image: Part?
    var exif: Part?
    var gps: Part?

    init() {}

    /// Reads the first directory of a TIFF structure and the EXIF and GPS directories it points to.
    init(_ tiff: TIFFReader) throws(MediaError) {
        guard let image = try tiff.directory(at: tiff.firstDirectory) else { return }
        self.image = (tiff, image)
        exif = try Self.part(tiff, image.entries[0x8769])
        gps = try Self.part(tiff, image.entries[0x8825])
    }

    /// Reads a TIFF block with EXIF in it; nil where it is none.
    init?(block: [UInt8]) throws(MediaError) {
        guard let tiff = try TIFFReader(ByteReader(block)) else { return nil }
        try self.init(tiff)
    }

    private static func part(_ tiff: TIFFReader, _ pointer: TIFFReader.Entry?) throws(MediaError) -> Part? {
        guard let pointer, pointer.type == 4 || pointer.type == 13, let offset = try tiff.number(pointer),
            let directory = try tiff.directory(at: offset)
        else { return nil }
        return (tiff, directory)
    }

    private func part(of tag: EXIFTag) -> Part? {
        switch tag.directory {
        case .image: image
        case .exif: exif
        case .gps: gps
        }
    }

    func text(_ tag: EXIFTag) throws(MediaError) -> String? {
        guard let (tiff, directory) = part(of: tag) else { return nil }
        return try tiff.text(directory.entries[tag.number])
    }

    func number(_ tag: EXIFTag) throws(MediaError) -> Int64? {
        guard let (tiff, directory) = part(of: tag) else { return nil }
        return try tiff.number(directory.entries[tag.number])
    }

    func fraction(_ tag: EXIFTag, _ index: Int) throws(MediaError) -> Double? {
        guard let (tiff, directory) = part(of: tag) else { return nil }
        return try tiff.fraction(directory.entries[tag.number], Int64(index))
    }

    func bytes(_ tag: EXIFTag) throws(MediaError) -> [UInt8]? {
        guard let (tiff, directory) = part(of: tag) else { return nil }
        return try tiff.bytes(directory.entries[tag.number])
    }

    func appleMakerNote() throws(MediaError) -> AppleMakerNote? {
        guard let (tiff, directory) = exif, let entry = directory.entries[0x927C] else { return nil }
        return try AppleMakerNote(tiff.reader, entry)
    }
}
