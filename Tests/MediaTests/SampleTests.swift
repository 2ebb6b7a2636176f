import Testing

@testable import Media

@Suite("Real files", .enabled(if: Samples.areThere, "the sample files are not part of the project"))
struct SampleTests {
    /// Stands among the whole photos, but ends behind its EXIF segment: no frame, no scan, so no picture can be shown
    /// (ffmpeg: "No JPEG data found in image"; exiftool: "JPEG format error").
    static let withoutPicture = "photos/exif-no-tz.jpg"

    @Test("Every whole photo and video is accepted", arguments: Samples.accepted.filter { $0 != withoutPicture })
    func accepts(_ name: String) throws {
        let inspection = try inspect(path: Samples.path(name))
        #expect(inspection.pixelWidth > 0 && inspection.pixelHeight > 0)
    }

    @Test("Every damaged file is refused with a sentence", arguments: Samples.damaged + [withoutPicture])
    func refuses(_ name: String) throws {
        do {
            let inspection = try inspect(path: Samples.path(name))
            // This one decodes, with a fault in a few lines.
            #expect(name == "damaged/corrupted.jpg", "accepted as \(inspection.kind)")
        } catch let error as MediaError {
            guard case .rejected(let reason) = error else { throw error }
            print("\(name): \(reason)")
            #expect(reason.hasSuffix(".") && reason.count > 20)
        }
    }
}
