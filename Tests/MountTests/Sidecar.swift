import Foundation
import Support
import Testing

/// Sidecars as programs write them, and what became of them.
enum Sidecar {
    /// A sidecar made by ExifTool.
    static func exifTool(_ arguments: String..., at path: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        let outcome = try run("exiftool", arguments: arguments + ["-o", path])
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
    }

    /// What Google Takeout writes.
    static func takeout(
        _ title: String, description: String = "", timestamp: Int = 1_558_084_812, latitude: Double = 48.5,
        longitude: Double = 11.25, favorite: Bool = false
    ) -> [UInt8] {
        Array(
            """
            {
              "title": "\(title)",
              "description": "\(description)",
              "imageViews": "3",
              "creationTime": {"timestamp": "1600000000", "formatted": "Sep 13, 2020, 12:26:40 PM UTC"},
              "photoTakenTime": {"timestamp": "\(timestamp)", "formatted": "May 17, 2019, 9:20:12 AM UTC"},
              "geoData": {"latitude": \(latitude), "longitude": \(longitude), "altitude": 0.0, "latitudeSpan": 0.0},
              "url": "https://photos.google.com/photo/x"\(favorite ? ",\n  \"favorited\": true" : "")
            }

            """.utf8)
    }
}

/// Expects what the library's own attributes and commands say of a photo; nil is not looked at, empty is none.
func expectSaid(
    of path: String, caption: String? = nil, rating: String? = nil, keywords: String? = nil, captured: String? = nil,
    location: String? = nil, favorite: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    for (name, value) in [
        ("user.xdg.comment", caption), ("user.baloo.rating", rating), ("user.xdg.tags", keywords),
        ("user.cameraroll.captured", captured), ("user.cameraroll.location", location),
        ("user.cameraroll.favorite", favorite),
    ] {
        guard let value else { continue }
        let found = try Files.attribute(name, of: path) ?? ""
        #expect(found == value, "\(name) of \(path)", sourceLocation: sourceLocation)
    }
}

/// Waits until DCIM lists these paths: sidecars follow a moment later.
func expectSettled(
    _ roll: MountedLibrary, lists paths: [String], sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let deadline = Date().addingTimeInterval(20)
    while Date() < deadline, try Set(Files.tree(roll.dcim)) != Set(paths) { usleep(20_000) }
    let tree = try Files.tree(roll.dcim)
    #expect(Set(tree) == Set(paths), sourceLocation: sourceLocation)
}
