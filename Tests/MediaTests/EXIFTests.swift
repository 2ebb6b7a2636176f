import Testing

@testable import Media

@Suite("EXIF")
struct EXIFTests {
    private static let local: (tag: UInt16, value: TIFFWriter.Value) = (0x9003, .text("2024:05:17 23:30:00"))
    private static let localInstant: Int64 = 1_715_988_600_000_000_000

    @Test("Date, fraction, offset, make, model, lens, orientation, place", arguments: [true, false])
    func everything(_ isBigEndian: Bool) throws {
        let found = try MediaInspection(
            of: jpeg(
                exif: TIFFWriter.exif(
                    image: [(0x010F, .text("Maker ")), (0x0110, .text("Model 1")), (0x0112, .short(6))],
                    exif: [
                        Self.local, (0x9010, .text("+09:00")), (0x9011, .text("+02:00")), (0x9291, .text("125")),
                        (0xA434, .text("Lens")),
                    ],
                    gps: [
                        (1, .text("S")), (2, .fractions([(33, 1), (45, 1), (125, 10)])), (3, .text("E")),
                        (4, .fractions([(151, 1), (12, 1), (5, 10)])), (5, .undefined([1])), (6, .fractions([(5, 2)])),
                    ], isBigEndian: isBigEndian)))
        #expect(found.kind == .jpeg && found.pixelWidth == 32 && found.pixelHeight == 16)
        #expect(found.cameraMake == "Maker" && found.cameraModel == "Model 1" && found.lensModel == "Lens")
        #expect(found.orientation == 6)
        // OffsetTimeOriginal beats OffsetTime.
        let instant = Self.localInstant - 7_200_000_000_000 + 125_000_000
        #expect(found.captureDate == CaptureDate(instant: instant, offset: 7200, source: .exifWithOffset))
        let place = try #require(found.location)
        #expect(abs(place.latitude + 33.753472) < 1e-5 && abs(place.longitude - 151.200139) < 1e-5)
        #expect(place.altitude == -2.5)
    }

    @Test("OffsetTime serves where OffsetTimeOriginal is blank")
    func offsetTime() throws {
        let found = try MediaInspection(
            of: jpeg(
                exif: TIFFWriter.exif(exif: [Self.local, (0x9010, .text("+09:00")), (0x9011, .text("   :  "))])))
        #expect(found.captureDate?.offset == 32400)
        #expect(found.captureDate?.source == .exifWithOffset)
    }

    @Test("GPS time gives the offset")
    func satelliteOffset() throws {
        let gps: [(tag: UInt16, value: TIFFWriter.Value)] = [
            (7, .fractions([(21, 1), (29, 1), (35, 1)])), (0x1D, .text("2024:05:17")),
        ]
        let found = try MediaInspection(of: jpeg(exif: TIFFWriter.exif(exif: [Self.local], gps: gps)))
        let instant = Self.localInstant - 7_200_000_000_000
        #expect(found.captureDate == CaptureDate(instant: instant, offset: 7200, source: .exifLocal))
    }

    @Test("Without any zone the date is local")
    func localOnly() throws {
        let found = try MediaInspection(of: jpeg(exif: TIFFWriter.exif(exif: [Self.local])))
        #expect(found.captureDate == CaptureDate(instant: Self.localInstant, offset: nil, source: .exifLocal))
    }

    @Test("No date, no place", arguments: ["0000:00:00 00:00:00", "    :  :     :  :  ", "2023:02:29 10:00:00"])
    func nothing(_ date: String) throws {
        let found = try MediaInspection(
            of: jpeg(
                exif: TIFFWriter.exif(
                    image: [(0x0112, .short(9))], exif: [(0x9003, .text(date))],
                    gps: [(2, .fractions([(0, 1), (0, 1), (0, 1)])), (4, .fractions([(0, 1), (0, 1), (0, 1)]))])))
        #expect(found.captureDate == nil && found.location == nil && found.orientation == 1)
    }

    @Test("A denominator of zero is no number")
    func zeroDenominator() throws {
        let found = try MediaInspection(
            of: jpeg(exif: TIFFWriter.exif(gps: [(2, .fractions([(1, 0)])), (4, .fractions([(1, 1)]))])))
        #expect(found.location == nil)
    }

    @Test("Apple's screenshot comment, panoramas, portraits, front camera")
    func apple() throws {
        func subtypes(_ fields: [(tag: UInt16, value: TIFFWriter.Value)], make: String = "Apple") throws
            -> MediaSubtypes
        {
            try MediaInspection(
                of: jpeg(exif: TIFFWriter.exif(image: [(0x010F, .text(make))], exif: fields))
            ).subtypes
        }
        #expect(try subtypes([(0x9286, .undefined(Array("ASCII\0\0\0Screenshot".utf8)))]) == .screenshot)
        #expect(try subtypes([(0xA401, .short(6))]) == .panorama)
        #expect(try subtypes([(0xA401, .short(3))]) == .hdr)
        #expect(try subtypes([(0xA401, .short(8))]) == .depthEffect)
        #expect(try subtypes([(0xA401, .short(3))], make: "Canon") == [])
        #expect(try subtypes([(0xA434, .text("iPhone 11 front camera 2.71mm f/2.2"))]) == .selfie)
    }

    @Test("The identifier of a Live Photo in Apple's maker note")
    func makerNote() throws {
        let identifier = "AE5B2C1D-1234-4E5F-8A9B-0C1D2E3F4A5B"
        var note = TIFFWriter(isBigEndian: true, directories: [[(0x000A, .long(3)), (0x0011, .text(identifier))]])
        // The directory stands at byte 14 of the note: 8 of the TIFF header, 6 of gap.
        note.gap = [UInt8](repeating: 0, count: 6)
        let bytes = Array("Apple iOS\0\0\u{01}MM".utf8) + note.bytes.dropFirst(14)
        let found = try MediaInspection(
            of: jpeg(
                exif: TIFFWriter.exif(image: [(0x010F, .text("Apple"))], exif: [(0x927C, .undefined(bytes))])))
        #expect(found.contentIdentifier == identifier)
        #expect(found.subtypes.contains(.hdr))
    }

    @Test("Photo Sphere XMP is a panorama")
    func panorama() throws {
        let attribute = "<rdf:Description GPano:ProjectionType=\"equirectangular\"/>"
        let element = "<GPano:ProjectionType>cylindrical</GPano:ProjectionType>"
        for xmp in [attribute, element] {
            #expect(try MediaInspection(of: jpeg(xmp: xmp)).subtypes == .panorama)
        }
        #expect(try MediaInspection(of: jpeg(xmp: "<x:xmpmeta/>")).subtypes == [])
    }
}
