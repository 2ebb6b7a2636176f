import Media
import Platform
import Rendering
import Support
import Testing

/// A white picture with a black one in it: which was taken, the brightness tells.
@Suite("Pictures within pictures")
struct EmbeddedPictureTests {
    private static func jpeg(_ color: String, _ size: String, _ path: String) throws {
        try require(
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=\(color):size=\(size)", "-frames:v", "1",
            "-bitexact",
            path)
    }

    private enum Taken { case picture, embedded }

    private func taken(_ jpeg: [UInt8], in place: TemporaryPlace) throws -> Taken {
        let fields = try Judged(jpeg, in: place).fields
        return fields.allSatisfy { $0 > 200 } ? .picture : .embedded
    }

    @Test("EXIF's thumbnail is taken where it is large enough and has the picture's shape")
    func exif() throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            for (size, expected) in [
                ("160x120", Taken.picture), ("320x240", .embedded), ("320x180", .picture), ("240x320", .picture),
                ("64x48", .picture),
            ] {
                try Self.jpeg("white", "1600x1200", place("a.jpg"))
                try Self.jpeg("black", size, place("thumbnail.jpg"))
                try require(
                    "exiftool", "-q", "-overwrite_original", "-ThumbnailImage<=" + place("thumbnail.jpg"), "-n",
                    "-Orientation=6", place("a.jpg"))
                let (inspection, jpeg) = try workers.make(inspecting: place("a.jpg"))
                #expect(inspection.orientation == 6)
                #expect(try taken(jpeg, in: place) == expected, "\(size)")
                let judged = try Judged(jpeg, in: place)
                #expect(judged.height > judged.width, "both are turned upright")
            }
        }
    }

    @Test("A smaller one is better than nothing", arguments: [("160x120", true), ("100x75", false)])
    func exifOfBroken(_ size: String, _ isTaken: Bool) throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            try Self.jpeg("white", "1600x1200", place("a.jpg"))
            try Self.jpeg("black", size, place("thumbnail.jpg"))
            try require(
                "exiftool", "-q", "-overwrite_original", "-ThumbnailImage<=" + place("thumbnail.jpg"), place("a.jpg"))
            // The picture loses its frame header; the thumbnail stands before that.
            var bytes = try Files.read(place("a.jpg"))
            var position = 2
            while position + 4 < bytes.count, !(0xC0...0xC2).contains(bytes[position + 1]) {
                position += 2 + Int(bytes[position + 2]) << 8 + Int(bytes[position + 3])
            }
            bytes[position + 1] = 0xEF
            try Files.write(bytes, to: place("a.jpg"))
            let error = thumbnailError {
                let jpeg = try workers.make(place("a.jpg"), .jpeg, size: (1600, 1200))
                #expect(try taken(jpeg, in: place) == .embedded)
            }
            #expect((error == nil) == isTaken)
        }
    }

    @Test("A RAW picture shows the smallest preview that is large enough", arguments: [MediaKind.dng, .nef, .arw])
    func raw(_ kind: MediaKind) throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            try Self.jpeg("black", "160x120", place("small.jpg"))
            try Self.jpeg("white", "1024x768", place("middle.jpg"))
            try Self.jpeg("black", "2048x1536", place("large.jpg"))
            // Three directories; the last has its picture as a strip.
            let script = """
                import sys, struct
                parts = [open(name, 'rb').read() for name in sys.argv[2:]]
                size, data, places = 8 + 3 * 30, b'', []
                for part in parts:
                    places.append(size + len(data))
                    data += part + b'\\0' * (len(part) & 1)
                out = b'II*\\0' + struct.pack('<I', 8)
                for index, part in enumerate(parts):
                    tags = (0x0111, 0x0117) if index == 2 else (0x0201, 0x0202)
                    out += struct.pack('<H', 2)
                    out += struct.pack('<HHII', tags[0], 4, 1, places[index]) + struct.pack('<HHII', tags[1], 4, 1, len(part))
                    out += struct.pack('<I', 8 + 30 * (index + 1) if index < 2 else 0)
                open(sys.argv[1], 'wb').write(out + data)
                """
            try require(
                "python3", "-c", script, place("a.raw"), place("small.jpg"), place("middle.jpg"), place("large.jpg"))
            let file = try FileDescriptor.open(place("a.raw"), .readOnly)
            let found = try MediaInspector.embeddedPictures(in: file, size: file.status().size, kind: kind)
            #expect(found.map(\.width) == [2048, 1024, 160])
            let jpeg = try workers.make(place("a.raw"), kind)
            #expect(try taken(jpeg, in: place) == .picture, "the white one")
            let judged = try Judged(jpeg, in: place)
            #expect(judged.width == 512 && judged.height == 384)
        }
    }
}
