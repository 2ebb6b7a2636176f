import Testing

@testable import Media

@Suite("Movies and HEIF pictures, generated")
struct MovieTests {
    private static func movie(
        brand: String? = "qt  ", index: (UInt64) -> [UInt8] = { BoxWriter.index(offsets: [$0], sampleSize: 100) }
    ) -> [UInt8] {
        var writer = BoxWriter()
        if let brand {
            writer.box("ftyp") {
                $0.bytes += Array(brand.utf8)
                $0.add32(0)
            }
        }
        writer.box("mdat") { $0.bytes += [UInt8](repeating: 3, count: 100) }
        let start = UInt64(writer.bytes.count - 100)
        return writer.bytes + index(start)
    }

    @Test(
        "Kinds by brand",
        arguments: [
            ("qt  ", "a.mp4", MediaKind.quickTime), ("M4V ", "a.mov", .m4v), ("mp42", "a.mov", .mp4),
            ("mp42", "a.m4v", .m4v), ("isom", "a.jpg", .mp4), ("3gp4", "a.mp4", .threeGP), ("3g2a", "a", .threeGP),
            ("XAVC", "a", .mp4),
        ])
    func kind(_ brand: String, _ name: String, _ kind: MediaKind) throws {
        #expect(try MediaInspection(of: Self.movie(brand: brand), name: name).kind == kind)
    }

    @Test("Old QuickTime files have no brand")
    func withoutBrand() throws {
        #expect(try MediaInspection(of: Self.movie(brand: nil)).kind == .quickTime)
    }

    @Test("Sound and other brands are refused", arguments: ["M4A ", "M4B ", "jp2 "])
    func otherBrand(_ brand: String) {
        #expect(throws: MediaError.self) { try MediaInspection(of: Self.movie(brand: brand)) }
    }

    @Test("Cut anywhere, a movie with its index at the end is refused")
    func cut() throws {
        let bytes = Self.movie()
        for length in 0..<bytes.count {
            #expect(throws: MediaError.self) { try MediaInspection(of: Array(bytes[..<length])) }
        }
    }

    @Test(
        "Media data that is cut, though all samples are there",
        arguments: [(0, true), (1, true), (1024, true), (1025, false), (5000, false), (4_000_000_000, false)])
    func cutMediaData(_ missing: UInt32, _ isAccepted: Bool) throws {
        var writer = BoxWriter()
        writer.box("ftyp") { $0.bytes += Array("qt  ".utf8) + [0, 0, 0, 0] }
        let start = writer.bytes.count + BoxWriter.index(offsets: [0], sampleSize: 100).count + 8
        writer.bytes += BoxWriter.index(offsets: [UInt64(start)], sampleSize: 100)
        writer.add32(8 + 200 + missing)
        writer.bytes += Array("mdat".utf8) + [UInt8](repeating: 3, count: 200)
        if isAccepted {
            #expect(try MediaInspection(of: writer.bytes).kind == .quickTime)
        } else {
            #expect {
                try MediaInspection(of: writer.bytes)
            } throws: { error in
                guard case .rejected(let reason) = error as? MediaError else { return false }
                return reason.contains("not complete")
            }
        }
    }

    @Test("Keys of a phone's movie")
    func keys() throws {
        let values = [
            ("com.apple.quicktime.content.identifier", "AE5B2C1D-1234-4E5F-8A9B-0C1D2E3F4A5B"),
            ("com.apple.quicktime.creationdate", "2024-05-17T23:30:00+0200"),
            ("com.apple.quicktime.location.ISO6709", "+48.8577+002.2950+035.000/"),
            ("com.apple.quicktime.make", "Apple"), ("com.apple.quicktime.model", "iPhone 15"),
        ]
        var meta = BoxWriter()
        meta.box("meta") { meta in
            meta.box("hdlr") { $0.add32(0, 0, 0x6D64_7461, 0, 0, 0, 0) }
            meta.box("keys") { keys in
                keys.add32(0, UInt32(values.count))
                for (name, _) in values { keys.box("mdta") { $0.bytes += Array(name.utf8) } }
            }
            meta.box("ilst") { list in
                for (index, (_, value)) in values.enumerated() {
                    var item = BoxWriter()
                    item.box("data") {
                        $0.add32(1, 0)
                        $0.bytes += Array(value.utf8)
                    }
                    list.add32(UInt32(item.bytes.count + 8), UInt32(index + 1))
                    list.bytes += item.bytes
                }
            }
        }
        let bytes = Self.movie { start in
            var index = BoxWriter.index(offsets: [start], sampleSize: 100, created: 3_800_000_000) + meta.bytes
            let size = UInt32(index.count)
            index.replaceSubrange(0..<4, with: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) })
            return index
        }
        let found = try MediaInspection(of: bytes)
        #expect(found.contentIdentifier == values[0].1)
        // The key beats the header.
        let date = CaptureDate(instant: 1_715_981_400_000_000_000, offset: 7200, source: .quickTimeKey)
        #expect(found.captureDate == date)
        #expect(found.location == Location(latitude: 48.8577, longitude: 2.295, altitude: 35))
        #expect(found.cameraMake == "Apple" && found.cameraModel == "iPhone 15")
    }

    @Test(
        "HEIF's turns and mirrorings as EXIF orientations",
        arguments: [
            ([], 1), ([("imir", 1)], 2), ([("irot", 2)], 3), ([("imir", 0)], 4), ([("irot", 1), ("imir", 0)], 5),
            ([("irot", 3)], 6), ([("irot", 3), ("imir", 0)], 7), ([("irot", 1)], 8),
            ([("imir", 1), ("irot", 1)], 5), ([("imir", 1), ("imir", 1)], 1),
        ] as [([(String, UInt8)], Int)])
    func orientation(_ properties: [(String, UInt8)], _ expected: Int) throws {
        let found = try MediaInspection(of: BoxWriter.heif(properties: properties.map { ($0.0, [$0.1]) }))
        #expect(found.kind == .heic && found.pixelWidth == 640 && found.pixelHeight == 480)
        #expect(found.orientation == expected)
    }

    @Test("HEIF cut anywhere is refused")
    func cutHEIF() throws {
        let bytes = BoxWriter.heif(properties: [], brand: "avif")
        #expect(try MediaInspection(of: bytes).kind == .avif)
        for length in 0..<bytes.count {
            #expect(throws: MediaError.self) { try MediaInspection(of: Array(bytes[..<length])) }
        }
    }

    @Test("Item places without any field do not cost time")
    func emptyExtents() throws {
        var bytes = BoxWriter.heif(properties: [])
        let place = try #require(bytes.firstRange(of: Array("iloc".utf8))).upperBound
        // No field sizes, an item with 65535 extents, 65535 items.
        bytes.replaceSubrange(place + 4..<place + 8, with: [0, 0, 0xFF, 0xFF])
        bytes.replaceSubrange(place + 12..<place + 14, with: [0xFF, 0xFF])
        #expect(throws: MediaError.self) { try MediaInspection(of: bytes) }
    }
}
