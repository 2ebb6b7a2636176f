import Testing

@testable import Media

@Suite("JPEG files with no picture but their preview")
struct PreviewTests {
    /// EXIF with a preview behind it.
    private static func exif(preview: [UInt8], length: Int? = nil) -> [UInt8] {
        var bytes = TIFFWriter(
            isBigEndian: true,
            directories: [
                [(0x0112, .short(6))], [(0x0201, .data), (0x0202, length.map { .long(UInt32($0)) } ?? .dataLength)],
            ], data: preview
        ).bytes
        // The first directory's chain goes on to the second, which stands behind it.
        bytes.replaceSubrange(22..<26, with: [0, 0, 0, 26])
        return bytes
    }

    private static func segment(_ marker: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((bytes.count + 2) >> 8), UInt8((bytes.count + 2) & 255)] + bytes
    }

    private static func file(_ exif: [UInt8], _ tail: [UInt8] = []) -> [UInt8] {
        [0xFF, 0xD8] + segment(0xE1, Array("Exif\0\0".utf8) + exif) + tail
    }

    private static let preview = jpeg(width: 160, height: 120)
    private static let next: [UInt8] = segment(0xE2, [1, 2, 3, 4])

    @Test("The preview is the picture where the file ends right behind it", arguments: 0..<4)
    func accepted(_ count: Int) throws {
        let bytes = Self.file(Self.exif(preview: Self.preview), Array(Self.next.prefix(count)))
        let found = try MediaInspection(of: bytes)
        #expect(found.kind == .jpeg && found.pixelWidth == 160 && found.pixelHeight == 120 && found.orientation == 6)
        let directory = try TemporaryDirectory()
        // All of it is essence, whatever tables it has.
        var other = bytes
        other[bytes.count - count - 6] ^= 0x10
        let digests = try [bytes, other].map {
            try MediaInspector.essenceDigest(try directory.file($0), size: Int64(bytes.count), kind: .jpeg)
        }
        #expect(digests[0] != digests[1])
    }

    @Test("Cut further behind, it is refused", arguments: 4...20)
    func cutBehind(_ count: Int) {
        let tail = Self.next + Self.segment(0xDB, [UInt8](repeating: 1, count: 65))
        let bytes = Self.file(Self.exif(preview: Self.preview), Array(tail.prefix(count)))
        #expect(throws: MediaError.self) { try MediaInspection(of: bytes) }
    }

    @Test("A preview that is not whole is no picture")
    func cutPreview() {
        let whole = Self.preview
        for length in 0..<whole.count {
            let cut = Self.file(Self.exif(preview: Array(whole.prefix(length))))
            #expect(throws: MediaError.self, "cut to \(length)") { try MediaInspection(of: cut) }
            let short = Self.file(Self.exif(preview: whole, length: length))
            #expect(throws: MediaError.self, "said to be \(length)") { try MediaInspection(of: short) }
        }
        for exif in [
            Self.exif(preview: whole, length: whole.count + 1), TIFFWriter.exif(),
            // A preview that has nothing but a preview.
            Self.exif(preview: Self.file(Self.exif(preview: whole))), Self.exif(preview: [0xFF, 0xD8, 0xFF, 0xD9]),
        ] {
            #expect(throws: MediaError.self) { try MediaInspection(of: Self.file(exif)) }
        }
    }

    @Test("A picture of its own, cut anywhere but there, is refused")
    func cutPicture() throws {
        let bytes = jpeg(exif: Self.exif(preview: Self.preview))
        let end = 2 + 2 + 2 + 6 + Self.exif(preview: Self.preview).count
        for length in 0..<bytes.count where !(end..<end + 4).contains(length) {
            #expect(throws: MediaError.self, "cut to \(length)") { try MediaInspection(of: Array(bytes[..<length])) }
        }
        #expect(try MediaInspection(of: Array(bytes[..<end])).pixelWidth == 160)
        #expect(try MediaInspection(of: bytes).pixelWidth == 32)
    }

    @Test("The picture in a RAW file is not taken for whole by its preview")
    func raw() {
        let picture = Self.file(Self.exif(preview: Self.preview))
        var places = BoxWriter()
        places.add32(108, UInt32(picture.count), 108, 10, UInt32(108 + picture.count), 200)
        let bytes =
            Array("FUJIFILMCCD-RAW ".utf8) + [UInt8](repeating: 0x30, count: 68) + places.bytes + picture
            + [UInt8](repeating: 9, count: 200)
        #expect(throws: MediaError.self) { try MediaInspection(of: bytes) }
    }
}
