import Foundation
import Platform
import Testing

@testable import Media

@Suite("Large files")
struct LargeFileTests {
    private static func movie(_ directory: TemporaryDirectory, mediaSize: Int64, index: [UInt8]) throws
        -> FileDescriptor
    {
        let file = try FileDescriptor.open(
            directory.url.appendingPathComponent("large.mov").path, [.readWrite, .create])
        var head = BoxWriter()
        head.box("ftyp") {
            $0.bytes += Array("qt  ".utf8)
            $0.add32(0)
            $0.bytes += Array("qt  ".utf8)
        }
        head.add32(1)
        head.bytes += Array("mdat".utf8)
        head.add64(UInt64(mediaSize + 16))
        try head.bytes.withUnsafeBytes { try file.writeFully($0, at: 0) }
        try index.withUnsafeBytes { try file.writeFully($0, at: 20 + 16 + mediaSize) }
        return file
    }

    @Test("A movie of 6 GiB is inspected in milliseconds, by a few reads")
    func sixGibibytes() throws {
        let directory = try TemporaryDirectory()
        let mediaSize: Int64 = 6 << 30
        let index = BoxWriter.index(
            offsets: (0..<300).map { UInt64(36 + $0 * 20_000_000) }, sampleSize: 1_000_000, created: 3_800_000_000)
        let file = try Self.movie(directory, mediaSize: mediaSize, index: index)
        let size = try file.status().size
        let before = try Self.bytesRead()
        let start = Date()
        let found = try MediaInspector.inspect(file, size: size, name: "large.mov")
        let time = Date().timeIntervalSince(start)
        let read = try Self.bytesRead() - before
        print("6 GiB movie: \(Int(time * 1e6)) µs, \(read) bytes read")
        #expect(time < 60)
        // Other tests read at the same time; the bound is loose, but far below the file's size.
        #expect(read < 256 << 20)
        #expect(found.kind == .quickTime)
        #expect(found.pixelWidth == 1920 && found.pixelHeight == 1080 && found.orientation == 6)
        #expect(found.duration == 5000)
        #expect(found.captureDate == CaptureDate(instant: 1_717_155_200_000_000_000, offset: 0, source: .movieHeader))
    }

    @Test("A chunk that goes on after the end of the file shows a cut movie")
    func chunkOutside() throws {
        let directory = try TemporaryDirectory()
        for offset in [1_000_000, UInt64.max, UInt64(Int64.max) - 3] {
            let file = try Self.movie(
                directory, mediaSize: 500_000, index: BoxWriter.index(offsets: [36, offset], sampleSize: 1000))
            let size = try file.status().size
            #expect(throws: MediaError.self) { try MediaInspector.inspect(file, size: size, name: "a.mov") }
        }
    }

    /// 24 MB of tables that are holes: all samples are empty and at the file's beginning, as the zeros say.
    @Test("Tables of two million entries are read through small windows")
    func longTables() throws {
        let count: UInt32 = 10_000_000
        let tables = Int64(count) * 12
        var index = BoxWriter.index(offsets: [], sampleSize: 0)
        // The boxes around the tables grow by the tables' size, `co64` is the last of them.
        func grow(_ type: String, by size: Int64) throws {
            let place = try #require(index.firstRange(of: Array(type.utf8))).lowerBound - 4
            let old = index[place..<place + 4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            for byte in 0..<4 { index[place + byte] = UInt8(truncatingIfNeeded: (old + size) >> Int64(24 - byte * 8)) }
        }
        for type in ["moov", "trak", "mdia", "minf", "stbl"] { try grow(type, by: tables) }
        try grow("stsz", by: Int64(count) * 4)
        try grow("co64", by: Int64(count) * 8)
        var number = BoxWriter()
        number.add32(count)
        let sizes = try #require(index.firstRange(of: Array("stsz".utf8))).upperBound
        let offsets = try #require(index.firstRange(of: Array("co64".utf8))).upperBound
        index.replaceSubrange(sizes + 8..<sizes + 12, with: number.bytes)
        index.replaceSubrange(offsets + 4..<offsets + 8, with: number.bytes)

        let directory = try TemporaryDirectory()
        let file = try Self.movie(directory, mediaSize: 100, index: Array(index[..<(offsets - 8)]))
        let tail = Array(index[(offsets - 8)...])
        let end = try file.status().size + Int64(count) * 4
        try tail.withUnsafeBytes { try file.writeFully($0, at: end) }
        let size = end + Int64(tail.count) + Int64(count) * 8
        try file.truncate(to: size)
        let before = try Self.peakMemory()
        let found = try MediaInspector.inspect(file, size: size, name: "a.mov")
        // Other tests run at the same time and take memory of their own; the tables alone would be 120 MB.
        if !Sanitizer.isAddress { #expect(try Self.peakMemory() - before < 70 << 20) }
        #expect(found.pixelWidth == 1920)
    }

    @Test("Tables that say they are longer than the file allocate nothing")
    func falseTables() throws {
        var index = BoxWriter.index(offsets: [36], sampleSize: 0)
        // The count of `stsz` becomes four thousand million.
        let place = try #require(index.firstRange(of: Array("stsz".utf8))?.upperBound) + 8
        for byte in place..<place + 4 { index[byte] = 0xFF }
        let directory = try TemporaryDirectory()
        let file = try Self.movie(directory, mediaSize: 5000, index: index)
        let size = try file.status().size
        #expect(throws: MediaError.self) { try MediaInspector.inspect(file, size: size, name: "a.mov") }
    }

    private static func bytesRead() throws -> Int64 {
        let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("rchar:") }
        return try #require(line.flatMap { Int64($0.split(separator: " ")[1]) })
    }

    private static func peakMemory() throws -> Int64 {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let words = try #require(line).split(whereSeparator: \.isWhitespace)
        return try #require(Int64(words[1])) * 1024
    }
}
