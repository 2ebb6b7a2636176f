import Foundation
import Glibc
import Platform

/// Photos and videos that tests make themselves, with ffmpeg and exiftool.
public enum Generated {
    /// A small JPEG that no other call returns: bytes behind the end of the picture tell it apart.
    public static func jpeg() -> [UInt8] {
        jpeg(
            number: counter.withLock { number in
                number += 1
                return number
            })
    }

    /// A small JPEG; the same for the same number, in this run and in every other.
    public static func jpeg(number: UInt64) -> [UInt8] {
        plainJPEG + "variant".utf8 + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// A JPEG of about `size` bytes that is whole only with its last byte, and that no other call returns.
    public static func jpeg(size: Int) -> [UInt8] {
        // Comment segments behind the two bytes that begin a JPEG.
        var comments: [UInt8] = []
        while comments.count < size {
            let count = min(60_000, max(8, size - comments.count))
            let noise = counter.withLock { number in
                number += 1
                return number
            }
            comments += [0xFF, 0xFE, UInt8((count + 2) >> 8), UInt8((count + 2) & 0xFF)]
            comments += withUnsafeBytes(of: noise.bigEndian) { Array($0) } + [UInt8](repeating: 0x20, count: count - 8)
        }
        return plainJPEG.prefix(2) + comments + plainJPEG.dropFirst(2)
    }

    /// A small whole movie, `mp4`, `mov` or `mkv`, that no other call returns.
    public static func movie(_ kind: String = "mp4") throws -> [UInt8] {
        let number = counter.withLock { number in
            number += 1
            return number
        }
        let movie = try movies.withLock { cache in
            if let known = cache[kind] { return Result<[UInt8], any Error>.success(known) }
            let made = Result { try makeMovie(kind) }
            if case .success(let bytes) = made { cache[kind] = bytes }
            return made
        }.get()
        // A free box of its own behind the movie.
        let mark = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        return movie + [0, 0, 0, 16] + "free".utf8 + mark
    }

    /// Makes a JPEG file with capture data.
    ///
    /// - Parameters:
    ///   - date: as EXIF writes it, `2024:05:17 10:00:00`.
    ///   - offset: `+02:00`; nil for a camera that knows no zone.
    ///   - scene: pictures of one scene have the same pixels, those of another have others.
    ///   - more: further arguments for exiftool.
    @discardableResult
    public static func photo(
        at path: String, date: String?, offset: String? = nil, make: String = "Example", model: String = "One",
        scene: Int = 0, more: [String] = []
    ) throws -> [UInt8] {
        let picture = scene == 0 ? jpeg() : try makePicture(scene: scene)
        try Files.write(picture, to: path)
        var arguments = ["-q", "-overwrite_original", "-Make=\(make)", "-Model=\(model)"]
        if let date { arguments += ["-DateTimeOriginal=\(date)"] }
        if let offset { arguments += ["-OffsetTimeOriginal=\(offset)"] }
        let outcome = try run("exiftool", arguments: arguments + more + [path])
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
        return try Files.read(path)
    }

    /// Makes a whole movie of `size` bytes that takes hardly any space: most of it is a hole in a box that players
    /// pass over. A few bytes of it differ from seed to seed.
    public static func bigMovie(at path: String, size: Int, seed: UInt64) throws {
        let small = try movie("mp4")
        try Files.write(small, to: path)
        let file = try Posix.open(path, O_WRONLY)
        defer { try? Posix.close(file) }
        let length = UInt64(size - small.count)
        let header = [0, 0, 0, 1] + Array("free".utf8) + withUnsafeBytes(of: length.bigEndian) { Array($0) }
        _ = try Posix.pwrite(file, header, at: small.count)
        try Posix.truncate(file, to: size)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<16 {
            let noise = (0..<8192).map { _ in UInt64.random(in: 0...UInt64.max, using: &random) }
            let place = Int.random(in: small.count + 16..<size - 65536, using: &random)
            _ = try Posix.pwrite(file, noise.flatMap { withUnsafeBytes(of: $0) { Array($0) } }, at: place)
        }
    }

    /// The SHA-256 of a file, in hexadecimal, by openssl.
    public static func sha256(_ path: String) throws -> String {
        let outcome = try require("openssl", "dgst", "-sha256", "-r", path, timeout: 120)
        return String(outcome.stdout.prefix { $0 != " " })
    }

    private static let counter = Lock(UInt64(getpid()) << 32)
    private static let movies = Lock([String: [UInt8]]())

    private static let plainJPEG: [UInt8] = {
        // Without ffmpeg every test that needs a picture fails, and says what is wrong with it.
        (try? makePicture(scene: 0)) ?? Array("ffmpeg made no picture".utf8)
    }()

    private static func makePicture(scene: Int) throws -> [UInt8] {
        try withTemporaryPlace { place in
            let path = place("plain.jpg")
            // The test source counts the seconds in its picture.
            let source = ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=1", "-ss", "\(scene)"]
            let outcome = try run("ffmpeg", arguments: source + ["-frames:v", "1", path])
            guard outcome.succeeded else { throw HarnessError(outcome.description) }
            return try Files.read(path)
        }
    }

    private static func makeMovie(_ kind: String) throws -> [UInt8] {
        try withTemporaryPlace { place in
            let path = place("movie.\(kind)")
            let outcome = try run(
                "ffmpeg",
                arguments: [
                    "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1", "-pix_fmt", "yuv420p",
                    path,
                ])
            guard outcome.succeeded else { throw HarnessError(outcome.description) }
            return try Files.read(path)
        }
    }
}

/// A generator whose numbers follow from its seed (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    public init(seed: UInt64) { state = seed }
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
