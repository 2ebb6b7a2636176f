/// What EXIF says of a picture (CIPA DC-008, Exif 2.32).
struct EXIFMetadata {
    var orientation: Int?
    var make: String?
    var model: String?
    var lensModel: String?
    var captureDate: CaptureDate?
    var location: Location?
    var contentIdentifier: String?
    var subtypes: MediaSubtypes = []

    /// Reads a TIFF block with EXIF in it.
    static func read(_ block: [UInt8]) throws(MediaError) -> EXIFMetadata {
        guard let tiff = try TIFFReader(ByteReader(block)) else { return EXIFMetadata() }
        return try read(tiff)
    }

    /// Reads the first directory of a TIFF structure and the EXIF and GPS directories it points to.
    static func read(_ tiff: TIFFReader) throws(MediaError) -> EXIFMetadata {
        var result = EXIFMetadata()
        guard let image = try tiff.directory(at: tiff.firstDirectory) else { return result }
        try result.readImage(tiff, image)
        var gps: TIFFReader.Directory?
        if let offset = try pointer(tiff, image.entries[0x8825]) { gps = try tiff.directory(at: offset) }
        if let gps { try result.readPlace(tiff, gps) }
        if let offset = try pointer(tiff, image.entries[0x8769]), let exif = try tiff.directory(at: offset) {
            try result.readExif(tiff, exif, satelliteTime: try satelliteTime(tiff, gps))
        }
        return result
    }

    private static func pointer(_ tiff: TIFFReader, _ entry: TIFFReader.Entry?) throws(MediaError) -> Int64? {
        guard let entry, entry.type == 4 || entry.type == 13 else { return nil }
        return try tiff.number(entry)
    }

    /// Reads the picture's own directory.
    mutating func readImage(_ tiff: TIFFReader, _ image: TIFFReader.Directory) throws(MediaError) {
        make = try tiff.text(image.entries[0x010F])
        model = try tiff.text(image.entries[0x0110])
        if let value = try tiff.number(image.entries[0x0112]), (1...8).contains(value) { orientation = Int(value) }
    }

    /// Reads the EXIF directory.
    ///
    /// - Parameter satelliteTime: seconds since 1970 UTC that GPS gave at the same moment.
    mutating func readExif(_ tiff: TIFFReader, _ exif: TIFFReader.Directory, satelliteTime: Int64?) throws(MediaError) {
        lensModel = try tiff.text(exif.entries[0xA434])
        if let taken = try tiff.text(exif.entries[0x9003]), let time = CaptureDateParser.exifTime(taken) {
            var zone = try tiff.text(exif.entries[0x9011]).flatMap(CaptureDateParser.zoneOffset)
            if zone == nil { zone = try tiff.text(exif.entries[0x9010]).flatMap(CaptureDateParser.zoneOffset) }
            captureDate = CaptureDateParser.exifDate(
                time, fraction: try tiff.text(exif.entries[0x9291]),
                offset: zone, satelliteTime: satelliteTime)
        }
        if let comment = try tiff.bytes(exif.entries[0x9286]), comment.count > 8,
            String(decoding: comment[8...], as: UTF8.self).trimmed == "Screenshot"
        {
            subtypes.insert(.screenshot)
        }
        if lensModel?.contains("front camera") == true || lensModel?.contains("front TrueDepth camera") == true {
            subtypes.insert(.selfie)
        }
        guard make == "Apple" else { return }
        // Values above 1 are Apple's own.
        switch try tiff.number(exif.entries[0xA401]) {
        case 2, 3: subtypes.insert(.hdr)
        case 6: subtypes.insert(.panorama)
        case 7: subtypes.formUnion([.hdr, .depthEffect])
        case 8: subtypes.insert(.depthEffect)
        default: break
        }
        if let entry = exif.entries[0x927C], let note = try AppleMakerNote(tiff.reader, entry) {
            contentIdentifier = note.contentIdentifier
            if note.isHDR { subtypes.insert(.hdr) }
            if note.isPortrait { subtypes.insert(.depthEffect) }
        }
    }

    /// Reads the place from the GPS directory.
    mutating func readPlace(_ tiff: TIFFReader, _ gps: TIFFReader.Directory) throws(MediaError) {
        guard let latitude = try Self.degrees(tiff, gps.entries[2]),
            let longitude = try Self.degrees(tiff, gps.entries[4])
        else { return }
        let south = try tiff.text(gps.entries[1])?.uppercased().hasPrefix("S") ?? false
        let west = try tiff.text(gps.entries[3])?.uppercased().hasPrefix("W") ?? false
        var altitude = try tiff.fraction(gps.entries[6])
        if try tiff.number(gps.entries[5]) == 1 { altitude = altitude.map { -$0 } }
        location = Location(
            checkedLatitude: south ? -latitude : latitude, longitude: west ? -longitude : longitude,
            altitude: altitude)
    }

    /// Degrees from degrees, minutes and seconds; the last two may be missing or without a denominator.
    private static func degrees(_ tiff: TIFFReader, _ entry: TIFFReader.Entry?) throws(MediaError) -> Double? {
        guard let degrees = try tiff.fraction(entry, 0) else { return nil }
        let minutes = try tiff.fraction(entry, 1) ?? 0
        let seconds = try tiff.fraction(entry, 2) ?? 0
        return degrees + minutes / 60 + seconds / 3600
    }

    /// Seconds since 1970 UTC by the GPS receiver's date and time; nil where either is missing.
    static func satelliteTime(_ tiff: TIFFReader, _ gps: TIFFReader.Directory?) throws(MediaError) -> Int64? {
        guard let gps, let date = try tiff.text(gps.entries[0x1D]), let hour = try tiff.fraction(gps.entries[7], 0),
            let minute = try tiff.fraction(gps.entries[7], 1), let second = try tiff.fraction(gps.entries[7], 2),
            (0..<24).contains(hour), (0..<60).contains(minute), (0..<61).contains(second)
        else { return nil }
        return CaptureDateParser.exifTime(date + " 00:00:00").map {
            $0.secondsSince1970 + Int64(hour * 3600 + minute * 60 + second)
        }
    }

    /// Writes what is known into an inspection.
    func apply(to inspection: inout MediaInspection) {
        if let orientation { inspection.orientation = orientation }
        if let make { inspection.cameraMake = make }
        if let model { inspection.cameraModel = model }
        if let lensModel { inspection.lensModel = lensModel }
        if let captureDate { inspection.captureDate = captureDate }
        if let location { inspection.location = location }
        if let contentIdentifier { inspection.contentIdentifier = contentIdentifier }
        inspection.subtypes.formUnion(subtypes)
    }
}
