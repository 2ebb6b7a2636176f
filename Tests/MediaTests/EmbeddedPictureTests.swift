import Platform
import Testing

@testable import Media

@Suite("Pictures within pictures")
struct EmbeddedPictureTests {
    /// EXIF with a thumbnail behind it.
    private static func exif(_ thumbnail: [UInt8]) -> [UInt8] {
        var bytes = TIFFWriter(
            isBigEndian: true,
            directories: [[(0x0112, .short(6))], [(0x0201, .data), (0x0202, .dataLength)]], data: thumbnail
        ).bytes
        bytes.replaceSubrange(22..<26, with: [0, 0, 0, 26])
        return bytes
    }

    private static func find(_ bytes: [UInt8], _ kind: MediaKind) throws -> [EmbeddedPicture] {
        let directory = try TemporaryDirectory()
        let file = try directory.file(bytes)
        return try MediaInspector.embeddedPictures(in: file, size: Int64(bytes.count), kind: kind)
    }

    @Test("EXIF's thumbnail is found where it lies")
    func thumbnail() throws {
        let thumbnail = jpeg(width: 160, height: 120)
        let bytes = jpeg(exif: Self.exif(thumbnail))
        let found = try Self.find(bytes, .jpeg)
        #expect(found.count == 1)
        let first = try #require(found.first)
        #expect(first.width == 160 && first.height == 120)
        #expect(Array(bytes[Int(first.range.lowerBound)..<Int(first.range.upperBound)]) == thumbnail)
        // As the directories of a TIFF file, too.
        #expect(try Self.find(Self.exif(thumbnail), .dng).map(\.width) == [160])
        // Sensor data, lossless JPEG, is no picture to look at.
        var lossless = thumbnail
        if let frame = lossless.indices.dropLast().first(where: { lossless[$0] == 0xFF && lossless[$0 + 1] == 0xC0 }) {
            lossless[frame + 1] = 0xC3
        }
        #expect(try Self.find(Self.exif(lossless), .dng) == [])
    }

    @Test("Whatever stands there, what is found lies in the file", arguments: [MediaKind.jpeg, .dng, .raf, .cr3, .rw2])
    func hostile(_ kind: MediaKind) throws {
        var generator = SystemRandomNumberGenerator()
        let thumbnail = jpeg(width: 160, height: 120)
        let whole = kind == .jpeg ? jpeg(exif: Self.exif(thumbnail)) : Self.exif(thumbnail)
        for _ in 0..<300 {
            var bytes = Array(whole.prefix(Int.random(in: 1...whole.count, using: &generator)))
            for _ in 0..<6 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
                    [0, 0xFF, 0x7F, 0x80, 1].randomElement() ?? 0
            }
            for picture in try Self.find(bytes, kind) {
                #expect(picture.range.lowerBound >= 0 && picture.range.upperBound <= Int64(bytes.count))
                #expect(picture.width > 0 && picture.height > 0)
            }
        }
    }
}
