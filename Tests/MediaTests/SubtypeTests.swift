import Testing

@testable import Media

@Suite("Kinds and subtypes of real files", .enabled(if: Samples.areThere, "needs the sample files"))
struct SubtypeTests {
    @Test(
        "Kind by content",
        arguments: [
            ("photos/canon-ixus.jpg", MediaKind.jpeg), ("photos/exif.png", .png), ("photos/exif.avif", .avif),
            ("heic/IMG_5195.HEIC", .heic), ("tiff/BSG1.tiff", .tiff), ("video/meta.mov", .quickTime),
            ("video/meta.mp4", .mp4), ("video/bbb_176x144_128kbps_15fps_h263.3gp", .threeGP),
            ("video/sample.avi", .avi), ("video/sample.mkv", .matroska),
            ("video/bbb_642x642_768kbps_30fps_vp9.webm", .webm),
        ])
    func kind(_ name: String, _ kind: MediaKind) throws {
        #expect(try inspect(path: Samples.path(name)).kind == kind)
        // The name has no say where the content is clear.
        #expect(try inspect(path: Samples.path(name), name: "wrong.txt").kind == kind)
    }

    @Test(
        "Motion photos have a movie behind the still",
        arguments: [
            ("pixel-motion-photo-shortened.jpg", true), ("sample_still_photo.heic", false),
            ("PXL_20200710_061629144.MP.jpg", true), ("non-motion-photo-shortened-no-exif.jpg", false),
            ("sample_MP.heic", true), ("pixel-motion-photo-jfif-segment-shortened.jpg", true),
            ("pixel-motion-photo-without-exif-shortened.jpg", true), ("non-motion-photo-shortened.jpg", false),
            ("ss-motion-photo-shortened.jpg", true),
            // XMP still announces a movie that is gone.
            ("pixel-motion-photo-video-removed-shortened.jpg", false),
        ])
    func motionPhoto(_ name: String, _ expected: Bool) throws {
        #expect(try inspect(path: Samples.path("motion/\(name)")).subtypes.contains(.motionPhoto) == expected)
    }

    @Test(
        "Subtypes that files tell",
        arguments: [
            ("photos/iphone_hdr_YES.jpg", MediaSubtypes.hdr, true), ("photos/iphone_hdr_NO.jpg", .hdr, false),
            ("photos/canon_hdr_NO.jpg", .hdr, false),
            ("video/sample_android_slow_motion.mp4", .highFrameRate, true),
            ("video/portrait_4k60.mp4", .highFrameRate, false), ("video/meta.mov", .highFrameRate, false),
        ])
    func subtype(_ name: String, _ subtype: MediaSubtypes, _ expected: Bool) throws {
        #expect(try inspect(path: Samples.path(name)).subtypes.contains(subtype) == expected)
    }

    @Test("The still of a Live Photo carries its identifier")
    func contentIdentifier() throws {
        let found = try inspect(path: Samples.path("heic/IMG_5195.HEIC")).contentIdentifier
        #expect(found?.utf8.count == 36)
        #expect(found?.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    }

    @Test("A fragmented movie's length is that of its fragments")
    func fragments() throws {
        let duration = try #require(try inspect(path: Samples.path("video/sample_fragmented.mp4")).duration)
        #expect((900...1100).contains(duration))
    }

    @Test("The picture behind bytes that were put in front of it")
    func prepended() throws {
        let name = "awkward/broken-bogus-data-prepended-real-jfif-start-at-4801.jpg"
        let found = try inspect(path: Samples.path(name))
        #expect([found.pixelWidth, found.pixelHeight] == [1575, 2100])
    }
}
