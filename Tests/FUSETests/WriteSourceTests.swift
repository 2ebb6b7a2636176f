import Platform
import Testing

@testable import FUSE

struct WriteSourceTests {
    @Test func writesBytesToAFile() throws {
        let file = try ScratchFileSystem.temporaryFile()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try bytes.withUnsafeBytes { buffer in
            let source = WriteSource(buffer)
            let count = source.count
            #expect(count == 100_000)
            let written = try source.write(to: file, at: 5)
            #expect(written == 100_000)
        }
        #expect(try file.status().size == 100_005)
        #expect(try file.readBytes(100_000, at: 5) == bytes)
    }

    @Test func copiesInParts() throws {
        let bytes = Array("0123456789".utf8)
        var target = [UInt8](repeating: 0, count: 4)
        try bytes.withUnsafeBytes { buffer in
            let source = WriteSource(buffer)
            var parts: [[UInt8]] = []
            for _ in 0..<4 {
                let count = try target.withUnsafeMutableBytes { try source.copyBytes(into: $0) }
                parts.append(Array(target[..<count]))
            }
            #expect(parts == [Array("0123".utf8), Array("4567".utf8), Array("89".utf8), []])
        }
    }

    @Test func emptyBytesAreNoError() throws {
        let source = WriteSource(UnsafeRawBufferPointer(start: nil, count: 0))
        let count = source.count
        #expect(count == 0)
        let written = try source.write(to: ScratchFileSystem.temporaryFile(), at: 0)
        #expect(written == 0)
    }

    @Test func errorsOfTheFileArrive() throws {
        let full = try FileDescriptor.open("/dev/full", [.writeOnly])
        let readOnly = try FileDescriptor.open("/dev/null", [.readOnly])
        [UInt8](repeating: 1, count: 5000).withUnsafeBytes { buffer in
            #expect(throws: Errno.noSpace) { try WriteSource(buffer).write(to: full, at: 0) }
            #expect(throws: Errno.badDescriptor) { try WriteSource(buffer).write(to: readOnly, at: 0) }
        }
    }
}
