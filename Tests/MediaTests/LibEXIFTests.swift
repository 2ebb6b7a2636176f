import CExif
import Foundation
import Platform
import Testing

@testable import Media

/// EXIF blocks of JPEG files are read by libexif, and by the TIFF reader where it gives nothing.
@Suite("EXIF of JPEG files by libexif")
struct LibEXIFTests {
    private static let date: (tag: UInt16, value: TIFFWriter.Value) = (0x9003, .text("2024:05:17 23:30:00"))
    private static let block = TIFFWriter.exif(
        image: [(0x010F, .text("Maker")), (0x0110, .text("Model"))], exif: [date],
        gps: [(2, .fractions([(48, 1), (51, 1), (0, 1)])), (4, .fractions([(2, 1), (17, 1), (42, 1)]))])

    private static func block(of name: String) throws -> [UInt8]? {
        let file = try FileDescriptor.open(Samples.path(name), .readOnly)
        return try JPEGStructure.read(ByteReader(file, size: try file.status().size)).exif
    }

    static let pictures = Samples.accepted.filter { $0.lowercased().hasSuffix(".jpg") || $0.hasSuffix(".jpeg") }

    /// Apart from what libexif reads although it is malformed, and the TIFF reader does not.
    @Test(
        "libexif and the TIFF reader find the same", .enabled(if: Samples.areThere),
        arguments: pictures.filter { $0 != "awkward/30-type_error.jpg" })
    func agree(_ name: String) throws {
        guard let block = try Self.block(of: name) else { return }
        #expect(try EXIFMetadata.read(jpegBlock: block) == EXIFMetadata.read(block))
    }

    @Test("No maker note reaches libexif's parsers", .enabled(if: Samples.areThere), arguments: pictures)
    func makerNotes(_ name: String) throws {
        guard let block = try Self.block(of: name) else { return }
        let tags = try JPEGEXIFTags(block: block)
        #expect(exif_data_get_mnote_data(tags.data) == nil)
    }

    @Test("Left alone, they would", .enabled(if: Samples.areThere))
    func parsersAreThere() throws {
        let block = Array("Exif\0\0".utf8) + (try #require(try Self.block(of: "photos/canon-ixus.jpg")))
        let data = try #require(cexif_load(block, UInt32(block.count), JPEGEXIFTags.memoryLimit))
        defer { exif_data_unref(data) }
        #expect(exif_data_get_mnote_data(data) != nil)
    }

    /// libexif follows a pointer whatever its type says; the TIFF reader does not.
    @Test("libexif comes first")
    func libraryFirst() throws {
        var block = Self.block
        let pointer = try #require(block.firstRange(of: [0x87, 0x69, 0, 4])).lowerBound
        block[pointer + 3] = 9
        #expect(try EXIFMetadata.read(block).captureDate == nil)
        #expect(try EXIFMetadata.read(jpegBlock: block).captureDate?.source == .exifLocal)
    }

    @Test("The TIFF reader serves where libexif gives nothing")
    func fallback() throws {
        // libexif insists on the magic number.
        var block = Self.block
        block[3] = 0x2B
        let tags = try JPEGEXIFTags(block: block)
        #expect(tags.data?.pointee.ifd.0?.pointee.count == 0)
        let found = try EXIFMetadata(tags)
        #expect(found.make == "Maker" && found.captureDate != nil && found.location != nil)
        // More than a segment holds.
        let long = Self.block + [UInt8](repeating: 0, count: 70000)
        #expect(try JPEGEXIFTags(block: long).data == nil)
        #expect(try EXIFMetadata.read(jpegBlock: long) == found)
    }

    @Test("Whatever memory libexif may take, the result is the same", arguments: [0, 1, 7])
    func littleMemory(_ start: Int) throws {
        let expected = try EXIFMetadata.read(Self.block)
        var empty = 0
        for limit in stride(from: start, to: 6000, by: 11) {
            let tags = try JPEGEXIFTags(block: Self.block, memoryLimit: limit)
            if tags.data == nil { empty += 1 }
            #expect(try EXIFMetadata(tags) == expected)
        }
        // The limit is felt, and far enough below it nothing begins.
        #expect((1..<540).contains(empty))
    }

    /// Each of 2000 tags names the same 60000 bytes.
    @Test("A small block does not take much memory")
    func amplification() throws {
        var directory: [(tag: UInt16, value: TIFFWriter.Value)] = [Self.date]
        for tag in 0..<2000 { directory.append((UInt16(0xA500 + tag), .long(100))) }
        var block = TIFFWriter.exif(image: [(0x010F, .text("Maker"))], exif: directory)
        block += [UInt8](repeating: 0x20, count: 65000 - block.count)
        for place in block.indices.dropLast(12)
        where block[place] >= 0xA5 && Array(block[place + 2..<place + 8]) == [0, 4, 0, 0, 0, 1] {
            block.replaceSubrange(place + 2..<place + 8, with: [0, 7, 0, 0, 0xEA, 0x60])
        }
        let before = mallinfo2().uordblks
        let tags = try JPEGEXIFTags(block: block)
        let taken = Int(mallinfo2().uordblks) - Int(before)
        #expect(tags.data?.pointee.ifd.2?.pointee.count ?? 0 > 5)
        // Other tests take memory at the same time; without a limit it would be 120 MB.
        #expect(taken < 80 << 20)
        #expect(try tags.text(.dateTimeOriginal) == "2024:05:17 23:30:00")
    }

    @Test("Memory is given back", .disabled(if: Sanitizer.isAddress, "the sanitizer looks for leaks itself"))
    func leaks() throws {
        func resident() throws -> Int {
            let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            return try #require(Int(text.split(separator: " ")[1])) * 4096
        }
        func load(_ count: Int) throws {
            for index in 0..<count {
                // Every third load ends early.
                _ = try EXIFMetadata(JPEGEXIFTags(block: Self.block, memoryLimit: index % 3 == 0 ? 2000 : 1 << 20))
            }
        }
        try load(500)
        let before = try resident()
        try load(80_000)
        // Each load takes some 4 KB, together 320 MB. Other tests take memory at the same time.
        #expect(try resident() - before < 200 << 20)
    }

    @Test("Threads do not disturb each other")
    func threads() throws {
        let expected = try EXIFMetadata.read(Self.block)
        let differing = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<200 {
                let limit = (thread + round) % 2 == 0 ? 1500 : 1 << 20
                let found = try? EXIFMetadata(JPEGEXIFTags(block: Self.block, memoryLimit: limit))
                if found != expected { differing.withLock { $0 += 1 } }
            }
        }
        #expect(differing.withLock { $0 } == 0)
    }
}
