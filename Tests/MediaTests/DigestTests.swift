import Foundation
import Platform
import Testing

@testable import Media

@Suite("Digests")
struct DigestTests {
    @Test("SHA-256 of the standard's examples")
    func knownAnswers() {
        func digest(_ text: String) -> String {
            var digest = SHA256Digest()
            // In two pieces, which must not matter.
            let bytes = Array(text.utf8)
            bytes[..<(bytes.count / 2)].withUnsafeBytes { digest.update($0) }
            bytes[(bytes.count / 2)...].withUnsafeBytes { digest.update($0) }
            return digest.finalize().map { String(format: "%02x", $0) }.joined()
        }
        #expect(digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    /// Data and holes in turn: offsets of one byte runs, and the file's length.
    @Test(
        "SHA-256 of files with holes, against sha256sum", .enabled(if: Command.isThere("sha256sum")),
        arguments: [
            ([], 0), ([], 1), ([], 3 << 20), ([0], 1), ([0], 5 << 20), ([5 << 20], 5 << 20 + 1),
            ([1 << 20, 3 << 20], 4 << 20 + 77), ([0, 100_000, 2_000_000], 2_000_001), ([4096], 65536),
        ] as [([Int64], Int64)])
    func holes(_ data: [Int64], _ size: Int64) throws {
        let directory = try TemporaryDirectory()
        let path = directory.url.appendingPathComponent("sparse").path
        let file = try FileDescriptor.open(path, [.readWrite, .create])
        try file.truncate(to: size)
        for offset in data {
            try [UInt8(0xA5)].withUnsafeBytes { try file.writeFully($0, at: offset) }
        }
        let actualSize = try file.status().size
        let expected = String(decoding: try Command.run("sha256sum", [path]).prefix(64), as: UTF8.self)
        let digest = try SHA256Digest.of(file, size: actualSize)
        #expect(digest.map { String(format: "%02x", $0) }.joined() == expected)
    }

    @Test("A file that is shorter than said is an error, not a digest")
    func shorter() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.file([1, 2, 3])
        #expect(throws: Errno.self) { try SHA256Digest.of(file, size: 4) }
    }

    @Test(
        "A metadata edit keeps the essence, another picture does not",
        .enabled(if: Samples.areThere && Command.isThere("exiftool")),
        arguments: [
            ("photos/canon-ixus.jpg", "photos/DSCN0010.jpg"), ("photos/exif.png", nil),
            ("heic/IMG_5195.HEIC", "heic/samplefilehub.heif"), ("heic/iphone_13_pro_max.HEIC", nil),
            ("video/meta.mov", "video/dolbyVision-hdr.MOV"), ("video/meta.mp4", "video/sample.mp4"),
            ("awkward/32-lens_data.jpeg", nil),
        ] as [(String, String?)])
    func essence(_ name: String, _ other: String?) throws {
        let directory = try TemporaryDirectory()
        let copy = directory.url.appendingPathComponent(URL(fileURLWithPath: name).lastPathComponent).path
        try FileManager.default.copyItem(atPath: Samples.path(name), toPath: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy)
        func digest(_ path: String) throws -> (essence: [UInt8], whole: [UInt8]) {
            let file = try FileDescriptor.open(path, .readOnly)
            let size = try file.status().size
            let kind = try MediaInspector.inspect(file, size: size, name: path).kind
            return (
                try MediaInspector.essenceDigest(file, size: size, kind: kind),
                try SHA256Digest.of(file, size: size)
            )
        }
        let before = try digest(copy)
        try Command.run(
            "exiftool",
            [
                "-m", "-overwrite_original", "-DateTimeOriginal=2001:02:03 04:05:06", "-CreateDate=2001:02:03 04:05:06",
                "-XMP:Description=A much longer description than there was before", "-Artist=Somebody", copy,
            ])
        let after = try digest(copy)
        #expect(before.whole != after.whole, "exiftool changed nothing")
        #expect(before.essence == after.essence)
        #expect(before.essence != before.whole)
        if let other { #expect(try digest(Samples.path(other)).essence != before.essence) }
    }
}
