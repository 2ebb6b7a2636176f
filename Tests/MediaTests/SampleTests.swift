import Testing

@testable import Media

@Suite("Real files", .enabled(if: Samples.areThere, "the sample files are not part of the project"))
struct SampleTests {
    @Test("Every whole photo and video is accepted", arguments: Samples.accepted)
    func accepts(_ name: String) throws {
        let inspection = try inspect(path: Samples.path(name))
        #expect(inspection.pixelWidth > 0 && inspection.pixelHeight > 0)
    }

    @Test("There are as many as there should be")
    func count() {
        #expect(Samples.accepted.count == 133)
        #expect(Samples.accepted.contains("photos/exif-no-tz.jpg"))
    }

    @Test("Every damaged file is refused with a sentence", arguments: Samples.damaged)
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
