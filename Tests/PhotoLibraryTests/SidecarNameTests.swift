import Platform
import Testing

@testable import PhotoLibrary

@Suite struct SidecarNameTests {
    @Test(
        arguments: [
            ("IMG_1.xmp", "IMG_1.JPG", "Beach.JPG", "Beach.xmp"),
            ("IMG_1.JPG.xmp", "IMG_1.JPG", "Beach.HEIC", "Beach.HEIC.xmp"),
            ("IMG_1.XMP", "IMG_1.CR2", "a.b.CR2", "a.b.XMP"),
            ("IMG_1.THM", "IMG_1.MP4", "Beach.MP4", "Beach.THM"),
            ("IMG_1.JPG.json", "IMG_1.JPG", "Beach.JPG", "Beach.JPG.json"),
            ("IMG_1.json", "IMG_1.JPG", "Beach.JPG", "Beach.json"),
            ("IMG_1.JPG.supplemental-metadata.json", "IMG_1.JPG", "B.JPG", "B.JPG.supplemental-metadata.json"),
            ("IMG_1.JPG.supplemen.json", "IMG_1.JPG", "B.JPG", "B.JPG.supplemen.json"),
            ("IMG_1.JPG(1).json", "IMG_1(1).JPG", "B.JPG", "B.JPG.json"),
            ("IMG_1.JPG.supplemental-metadata(12).json", "IMG_1(12).JPG", "B.JPG", "B.JPG.json"),
            ("IMG_1.JPG.suppl(1).json", "IMG_1(1).JPG", "IMG_1(1).JPG", "IMG_1.JPG.suppl(1).json"),
            ("IMG_E0001.AAE", "IMG_0001.HEIC", "IMG_0002.HEIC", "IMG_E0002.AAE"),
            ("IMG_O0001.aae", "IMG_0001.HEIC", "Beach.HEIC", nil),
            ("GL010001.LRV", "GX010001.MP4", "GX010002.MP4", "GL010002.LRV"),
            (
                "original_1d4caa6f-16c6-4c3d-901b-9387de10e528_.json",
                "original_1d4caa6f-16c6-4c3d-901b-9387de10e528_P.jpg",
                "B.jpg", "B.jpg.json"
            ),
        ] as [(String, String, String, String?)])
    func follows(sidecar: String, picture: String, newPicture: String, newSidecar: String?) throws {
        let name = try #require(SidecarName(try FileName(sidecar)))
        let asset = try FileName(picture)
        let tie = try #require(name.tie(to: asset))
        #expect(name.following(asset, to: try FileName(newPicture))?.description == newSidecar)
        // It is looked for from both sides.
        let ranges = name.pictureRanges + [(low: [0xFF], high: [0xFF])]
        #expect(
            name.exactPictures.contains(asset)
                || ranges.contains {
                    !asset.bytes.lexicographicallyPrecedes($0.low) && asset.bytes.lexicographicallyPrecedes($0.high)
                }, "\(tie)")
        let candidates = SidecarName.candidates(for: asset)
        #expect(
            candidates.exact.contains(name.name.bytes)
                || candidates.ranges.contains {
                    !name.name.bytes.lexicographicallyPrecedes($0.low)
                        && name.name.bytes.lexicographicallyPrecedes($0.high)
                })
    }

    @Test(arguments: [
        ("IMG_1.xmp", "IMG_10.JPG"), ("IMG_1.xmp", "IMG_1"), ("IMG_1.xmp", "IMG_1.json"),
        ("IMG_1.JPG.xmp", "IMG_1.HEIC"),
        ("IMG_1.JPG.notes.json", "IMG_1.JPG"), ("IMG_1.JPG(1).json", "IMG_1.JPG"), ("IMG_1.JPG.json", "IMG_1(1).JPG"),
        ("IMG_E0001.xmp", "IMG_0001.HEIC"), ("img_1.xmp", "IMG_1.JPG"), ("IMG_1.JPG().json", "IMG_1().JPG"),
    ])
    func doesNotBelong(sidecar: String, picture: String) throws {
        let name = try #require(SidecarName(try FileName(sidecar)))
        #expect(try name.tie(to: FileName(picture)) == nil)
    }

    @Test(arguments: ["IMG_1.JPG", "._IMG_1.xmp", "xmp", ".xmp", "IMG_1.xmp~", "IMG_1.xmp_original", "a.txt"])
    func noSidecar(name: String) throws { #expect(try SidecarName(FileName(name)) == nil) }

    @Test func longNames() throws {
        let picture = try FileName(String(repeating: "a", count: 250) + ".JPG")
        let name = try #require(SidecarName(try FileName("b.JPG.xmp")))
        #expect(name.following(try FileName("b.JPG"), to: picture) == nil)
        for bytes in SidecarName.candidates(for: picture).exact { #expect(bytes.count <= 255) }
    }
}
