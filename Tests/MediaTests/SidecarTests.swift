import Foundation
import Media
import Platform
import Testing

/// Reading XMP sidecars and Takeout's JSON.
@Suite struct SidecarTests {
    static func xmp(_ bytes: [UInt8]) throws -> SidecarContents {
        try SidecarReader.readXMP(FileDescriptor.inMemory(holding: bytes), size: Int64(bytes.count))
    }

    static func takeout(_ text: String) throws -> SidecarContents {
        let bytes = Array(text.utf8)
        return try SidecarReader.readTakeout(FileDescriptor.inMemory(holding: bytes), size: Int64(bytes.count))
    }

    static func packet(attributes: String = "", elements: String = "") -> String {
        """
        <?xpacket begin='\u{FEFF}' id='W5M0MpCehiHzreSzNTczkc9d'?>
        <x:xmpmeta xmlns:x='adobe:ns:meta/'>
        <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
        <rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/'
          xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/'
          xmlns:exif='http://ns.adobe.com/exif/1.0/' xmlns:lr='http://ns.adobe.com/lightroom/1.0/' \(attributes)>
        \(elements)
        </rdf:Description>
        </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end='w'?>

        """
    }

    static func read(attributes: String = "", elements: String = "") throws -> SidecarContents {
        try xmp(Array(packet(attributes: attributes, elements: elements).utf8))
    }

    @Test func elements() throws {
        let contents = try Self.read(
            elements: """
                <dc:description><rdf:Alt><rdf:li xml:lang='de'>Am Meer</rdf:li>
                  <rdf:li xml:lang='x-default'> At the sea &amp; Ünal </rdf:li></rdf:Alt></dc:description>
                <dc:subject><rdf:Bag><rdf:li>sea</rdf:li><rdf:li>Places/Italy</rdf:li></rdf:Bag></dc:subject>
                <lr:hierarchicalSubject><rdf:Bag><rdf:li>a|b</rdf:li></rdf:Bag></lr:hierarchicalSubject>
                <xmp:Rating>4</xmp:Rating>
                <exif:DateTimeOriginal>2024-05-17T10:11:12.25+02:00</exif:DateTimeOriginal>
                <exif:GPSLatitude>48,51.50N</exif:GPSLatitude><exif:GPSLongitude>2,17,30W</exif:GPSLongitude>
                <exif:GPSAltitude>70/2</exif:GPSAltitude><exif:GPSAltitudeRef>1</exif:GPSAltitudeRef>
                """)
        #expect(contents.caption == "At the sea & Ünal")
        #expect(contents.keywords == ["sea", "Places/Italy"])
        #expect(contents.rating == 4)
        #expect(contents.date == .zoned(1_715_933_472_250_000_000, offset: 7200))
        let location = try #require(contents.location)
        #expect(abs(location.latitude - 48.858333) < 1e-5 && abs(location.longitude + 2.291667) < 1e-5)
        #expect(location.altitude == -35)
        #expect(contents.isFavorite == nil)
    }

    @Test func attributes() throws {
        let contents = try Self.read(
            attributes: """
                xmp:Rating='5' exif:GPSLatitude='-33.5' exif:GPSLongitude='18.25E'
                photoshop:DateCreated='2024-05-17' xmp:CreateDate='2001-01-01T00:00:00'
                """)
        #expect(contents.rating == 5 && contents.date == .day(20_240_517) && contents.caption == nil)
        #expect(contents.location == Location(latitude: -33.5, longitude: 18.25))
    }

    /// Properties of a part of the picture, such as a face or an ingredient, are not the picture's.
    @Test func nestedDescriptions() throws {
        let contents = try Self.read(
            elements: """
                <xmp:Thing><rdf:Description xmp:Rating='5'><dc:description>inner</dc:description></rdf:Description>
                </xmp:Thing><xmp:Rating>2</xmp:Rating>
                """)
        #expect(contents.rating == 2 && contents.caption == nil)
    }

    @Test(arguments: ["-1", "0", "6", "many", "1e300", "nan", ""]) func noRating(text: String) throws {
        #expect(try Self.read(attributes: "xmp:Rating='\(text)'").rating == nil)
    }

    @Test(
        arguments: [
            ("2024-05-17T10:11", SidecarDate.local(1_715_940_660_000_000_000)),
            ("2024:05:17 10:11:12", .local(1_715_940_672_000_000_000)),
            ("2024-05-17T10:11:12Z", .zoned(1_715_940_672_000_000_000, offset: 0)),
            ("2024-05-17", .day(20_240_517)), ("2024-05", nil), ("2024", nil), ("2024-02-30T10:00:00", nil),
            ("2024-05-17T25:00:00", nil), ("9999-05-17T10:11:12", nil), ("2024-05-17T10:11:12 noon", nil), ("", nil),
        ] as [(String, SidecarDate?)])
    func dates(text: String, date: SidecarDate?) throws {
        #expect(try Self.read(attributes: "exif:DateTimeOriginal='\(text)'").date == date)
    }

    @Test(arguments: ["91N", "48,61N", "48,1,61N", "N", "", "1,2,3,4N", "infN", "nan", "48,-1N", "48E"])
    func noLatitude(text: String) throws {
        #expect(
            try Self.read(attributes: "exif:GPSLatitude='\(text)' exif:GPSLongitude='2,0E'").location == nil)
    }

    @Test func utf16() throws {
        let text = Self.packet(attributes: "xmp:Rating='3'", elements: "<dc:description>写真</dc:description>")
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
            let mark: [UInt8] = encoding == .utf16LittleEndian ? [0xFF, 0xFE] : [0xFE, 0xFF]
            let contents = try Self.xmp(mark + [UInt8](try #require(text.data(using: encoding))))
            #expect(contents.rating == 3 && contents.caption == "写真")
        }
    }

    /// What ExifTool writes is read as it was meant.
    @Test(.enabled(if: Command.isThere("exiftool"), "needs exiftool")) func exifTool() throws {
        let path = NSTemporaryDirectory() + "sidecar-\(UUID().uuidString).xmp"
        defer { unlink(path) }
        try Command.run(
            "exiftool",
            [
                "-XMP:Description=A caption", "-XMP:Subject=one", "-XMP:Subject=two words", "-XMP:Rating=5",
                "-XMP:DateTimeOriginal=2019:02:03 04:05:06+01:00", "-XMP:GPSLatitude=-12.5", "-XMP:GPSLongitude=45.25",
                "-o", path,
            ])
        let contents = try Self.xmp([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
        #expect(contents.caption == "A caption" && contents.keywords == ["one", "two words"] && contents.rating == 5)
        #expect(contents.date == .zoned(1_549_163_106_000_000_000, offset: 3600))
        #expect(contents.location == Location(latitude: -12.5, longitude: 45.25))
    }

    @Test func takeout() throws {
        let contents = try Self.takeout(
            """
            {"title": "IMG_1.JPG", "description": "At the \\u00fcber sea", "imageViews": "3",
             "photoTakenTime": {"timestamp": "1558084812", "formatted": "17.05.2019, 09:20:12 UTC"},
             "geoData": {"latitude": 0.0, "longitude": 0.0, "altitude": 0.0},
             "geoDataExif": {"latitude": 48.5, "longitude": 11, "altitude": 0.0},
             "people": [{"name": "N"}], "favorited": true}
            """)
        #expect(contents.caption == "At the über sea" && contents.isFavorite == true)
        #expect(contents.date == .instant(1_558_084_812_000_000_000))
        #expect(contents.location == Location(latitude: 48.5, longitude: 11))
        #expect(contents.rating == nil && contents.keywords.isEmpty)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "{\"title\": \"x\"}", "{\"title\": 1, \"photoTakenTime\": {}}", "{\"title\"",
        String(repeating: "[", count: 100_000), "{\"name\": \"package\", \"version\": \"1\"}",
    ])
    func otherJSON(text: String) { #expect(throws: MediaError.self) { try Self.takeout(text) } }

    @Test(arguments: ["\"0\"", "\"-99999999999999\"", "\"99999999999999999999\"", "1e400", "null", "[]", "\"x\""])
    func noTakeoutDate(value: String) throws {
        let text = "{\"title\": \"x\", \"photoTakenTime\": {\"timestamp\": \(value)}}"
        // A number that no double holds makes it no JSON that is taken.
        #expect((try? Self.takeout(text))?.date == nil)
    }
}

/// Sidecars made to do harm.
@Suite struct HostileSidecarTests {
    /// The entities of a document type never unfold.
    @Test func billionLaughs() {
        var text = "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a0 'ha'>"
        for level in 1..<30 {
            text += "<!ENTITY a\(level) '" + String(repeating: "&a\(level - 1);", count: 10) + "'>"
        }
        text += "]>" + SidecarTests.packet(elements: "<dc:description>&a29;</dc:description>")
        #expect(throws: MediaError.self) { try SidecarTests.xmp(Array(text.utf8)) }
        let external =
            "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>"
            + SidecarTests.packet(elements: "<dc:description>&e;</dc:description>")
        #expect(throws: MediaError.self) { try SidecarTests.xmp(Array(external.utf8)) }
    }

    @Test func deepNesting() {
        let text = SidecarTests.packet(
            elements: String(repeating: "<dc:a>", count: 200_000) + String(repeating: "</dc:a>", count: 200_000))
        #expect(throws: MediaError.self) { try SidecarTests.xmp(Array(text.utf8)) }
    }

    @Test func everyLengthAndEveryDamagedByte() {
        let whole = Array(
            SidecarTests.packet(
                attributes: "xmp:Rating='3'", elements: "<dc:subject><rdf:Bag><rdf:li>a</rdf:li></rdf:Bag></dc:subject>"
            ).utf8)
        // Only blanks and the packet's end are missing in the last ones.
        let needed = whole.count - 30
        for length in 0..<needed {
            #expect(throws: MediaError.self) { try SidecarTests.xmp(Array(whole[..<length])) }
        }
        for place in whole.indices {
            for byte: UInt8 in [0, 0x3C, 0x26, 0xFF, 0x80] {
                var bytes = whole
                bytes[place] = byte
                // Whatever comes of it, it comes back.
                _ = try? SidecarTests.xmp(bytes)
            }
        }
    }

    @Test(
        arguments: [
            [], [0], [0xFF, 0xFE], Array("no xml".utf8), Array("<a/>".utf8), Array("<a>".utf8), [0xEF, 0xBB, 0xBF],
            Array("<?xml version='1.0' encoding='no-such'?><a/>".utf8),
        ] as [[UInt8]])
    func noXMP(bytes: [UInt8]) { #expect(throws: MediaError.self) { try SidecarTests.xmp(bytes) } }

    @Test func invalidUTF8() {
        let text = Array(SidecarTests.packet(elements: "<dc:description>X</dc:description>").utf8)
        let bad = text.flatMap { $0 == UInt8(ascii: "X") ? [0xC3, 0x28] : [$0] as [UInt8] }
        #expect(throws: MediaError.self) { try SidecarTests.xmp(bad) }
    }

    @Test func manyAndLongValues() throws {
        let words = String(repeating: "<rdf:li>w</rdf:li>", count: 150_000)
        let contents = try SidecarTests.read(
            elements: "<dc:subject><rdf:Bag>\(words)</rdf:Bag></dc:subject>")
        #expect(contents.keywords.count == 1000)
        let marks = (0..<300_000).map { "dc:a\($0)=''" }.joined(separator: " ")
        #expect(try SidecarTests.read(attributes: "xmp:Rating='2' \(marks)").rating == 2)
        let long = try SidecarTests.read(
            elements: "<dc:description>" + String(repeating: "é", count: 400_000) + "</dc:description>")
        #expect(long.caption == String(repeating: "é", count: 32_768))
    }

    /// Larger files are not read at all.
    @Test func huge() throws {
        let text = SidecarTests.packet(attributes: "xmp:Rating='3'")
        let bytes = Array(text.utf8) + [UInt8](repeating: 0x20, count: Int(SidecarContents.sizeLimit))
        #expect(throws: MediaError.self) { try SidecarTests.xmp(bytes) }
        #expect(throws: MediaError.self) {
            try SidecarReader.readTakeout(FileDescriptor.inMemory(holding: bytes), size: Int64(bytes.count))
        }
    }
}
