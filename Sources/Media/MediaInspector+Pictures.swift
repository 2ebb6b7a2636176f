extension MediaInspector {
    static func inspectPNG(_ reader: ByteReader) throws(MediaError) -> MediaInspection {
        let structure = try PNGStructure.read(reader)
        var inspection = MediaInspection(kind: .png)
        inspection.pixelWidth = structure.width
        inspection.pixelHeight = structure.height
        if structure.frames > 1 {
            inspection.subtypes.insert(.animated)
            inspection.duration = structure.duration
        }
        if let exif = structure.exif { try EXIFMetadata.read(exif).apply(to: &inspection) }
        if let xmp = structure.xmp { XMPScan(xmp).apply(to: &inspection) }
        return inspection
    }

    static func inspectGIF(_ reader: ByteReader) throws(MediaError) -> MediaInspection {
        let structure = try GIFStructure.read(reader)
        var inspection = MediaInspection(kind: .gif)
        inspection.pixelWidth = structure.width
        inspection.pixelHeight = structure.height
        if structure.frames > 1 {
            inspection.subtypes.insert(.animated)
            inspection.duration = structure.duration
        }
        return inspection
    }

    static func inspectWebP(_ reader: ByteReader) throws(MediaError) -> MediaInspection {
        let structure = try WebPStructure.read(reader)
        var inspection = MediaInspection(kind: .webp)
        inspection.pixelWidth = structure.width
        inspection.pixelHeight = structure.height
        if structure.frames > 1 {
            inspection.subtypes.insert(.animated)
            inspection.duration = structure.duration
        }
        if let exif = structure.exif { try EXIFMetadata.read(exif).apply(to: &inspection) }
        if let xmp = structure.xmp { XMPScan(xmp).apply(to: &inspection) }
        return inspection
    }

    static func inspectTIFF(_ reader: ByteReader, _ hint: NameHint) throws(MediaError) -> MediaInspection {
        let structure = try TIFFStructure.read(reader, hint)
        var inspection = MediaInspection(kind: structure.kind)
        inspection.pixelWidth = structure.width
        inspection.pixelHeight = structure.height
        structure.metadata.apply(to: &inspection)
        return inspection
    }

    static func inspectRAF(_ reader: ByteReader) throws(MediaError) -> MediaInspection {
        let structure = try RAFStructure.read(reader)
        var inspection = MediaInspection(kind: .raf)
        inspection.pixelWidth = structure.width
        inspection.pixelHeight = structure.height
        if let exif = structure.exif { try EXIFMetadata.read(jpegBlock: exif).apply(to: &inspection) }
        return inspection
    }
}
