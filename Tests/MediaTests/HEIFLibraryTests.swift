import Foundation
import Platform
import Testing

@testable import Media

@Suite("Exif items by libheif")
struct HEIFLibraryTests {
    /// What libheif finds in a file, and how much of it it read; nil where the file is not given to it.
    private static func find(_ reader: ByteReader) throws -> (block: [UInt8]?, own: [UInt8]?, read: Int64)? {
        var boxes = BoxSequence(reader, from: 0, to: reader.size)
        guard let meta = try boxes.first("meta") else { throw MediaError.rejected(reason: "no list") }
        let structure = try HEIFStructure.read(reader, meta)
        let own = try structure.ownExif(reader)
        guard let scope = try structure.libraryScope(reader) else { return nil }
        let source = HEIFLibrary.Source(reader, scope)
        let item = try HEIFLibrary.exifItem(source)
        return (item.flatMap(HEIFStructure.block(ofItem:)), own, source.structureBytes + source.itemBytes)
    }

    private static let exif = TIFFWriter.exif(
        image: [(0x0110, .text("Phone"))], exif: [(0x9003, .text("2024:05:17 23:30:00"))])
    private static let item = [0, 0, 0, 0] + exif

    static let pictures = [
        "motion/sample_MP.heic", "motion/sample_still_photo.heic", "heic/samplefilehub.heif", "heic/IMG_5195.HEIC",
        "heic/iphone_13_pro_max.HEIC", "heic/HMD_Nokia_8.3_5G.heif", "heic/HMD_Nokia_8.3_5G_hdr.heif",
        "photos/exif-one-entry.heic", "photos/exif.avif",
    ]

    @Test("It finds what is there, and reads no pictures", .enabled(if: Samples.areThere), arguments: pictures)
    func samples(_ name: String) throws {
        let file = try FileDescriptor.open(Samples.path(name), .readOnly)
        let size = try file.status().size
        let found = try #require(try Self.find(ByteReader(file, size: size)))
        print("\(name): \(found.read) of \(size) bytes read")
        #expect(found.block != nil)
        #expect(found.block == found.own)
        #expect(found.read < 16384)
    }

    @Test("A gibibyte of picture data behind the metadata is not read")
    func sparse() throws {
        let directory = try TemporaryDirectory()
        let item = Self.item
        var bytes = BoxWriter.heif(items: [("Exif", true, 100..<100 + item.count)], data: item)
        // The last box goes on to the end of the file, and so does the picture, nearly.
        let place = bytes.count - item.count - 108
        bytes.replaceSubrange(place..<place + 4, with: [0, 0, 0, 0])
        let picture = try #require(bytes.firstRange(of: Array("iloc".utf8))).upperBound + 18
        bytes.replaceSubrange(picture..<picture + 4, with: [0x3F, 0xFF, 0xF0, 0])
        let path = directory.url.appendingPathComponent("large.heic").path
        let file = try FileDescriptor.open(path, [.readWrite, .create])
        try bytes.withUnsafeBytes { try file.writeFully($0, at: 0) }
        try file.truncate(to: 1 << 30)
        let found = try #require(try Self.find(ByteReader(file, size: 1 << 30)))
        #expect(found.block == Self.exif)
        #expect(found.read < 4096)
        let inspection = try MediaInspector.inspect(file, size: 1 << 30, name: "large.heic")
        #expect(inspection.cameraModel == "Phone")
    }

    @Test("An item that describes nothing is found all the same")
    func notReferred() throws {
        let bytes = BoxWriter.heif(items: [("Exif", false, 100..<100 + Self.item.count)], data: Self.item)
        let found = try #require(try Self.find(ByteReader(bytes)))
        #expect(found.block == nil && found.own == Self.exif)
        #expect(try MediaInspection(of: bytes).cameraModel == "Phone")
    }

    /// The first of two Exif items describes nothing.
    @Test("libheif comes first")
    func libraryFirst() throws {
        let other = [0, 0, 0, 0] + TIFFWriter.exif(image: [(0x0110, .text("Other"))])
        let end = 100 + Self.item.count
        let bytes = BoxWriter.heif(
            items: [("Exif", false, end..<end + other.count), ("Exif", true, 100..<end)], data: Self.item + other)
        let found = try #require(try Self.find(ByteReader(bytes)))
        #expect(found.block == Self.exif && found.own == Array(other[4...]))
        #expect(try MediaInspection(of: bytes).cameraModel == "Phone")
    }

    @Test("A file that would cost much is not given to it, and read all the same")
    func costly() throws {
        let long = Self.item + [UInt8](repeating: 0, count: 1 << 21)
        let all = 100..<100 + long.count
        let exif: (type: String, describes: Bool, range: Range<Int>) = ("Exif", true, 100..<100 + Self.item.count)
        let files = [
            // A long item.
            BoxWriter.heif(items: [("Exif", true, all)], data: long),
            // Many items.
            BoxWriter.heif(items: Array(repeating: exif, count: 17), data: Self.item),
            // A long list.
            BoxWriter.heif(items: [exif], data: Self.item, filler: 130 << 10),
        ]
        for bytes in files {
            #expect(try Self.find(ByteReader(bytes)) == nil)
            #expect(try MediaInspection(of: bytes).cameraModel == "Phone")
        }
        // A second table of places, which might be the one that libheif looks at.
        let bytes = BoxWriter.heif(items: [exif], data: Self.item, extraTable: true)
        #expect(try Self.find(ByteReader(bytes)) == nil)
        // A box in front of the list that libheif would read.
        var odd = BoxWriter()
        odd.box("iinf") { $0.bytes += [0, 0, 0, 0, 0xFF, 0xFF] }
        let plain = BoxWriter.heif(items: [exif], data: Self.item)
        #expect(try Self.find(ByteReader(Array(plain[..<24]) + odd.bytes + plain[24...])) == nil)
    }

    @Test("Sixteen items of one mebibyte each stop at the limit")
    func totalLimit() throws {
        let long = Self.item + [UInt8](repeating: 0, count: (1 << 20) - Self.item.count)
        let items = Array(
            repeating: (type: "Exif", describes: true, range: 100..<100 + long.count), count: 16)
        let found = try #require(try Self.find(ByteReader(BoxWriter.heif(items: items, data: long))))
        #expect(found.block == nil && found.own?.starts(with: Self.exif) == true)
        #expect(found.read < 3 << 20)
    }

    @Test("Threads do not disturb each other")
    func threads() throws {
        let bytes = BoxWriter.heif(items: [("Exif", true, 100..<100 + Self.item.count)], data: Self.item)
        let good = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<50 where (try? Self.find(ByteReader(bytes)))??.block == Self.exif {
                good.withLock { $0 += 1 }
            }
        }
        #expect(good.withLock { $0 } == 400)
    }

    /// A crash ends the test run, so that getting through is the expectation.
    @Test("Lists of items that are not what they should be", .enabled(if: Samples.areThere), arguments: pictures)
    func mutation(_ name: String) throws {
        let file = try FileDescriptor.open(Samples.path(name), .readOnly)
        let size = try file.status().size
        let head = ByteReader(file, size: size)
        var boxes = BoxSequence(head, from: 0, to: size)
        guard let meta = try boxes.first("meta") else { throw MediaError.rejected(reason: "no list") }
        let list = try file.readBytes(Int(meta.end - meta.start), at: meta.start)
        let directory = try TemporaryDirectory()
        let copy = try FileDescriptor.open(directory.url.appendingPathComponent("a").path, [.readWrite, .create])
        try copy.copyContents(of: file)
        var generator = SeededGenerator(seed: HostileInputTests.seed)
        let types = [
            "hvc1", "grid", "iovl", "iden", "Exif", "mime", "thmb", "auxl", "cdsc", "dimg", "clap", "auxC", "idat",
        ]
        var outcomes = (refused: 0, notGiven: 0, nothing: 0, found: 0)
        for _ in 0..<HostileInputTests.rounds {
            var bytes = list
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 8..<bytes.count - 4, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: bytes[place] = [0x00, 0x01, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
                case 2: bytes[place] &+= 1
                default:
                    let letters = bytes.indices.dropLast(4).filter { index in
                        bytes[index..<index + 4].allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
                    }
                    if let place = letters.randomElement(using: &generator) {
                        let type = types.randomElement(using: &generator) ?? "Exif"
                        bytes.replaceSubrange(place..<place + 4, with: Array(type.utf8))
                    }
                }
            }
            try bytes.withUnsafeBytes { try copy.writeFully($0, at: meta.start) }
            do {
                if let found = try Self.find(ByteReader(copy, size: size)) {
                    if found.block == nil { outcomes.nothing += 1 } else { outcomes.found += 1 }
                    #expect(found.read < 3 << 20)
                } else {
                    outcomes.notGiven += 1
                }
            } catch MediaError.rejected {
                outcomes.refused += 1
            }
        }
        print("\(name): \(outcomes)")
        #expect(outcomes.found > 0)
    }
}
