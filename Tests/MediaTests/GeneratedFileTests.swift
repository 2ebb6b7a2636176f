import Foundation
import Platform
import Testing

@testable import Media

/// Kinds that no sample file is there of, built byte by byte; each must be accepted whole and refused cut.
@Suite("Generated files")
struct GeneratedFileTests {
    /// Checks a whole file, and that it is refused when its last bytes are missing.
    @discardableResult
    private func check(_ bytes: [UInt8], _ kind: MediaKind, name: String = "file", cutting: Int = 1) throws
        -> MediaInspection
    {
        let found = try MediaInspection(of: bytes, name: name)
        #expect(found.kind == kind)
        #expect(throws: MediaError.self) { try MediaInspection(of: bytes.dropLast(cutting), name: name) }
        return found
    }

    private static func raw(_ make: String, _ extra: [(tag: UInt16, value: TIFFWriter.Value)] = []) -> TIFFWriter {
        TIFFWriter(
            directories: [
                [
                    (0x00FE, .long(1)), (0x0100, .short(160)), (0x0101, .short(120)), (0x010F, .text(make)),
                    (0x0111, .data), (0x0117, .long(10)), (0x014A, .directory(1)), (0x8769, .directory(2)),
                ] + extra,
                [
                    (0x00FE, .long(0)), (0x0100, .long(6000)), (0x0101, .long(4000)), (0x0106, .short(32803)),
                    (0x0111, .data), (0x0117, .dataLength),
                ],
                [(0x9003, .text("2024:05:17 23:30:00"))],
            ], data: [UInt8](repeating: 7, count: 500))
    }

    @Test("RAW files that are built like TIFF")
    func tiffLike() throws {
        var canon = Self.raw("Canon")
        canon.gap = [0x43, 0x52, 2, 0, 0, 0, 0, 0]
        var olympus = Self.raw("OLYMPUS")
        olympus.magic = Array("IIRO".utf8)
        let files: [(TIFFWriter, MediaKind)] = [
            (Self.raw("NIKON CORPORATION"), .nef), (Self.raw("SONY"), .arw),
            (Self.raw("Canon", [(0xC612, .undefined([1, 4, 0, 0]))]), .dng), (canon, .cr2), (olympus, .orf),
        ]
        for (writer, kind) in files {
            let found = try check(writer.bytes, kind, name: "wrong.jpg")
            #expect(found.pixelWidth == 6000 && found.pixelHeight == 4000, "\(kind)")
            #expect(found.subtypes == .raw)
            #expect(found.captureDate?.source == .exifLocal)
        }
    }

    @Test("Panasonic's RAW")
    func rw2() throws {
        let writer = TIFFWriter(
            magic: Array("IIU\0".utf8),
            directories: [
                [
                    (0x0004, .short(4)), (0x0005, .short(10)), (0x0006, .short(3004)), (0x0007, .short(4010)),
                    (0x0111, .long(0xFFFF_FFFF)), (0x0118, .data),
                ]
            ], data: [1])
        let found = try check(writer.bytes, .rw2)
        #expect(found.pixelWidth == 4000 && found.pixelHeight == 3000)
    }

    @Test("TIFF: chains that loop, and strips outside the file")
    func tiff() throws {
        let writer = TIFFWriter(
            directories: [
                [
                    (0x0100, .short(64)), (0x0101, .short(48)), (0x0111, .data), (0x0117, .dataLength),
                    (0x014A, .directory(0)),
                ]
            ], data: [UInt8](repeating: 7, count: 100))
        let found = try check(writer.bytes, .tiff)
        #expect(found.pixelWidth == 64 && found.pixelHeight == 48)
        #expect(throws: MediaError.self) { try MediaInspection(of: Array("II*\0\u{08}\0\0\0\0\0".utf8)) }
    }

    @Test("Fujifilm's RAW")
    func raf() throws {
        let picture = jpeg(exif: TIFFWriter.exif(image: [(0x010F, .text("FUJIFILM"))]), width: 6000, height: 4000)
        var bytes = Array("FUJIFILMCCD-RAW ".utf8) + [UInt8](repeating: 0x30, count: 68)
        var places = BoxWriter()
        places.add32(108, UInt32(picture.count), 108, 10, UInt32(108 + picture.count), 200)
        bytes += places.bytes + picture + [UInt8](repeating: 9, count: 200)
        let found = try check(bytes, .raf)
        #expect(found.pixelWidth == 6000 && found.cameraMake == "FUJIFILM" && found.subtypes == .raw)
    }

    @Test("Canon's RAW of 2018, made whole again by a hole", .enabled(if: Samples.areThere))
    func cr3() throws {
        let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Samples.path("damaged/canon-r6.cr3"))))
        let directory = try TemporaryDirectory()
        let path = directory.url.appendingPathComponent("whole.cr3").path
        let file = try FileDescriptor.open(path, [.readWrite, .create])
        try original.withUnsafeBytes { try file.writeFully($0, at: 0) }
        try file.truncate(to: 100 << 20)
        let found = try MediaInspector.inspect(file, size: 100 << 20, name: "x")
        #expect(found.kind == .cr3 && found.pixelWidth == 5472 && found.pixelHeight == 3648)
        #expect(found.cameraModel == "Canon EOS R6" && found.lensModel == "EF100mm f/2.8L Macro IS USM")
        #expect(found.captureDate?.offset == -8 * 3600 && found.captureDate?.source == .exifWithOffset)
        let place = try #require(found.location)
        #expect(abs(place.latitude - 37.386505) < 1e-4 && abs(place.longitude + 122.076461) < 1e-4)
        // Its index, changed at random, with the picture data still there.
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var bytes = original
            for _ in 0..<4 {
                bytes[Int.random(in: 0..<33000, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            try bytes.withUnsafeBytes { try file.writeFully($0, at: 0) }
            _ = try kind(of: file, size: 100 << 20, name: "x")
        }
    }

    private static func gif(frames: Int) -> [UInt8] {
        var bytes = Array("GIF89a".utf8) + [64, 0, 48, 0, 0x80, 0, 0, 1, 2, 3, 4, 5, 6]
        for _ in 0..<frames {
            bytes += [0x21, 0xF9, 4, 0, 25, 0, 0, 0]
            bytes += [0x2C, 0, 0, 0, 0, 64, 0, 48, 0, 0, 2, 3, 1, 2, 3, 0]
        }
        return bytes + [0x3B]
    }

    @Test("GIF stills and animations")
    func gif() throws {
        let still = try check(Self.gif(frames: 1), .gif)
        #expect(still.duration == nil && still.subtypes == [] && still.pixelWidth == 64 && still.pixelHeight == 48)
        let animation = try check(Self.gif(frames: 4), .gif)
        #expect(animation.duration == 1000 && animation.subtypes == .animated)
        #expect(throws: MediaError.self) { try MediaInspection(of: Self.gif(frames: 0)) }
    }

    private static func riff(_ form: String, _ chunks: [(String, [UInt8])]) -> [UInt8] {
        var body = Array(form.utf8)
        for (type, bytes) in chunks {
            body +=
                Array(type.utf8) + little(UInt32(bytes.count)) + bytes + [UInt8](repeating: 0, count: bytes.count % 2)
        }
        return Array("RIFF".utf8) + little(UInt32(body.count)) + body
    }

    private static func little(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }

    @Test("WebP: lossy, lossless, extended with EXIF, animated")
    func webp() throws {
        let lossy: [UInt8] = [0, 0, 0, 0x9D, 0x01, 0x2A, 0x40, 1, 0xF0, 0, 9, 9]
        let first = try check(Self.riff("WEBP", [("VP8 ", lossy)]), .webp)
        #expect(first.pixelWidth == 320 && first.pixelHeight == 240)
        let lossless = [0x2F] + Self.little(319 | 239 << 14) + [0]
        let second = try check(Self.riff("WEBP", [("VP8L", lossless)]), .webp)
        #expect(second.pixelWidth == 320 && second.pixelHeight == 240)
        let header: [UInt8] = [0x0A, 0, 0, 0, 0x3F, 1, 0, 0xEF, 0, 0]
        let exif = TIFFWriter.exif(image: [(0x0110, .text("Phone"))])
        let third = try check(Self.riff("WEBP", [("VP8X", header), ("VP8 ", lossy), ("EXIF", exif)]), .webp)
        #expect(third.pixelWidth == 320 && third.cameraModel == "Phone")
        let frame = [UInt8](repeating: 0, count: 12) + [0xF4, 1, 0, 0] + [0, 0]
        let fourth = try check(Self.riff("WEBP", [("VP8X", header), ("ANMF", frame), ("ANMF", frame)]), .webp)
        #expect(fourth.duration == 1000 && fourth.subtypes == .animated)
        #expect(throws: MediaError.self) { try MediaInspection(of: Self.riff("WEBP", [("VP8X", header)])) }
    }

    @Test("AVI with the date of its IDIT chunk")
    func avi() throws {
        var main = [UInt8](repeating: 0, count: 56)
        main.replaceSubrange(32..<40, with: Self.little(640) + Self.little(480))
        var stream = Array("vidsmjpg".utf8) + [UInt8](repeating: 0, count: 48)
        stream.replaceSubrange(20..<28, with: Self.little(1) + Self.little(120))
        stream.replaceSubrange(32..<36, with: Self.little(600))
        func list(_ type: String, _ chunks: [(String, [UInt8])]) -> [UInt8] {
            Array(Self.riff(type, chunks).dropFirst(8))
        }
        let header = list(
            "hdrl",
            [
                ("avih", main), ("LIST", list("strl", [("strh", stream)])),
                ("IDIT", Array("Sat Mar 12 10:15:21 2005\n\0".utf8)),
            ])
        let movie = Self.riff("AVI ", [("LIST", header), ("LIST", list("movi", [("00dc", [1, 2, 3, 4])]))])
        let found = try check(movie, .avi, cutting: 4)
        #expect(found.pixelWidth == 640 && found.duration == 5000 && found.subtypes == .highFrameRate)
        #expect(found.captureDate?.instant == 1_110_622_521_000_000_000 && found.captureDate?.offset == nil)
    }

    @Test("Matroska of unknown size, as live recordings are")
    func matroska() throws {
        func element(_ id: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
            id + [0x40 | UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
        }
        let header = element([0x1A, 0x45, 0xDF, 0xA3], element([0x42, 0x82], Array("webm".utf8)))
        func tracks(_ type: UInt8) -> [UInt8] {
            element(
                [0x16, 0x54, 0xAE, 0x6B],
                element(
                    [0xAE],
                    element([0x83], [type])
                        + element([0xE0], element([0xB0], [0x07, 0x80]) + element([0xBA], [0x04, 0x38]))))
        }
        let unknown: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let cluster = [0x1F, 0x43, 0xB6, 0x75] + unknown + element([0xE7], [0]) + element([0xA3], [1, 2, 3, 4, 5])
        let movie = header + [0x18, 0x53, 0x80, 0x67] + unknown + tracks(1) + cluster + cluster
        let found = try check(movie, .webm)
        #expect(found.pixelWidth == 1920 && found.pixelHeight == 1080)
        let sound = header + [0x18, 0x53, 0x80, 0x67] + unknown + tracks(2) + cluster
        #expect(throws: MediaError.self) { try MediaInspection(of: sound) }
    }

    @Test(
        "PNG: animation, screenshot by its comment",
        arguments: [1, 3])
    func png(_ frames: UInt32) throws {
        func chunk(_ type: String, _ bytes: [UInt8]) -> [UInt8] {
            var writer = BoxWriter()
            writer.add32(UInt32(bytes.count))
            return writer.bytes + Array(type.utf8) + bytes + [0, 0, 0, 0]
        }
        var size = BoxWriter()
        size.add32(1170, 2532)
        var control = BoxWriter()
        control.add32(frames, 0)
        let frame = [UInt8](repeating: 0, count: 20) + [0, 1, 0, 2, 0, 0]
        let comment = TIFFWriter.exif(exif: [(0x9286, .undefined(Array("ASCII\0\0\0Screenshot".utf8)))])
        let bytes =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", size.bytes + [8, 6, 0, 0, 0])
            + chunk("acTL", control.bytes) + (0..<frames).flatMap { _ in chunk("fcTL", frame) }
            + chunk("eXIf", comment) + chunk("IDAT", [1, 2, 3]) + chunk("IEND", [])
        let found = try check(bytes, .png)
        #expect(found.pixelWidth == 1170 && found.pixelHeight == 2532)
        #expect(found.subtypes == (frames > 1 ? [.screenshot, .animated] : .screenshot))
        #expect(found.duration == (frames > 1 ? 1500 : nil))
    }
}
