/// Fujifilm's RAW format: a header with the places of a JPEG picture, of a directory and of the RAW data.
enum RAFStructure {
    private static let what = "The RAW picture"

    /// Checks that all parts lie in the file, and reads the JPEG picture, which carries size and metadata.
    static func read(_ reader: ByteReader) throws(MediaError) -> JPEGStructure {
        var parts: [Range<Int64>] = []
        for field in [84, 92, 100] as [Int64] {
            guard let offset = try reader.integer(UInt32.self, at: field),
                let length = try reader.integer(UInt32.self, at: field + 4),
                Int64(offset) + Int64(length) <= reader.size
            else { throw .cutOff(what) }
            parts.append(Int64(offset)..<Int64(offset) + Int64(length))
        }
        guard !parts[0].isEmpty, !parts[2].isEmpty, try reader.byte(at: parts[0].lowerBound) == 0xFF,
            try reader.byte(at: parts[0].lowerBound + 1) == 0xD8
        else { throw .damaged(what, "the picture inside is missing") }
        return try JPEGStructure.read(reader, from: parts[0].lowerBound, to: parts[0].upperBound)
    }
}

/// Canon's RAW format of 2018: a movie whose index carries EXIF in pieces, each a TIFF structure of its own.
enum CR3Structure {
    /// Reads the metadata in Canon's box of the index.
    static func metadata(_ reader: ByteReader, _ movie: Box) throws(MediaError) -> (
        EXIFMetadata, width: Int, height: Int
    ) {
        var metadata = EXIFMetadata()
        var size = (width: 0, height: 0)
        var boxes = BoxSequence(reader, in: movie)
        guard let box = try boxes.first("uuid"),
            try reader.integer(UInt64.self, at: box.body) == 0x85C0_B687_820F_11E0,
            try reader.integer(UInt64.self, at: box.body + 8) == 0x8111_F4CE_462B_6A48
        else { return (metadata, 0, 0) }
        var tags = TIFFTags()
        var children = BoxSequence(reader, in: box, skipping: 16)
        while let child = try children.next() {
            guard ["CMT1", "CMT2", "CMT4"].contains(child.type), let tiff = try TIFFReader(reader, base: child.body),
                let directory = try tiff.directory(at: tiff.firstDirectory)
            else { continue }
            switch child.type {
            case "CMT1": tags.image = (tiff, directory)
            case "CMT2": tags.exif = (tiff, directory)
            default: tags.gps = (tiff, directory)
            }
        }
        if let (tiff, image) = tags.image {
            size = (Int(try tiff.number(image.entries[0x0100]) ?? 0), Int(try tiff.number(image.entries[0x0101]) ?? 0))
        }
        metadata = try EXIFMetadata(tags)
        return (metadata, size.width, size.height)
    }
}
