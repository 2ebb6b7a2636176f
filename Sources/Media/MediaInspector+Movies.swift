extension MediaInspector {
    static func inspectAVI(_ reader: ByteReader) throws(MediaError) -> MediaInspection {
        let structure = try AVIStructure.read(reader)
        var inspection = MediaInspection(kind: .avi)
        inspection.pixelWidth = structure.width
        inspection.pixelHeight = structure.height
        inspection.duration = structure.duration
        inspection.captureDate = structure.digitized.flatMap(CaptureDateParser.aviDate)
        if let rate = structure.frameRate, rate >= 119 { inspection.subtypes.insert(.highFrameRate) }
        return inspection
    }

    static func inspectMatroska(_ reader: ByteReader) throws(MediaError) -> MediaInspection {
        let structure = try MatroskaStructure.read(reader)
        var inspection = MediaInspection(kind: structure.isWebM ? .webm : .matroska)
        inspection.pixelWidth = structure.width
        inspection.pixelHeight = structure.height
        inspection.duration = structure.duration
        inspection.captureDate = structure.created.map {
            // The header's time is UTC; it does not tell the local time.
            CaptureDate(instant: $0, offset: 0, source: .movieHeader)
        }
        if let rate = structure.frameRate, rate >= 119 { inspection.subtypes.insert(.highFrameRate) }
        return inspection
    }
}
