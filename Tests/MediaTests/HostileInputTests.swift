import Foundation
import Platform
import Testing

@testable import Media

/// A generator whose runs can be repeated (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// Truncated and mutated files end in an inspection or in a refusal: no trap, no long wait. A crash ends the test run, so
/// that getting through is the expectation; seeds are printed, and `MEDIA_FUZZ_SEED` repeats a run.
@Suite("Hostile input", .enabled(if: Samples.areThere, "needs the sample files"))
struct HostileInputTests {
    static let seeds = [
        "photos/canon-ixus.jpg", "photos/DSCN0010.jpg", "photos/iphone_hdr_YES.jpg", "awkward/32-lens_data.jpeg",
        "awkward/endless_loop.jpg", "motion/ss-motion-photo-shortened.jpg",
        "motion/pixel-motion-photo-jfif-segment-shortened.jpg", "motion/sample_MP.heic", "heic/samplefilehub.heif",
        "photos/exif-one-entry.heic", "photos/exif.avif", "heic/IMG_5195.HEIC", "damaged/canon-r6.cr3",
        "photos/exif.png", "photos/exif-legacy.png", "tiff/Tless0.tiff", "video/sample.mp4", "video/meta.mov",
        "video/sample_fragmented.mp4", "video/dolbyVision-hdr.MOV", "video/bbb_176x144_128kbps_15fps_h263.3gp",
        "video/sample_android_slow_motion.mp4", "video/sample.avi", "video/sample.mkv",
        "video/bbb_642x642_768kbps_30fps_vp9.webm", "damaged/oom_large_box.heic", "damaged/sony-a7-xavc.MP4",
    ]

    static let seed: UInt64 =
        ProcessInfo.processInfo.environment["MEDIA_FUZZ_SEED"].flatMap { UInt64($0) } ?? 0x1CAFE

    static let rounds = ProcessInfo.processInfo.environment["MEDIA_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 400

    /// Kinds whose picture data has no structure of its own end with a trailer or say their length.
    @Test("A file cut anywhere is refused or still whole", arguments: seeds)
    func truncation(_ name: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Samples.path(name))))
        let directory = try TemporaryDirectory()
        let path = directory.url.appendingPathComponent("cut").path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let file = try FileDescriptor.open(path, .readWrite)
        var lengths = Set((0..<64).map { bytes.count * $0 / 64 })
        lengths.formUnion(0..<min(bytes.count, 200))
        lengths.formUnion((1..<40).map { max(0, bytes.count - $0) })
        var accepted: [Int] = []
        // From long to short, since cutting cannot be undone.
        for length in lengths.sorted(by: >) {
            try file.truncate(to: Int64(length))
            if try kind(of: file, size: length, name: name) != nil { accepted.append(length) }
        }
        // Only bytes behind the end may be missing: less than a quarter of any file here, but for motion photos, whose
        // still is whole without the movie.
        if !name.hasPrefix("motion/"), let shortest = accepted.min() {
            #expect(shortest * 4 >= bytes.count * 3, "accepted when cut to \(shortest) of \(bytes.count) bytes")
        }
    }

    @Test("Random bit flips, overwritten numbers, insertions and deletions", arguments: seeds)
    func mutation(_ name: String) throws {
        let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Samples.path(name))))
        var generator = SeededGenerator(
            seed: Self.seed ^ UInt64(name.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 0xFFFFFF))
        let directory = try TemporaryDirectory()
        let path = directory.url.appendingPathComponent("mutant").path
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileDescriptor.open(path, .readWrite)
        var outcomes = (accepted: 0, refused: 0)
        var slowest = 0.0
        for round in 0..<Self.rounds {
            var bytes = original
            if bytes.count > 60000 {
                // Both ends hold the structure; the middle is pixels.
                bytes = Array(original.prefix(30000) + original.suffix(30000))
                if round % 4 == 0 { bytes = original }
            }
            Self.mutate(&bytes, &generator)
            try file.truncate(to: 0)
            try bytes.withUnsafeBytes { try file.writeFully($0, at: 0) }
            let start = Date()
            let found = try kind(of: file, size: bytes.count, name: name)
            if found == nil { outcomes.refused += 1 } else { outcomes.accepted += 1 }
            slowest = max(slowest, Date().timeIntervalSince(start))
            if round % 8 == 0 {
                let digest = try MediaInspector.essenceDigest(file, size: Int64(bytes.count), kind: found ?? .heic)
                #expect(digest.count == 32)
            }
        }
        print(
            "\(name): seed \(Self.seed), \(outcomes.accepted) accepted, \(outcomes.refused) refused, slowest \(Int(slowest * 1000)) ms"
        )
        #expect(outcomes.accepted + outcomes.refused == Self.rounds)
        // Generous, since builds and other tests may run at the same time.
        #expect(slowest < 60)
    }

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            // Half of the changes hit the beginning, where headers are.
            let near = Bool.random(using: &generator)
            let position = Int.random(in: 0..<(near ? min(bytes.count, 2000) : bytes.count), using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes[position] = UInt8.random(in: 0...255, using: &generator)
            case 2:
                let values: [UInt8] = [0x00, 0x01, 0x7F, 0x80, 0xFF]
                let value = values[Int.random(in: 0..<values.count, using: &generator)]
                for index in position..<min(position + [1, 2, 4, 8].randomElement(using: &generator)!, bytes.count) {
                    bytes[index] = value
                }
            case 3:
                let count = Int.random(in: 1...16, using: &generator)
                bytes.insert(
                    contentsOf: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }, at: position)
            default:
                bytes.removeSubrange(position..<min(position + Int.random(in: 1...16, using: &generator), bytes.count))
                if bytes.isEmpty { return }
            }
        }
    }
}

@Suite("Files that are no photo or video")
struct ForeignFileTests {
    @Test(
        "They are refused, and the reason names what they are",
        arguments: [
            ([], "empty"),
            (Array("%PDF-1.7\n".utf8), "PDF"),
            ([0x50, 0x4B, 0x03, 0x04, 20, 0], "ZIP"),
            (Array("<!DOCTYPE html><html><body>404 Not Found".utf8), "web page"),
            (Array("\n <html>".utf8), "web page"),
            (Array("{\"error\": \"not found\"}".utf8), "JSON"),
            (Array("Dear diary,\nto-day".utf8), "text"),
            ([UInt8](repeating: 0, count: 4096), "zeros"),
            (Array("ID3\u{03}".utf8), "sound"),
            ([0xFF, 0xD8], "not that of any photo"),
            ([0xFF, 0xD8, 0xFF], "not complete"),
            ([0xFF, 0xD8, 0xFF, 0xD9], "no picture"),
            ([0, 0, 0, 8] + Array("moov".utf8), "no movie"),
            ([0, 0, 0, 0] + Array("mdat".utf8), "no index"),
        ] as [([UInt8], String)])
    func refused(_ bytes: [UInt8], _ word: String) throws {
        #expect {
            try MediaInspection(of: bytes, name: "IMG_0001.JPG")
        } throws: { error in
            guard case .rejected(let reason) = error as? MediaError else { return false }
            return reason.contains(word)
        }
    }

    @Test(
        "Random bytes behind each signature",
        arguments: [
            [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], Array("GIF89a".utf8),
            Array("RIFF....WEBP".utf8), Array("RIFF....AVI ".utf8), Array("II*\0".utf8), Array("MM\0*".utf8),
            Array("IIRO".utf8), Array("IIU\0".utf8), Array("FUJIFILMCCD-RAW".utf8), [0x1A, 0x45, 0xDF, 0xA3],
            Array("\0\0\0\u{14}ftypheic".utf8), Array("\0\0\0\u{14}ftypqt  ".utf8), Array("\0\0\0\u{14}ftypcrx ".utf8),
        ] as [[UInt8]])
    func garbage(_ signature: [UInt8]) throws {
        var generator = SeededGenerator(seed: 42)
        let directory = try TemporaryDirectory()
        var refused = 0
        for round in 0..<100 {
            let tail = (0..<500).map { _ in UInt8.random(in: 0...(round % 2 == 0 ? 255 : 7), using: &generator) }
            let file = try directory.file(signature + tail)
            if try kind(of: file, size: signature.count + tail.count, name: "x") == nil { refused += 1 }
        }
        #expect(refused == 100)
    }
}
