/// What EXIF says of a picture (CIPA DC-008, Exif 2.32).
struct EXIFMetadata: Equatable {
    var orientation: Int?
    var make: String?
    var model: String?
    var lensModel: String?
    var captureDate: CaptureDate?
    var location: Location?
    var contentIdentifier: String?
    var subtypes: MediaSubtypes = []

    init() {}

    /// Takes what matters from EXIF's fields.
    init(_ tags: some EXIFTags) throws(MediaError) {
        make = try tags.text(.make)
        model = try tags.text(.model)
        lensModel = try tags.text(.lensModel)
        if let value = try tags.number(.orientation), (1...8).contains(value) { orientation = Int(value) }
        location = try Self.place(tags)
        captureDate = try Self.date(tags)
        subtypes = try Self.subtypes(tags, lensModel)
        if make == "Apple" { try readAppleTags(tags) }
    }

    private static func date(_ tags: some EXIFTags) throws(MediaError) -> CaptureDate? {
        guard let taken = try tags.text(.dateTimeOriginal), let time = CaptureDateParser.exifTime(taken) else {
            return nil
        }
        var zone = try tags.text(.offsetTimeOriginal).flatMap(CaptureDateParser.zoneOffset)
        if zone == nil { zone = try tags.text(.offsetTime).flatMap(CaptureDateParser.zoneOffset) }
        return CaptureDateParser.exifDate(
            time, fraction: try tags.text(.subSecTimeOriginal), offset: zone, satelliteTime: try satelliteTime(tags))
    }

    private static func subtypes(_ tags: some EXIFTags, _ lensModel: String?) throws(MediaError) -> MediaSubtypes {
        var subtypes: MediaSubtypes = []
        if let comment = try tags.bytes(.userComment), comment.count > 8,
            String(decoding: comment[8...], as: UTF8.self).trimmed == "Screenshot"
        {
            subtypes.insert(.screenshot)
        }
        if lensModel?.contains("front camera") == true || lensModel?.contains("front TrueDepth camera") == true {
            subtypes.insert(.selfie)
        }
        return subtypes
    }

    /// Reads what only Apple's cameras write.
    private mutating func readAppleTags(_ tags: some EXIFTags) throws(MediaError) {
        // Values above 1 are Apple's own.
        switch try tags.number(.customRendered) {
        case 2, 3: subtypes.insert(.hdr)
        case 6: subtypes.insert(.panorama)
        case 7: subtypes.formUnion([.hdr, .depthEffect])
        case 8: subtypes.insert(.depthEffect)
        default: break
        }
        guard let note = try tags.appleMakerNote() else { return }
        contentIdentifier = note.contentIdentifier
        if note.isOfBurst { subtypes.insert(.burst) }
        if note.isHDR { subtypes.insert(.hdr) }
        if note.isPortrait { subtypes.insert(.depthEffect) }
    }

    private static func place(_ tags: some EXIFTags) throws(MediaError) -> Location? {
        guard let latitude = try degrees(tags, .latitude), let longitude = try degrees(tags, .longitude) else {
            return nil
        }
        let south = try tags.text(.latitudeRef)?.uppercased().hasPrefix("S") ?? false
        let west = try tags.text(.longitudeRef)?.uppercased().hasPrefix("W") ?? false
        var altitude = try tags.fraction(.altitude, 0)
        if try tags.number(.altitudeRef) == 1 { altitude = altitude.map { -$0 } }
        return Location(
            checkedLatitude: south ? -latitude : latitude, longitude: west ? -longitude : longitude,
            altitude: altitude)
    }

    /// Degrees from degrees, minutes and seconds; the last two may be missing or without a denominator.
    private static func degrees(_ tags: some EXIFTags, _ tag: EXIFTag) throws(MediaError) -> Double? {
        guard let degrees = try tags.fraction(tag, 0) else { return nil }
        let minutes = try tags.fraction(tag, 1) ?? 0
        let seconds = try tags.fraction(tag, 2) ?? 0
        return degrees + minutes / 60 + seconds / 3600
    }

    /// Seconds since 1970 UTC by the GPS receiver's date and time; nil where either is missing.
    private static func satelliteTime(_ tags: some EXIFTags) throws(MediaError) -> Int64? {
        guard let date = try tags.text(.dateStamp), let hour = try tags.fraction(.timeStamp, 0),
            let minute = try tags.fraction(.timeStamp, 1), let second = try tags.fraction(.timeStamp, 2),
            (0..<24).contains(hour), (0..<60).contains(minute), (0..<61).contains(second)
        else { return nil }
        return CaptureDateParser.exifTime(date + " 00:00:00").map {
            $0.secondsSince1970 + Int64(hour * 3600 + minute * 60 + second)
        }
    }

    /// Reads the EXIF block of a JPEG file.
    static func read(jpegBlock block: [UInt8]) throws(MediaError) -> EXIFMetadata {
        try EXIFMetadata(JPEGEXIFTags(block: block))
    }

    /// Reads the TIFF block that holds EXIF in files other than JPEG.
    static func read(_ block: [UInt8]) throws(MediaError) -> EXIFMetadata {
        guard let tags = try TIFFTags(block: block) else { return EXIFMetadata() }
        return try EXIFMetadata(tags)
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
