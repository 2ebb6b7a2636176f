import Media
import Platform
import Rendering
import Support
import Testing

@Suite("Thumbnails of real pictures", .enabled(if: Samples.available, "needs the samples"))
struct SampleTests {
    /// What neither libav nor ImageMagick, nor most viewers, show: broken pixels behind good metadata, or next to none.
    private static let undecodable = [
        "exif.png", "exif-legacy.png", "non-motion-photo-shortened.jpg", "non-motion-photo-shortened-no-exif.jpg",
    ]

    @Test("Every picture and video is shown upright, in its shape, without metadata", arguments: Samples.goodFolders)
    func folder(_ folder: String) throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            for path in Samples.folder(folder) where path != Samples.withoutPicture {
                if Self.undecodable.contains(where: { path.hasSuffix("/" + $0) }) { continue }
                let (inspection, jpeg) = try workers.make(inspecting: path)
                #expect(jpeg.count < 200_000 && jpeg.starts(with: [0xFF, 0xD8, 0xFF]), "\(path)")
                // JFIF's segment alone comes before the tables: neither Exif, XMP, ICC nor a comment.
                for marker: [UInt8] in [[0xFF, 0xE1], [0xFF, 0xE2], [0xFF, 0xED], [0xFF, 0xFE]] {
                    #expect(!contains(jpeg.prefix(700), marker), "\(path) has segment \(marker)")
                }
                let judged = try Judged(jpeg, in: place)
                #expect(max(judged.width, judged.height) <= 512, "\(path)")
                // Its container turns the picture and its EXIF does not; viewers of HEIF go by the container.
                if path.hasSuffix("/HMD_Nokia_8.3_5G.heif") { continue }
                let isSideways = inspection.orientation >= 5
                var size = (width: inspection.pixelWidth, height: inspection.pixelHeight)
                if isSideways { size = (size.height, size.width) }
                let expected = Double(judged.width) * Double(size.height) / Double(max(size.width, 1))
                #expect(
                    abs(expected - Double(judged.height)) <= max(2, 0.03 * expected),
                    "\(path): \(judged.width)x\(judged.height) of \(size)")
            }
        }
        #expect(workers.processes.count <= 1, "no worker died")
    }

    @Test("All eight orientations show the same picture", arguments: ["Landscape", "Portrait"])
    func orientations(_ name: String) throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            let reference = try Judged(Samples.file("orientation/\(name)_1.jpg"))
            for number in 1...8 {
                let (inspection, jpeg) = try workers.make(inspecting: Samples.file("orientation/\(name)_\(number).jpg"))
                #expect(inspection.orientation == number)
                let judged = try Judged(jpeg, in: place)
                #expect((judged.width > judged.height) == (name == "Landscape"), "\(number)")
                // Another orientation differs by 30 and more.
                #expect(judged.difference(from: reference) < 8, "\(number)")
            }
        }
    }

    @Test(
        "The pixels are the ones that ffmpeg decodes",
        arguments: [
            "photos/DSCN0010.jpg", "photos/Canon_40D.jpg", "photos/HMD_Nokia_8.3_5G.jpg", "tiff/Tless0.tiff",
            "awkward/broken-invalid-adobe-ycc-gray.jpg", "photos/PaintTool_sample.jpg", "photos/exif.avif",
        ])
    func pixels(_ path: String) throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            let file = try FileDescriptor.open(Samples.file(path), .readOnly)
            let inspection = try MediaInspector.inspect(file, size: file.status().size, name: path)
            let jpeg = try workers.make(
                Samples.file(path), inspection.kind, size: (inspection.pixelWidth, inspection.pixelHeight))
            #expect(try Judged(jpeg, in: place).difference(from: Judged(Samples.file(path))) < 6)
        }
    }

    @Test("Damaged files harm nobody", arguments: Samples.folder("damaged"))
    func damaged(_ path: String) throws {
        let workers = Workers()
        for kind in [MediaKind.jpeg, .heic, .mp4, .cr3] {
            let error = thumbnailError { _ = try workers.make(path, kind) }
            if case .refused(let reason)? = error { #expect(reason.hasSuffix(".")) } else { #expect(error == nil) }
        }
        #expect(try !workers.make(Samples.file("photos/DSCN0010.jpg"), .jpeg).isEmpty)
    }

    @Test(
        "Files that are cut off harm nobody",
        arguments: [
            "photos/DSCN0010.jpg", "heic/IMG_5195.HEIC", "photos/exif.avif", "tiff/Tless0.tiff", "video/sample.mp4",
            "video/sample.mkv", "video/sample.avi", "video/meta.mov",
        ])
    func cut(_ path: String) throws {
        let workers = Workers()
        let whole = try Files.read(Samples.file(path))
        let kind = try workers.make(inspecting: Samples.file(path)).inspection.kind
        try withTemporaryPlace { place in
            for part in [1, 3, 7, 20, 50, 80, 97] {
                try Files.write(Array(whole.prefix(whole.count * part / 100)), to: place("cut"))
                let error = thumbnailError { _ = try workers.make(place("cut"), kind) }
                if case .refused? = error { continue }
                #expect(error == nil)
            }
        }
    }

    private func contains(_ bytes: ArraySlice<UInt8>, _ marker: [UInt8]) -> Bool {
        bytes.indices.dropLast().contains { bytes[$0] == marker[0] && bytes[$0 + 1] == marker[1] }
    }
}
