import Foundation
import Testing

@testable import Media

/// What exiftool says of a file, in the terms of `MediaInspection`.
private struct Judgement {
    var width: Int?
    var height: Int?
    var orientation: Int?
    /// As exiftool writes it, local time.
    var date: String?
    var offset: String?
    var latitude: Double?
    var longitude: Double?
    var make: String?
    var model: String?
    var lensModel: String?
    var duration: Double?

    init(_ tags: [String: Any]) {
        func first(_ name: String, in groups: [String]) -> Any? {
            for group in groups {
                if let value = tags["\(group):\(name)"] { return value }
            }
            return nil
        }
        let tracks = (1...8).map { "Track\($0)" }
        let sizes = ["PNG", "File"] + tracks + ["RIFF", "IFD0"]
        width = (first("ImageWidth", in: sizes) as? NSNumber)?.intValue
        height = (first("ImageHeight", in: sizes) as? NSNumber)?.intValue
        let make = first("Make", in: ["IFD0", "Keys"])
        self.make = make.map { "\($0)".trimmed }
        model = first("Model", in: ["IFD0", "Keys"]).map { "\($0)".trimmed }
        lensModel = first("LensModel", in: ["ExifIFD"]).map { "\($0)".trimmed }
        latitude = (tags["Composite:GPSLatitude"] as? NSNumber)?.doubleValue
        longitude = (tags["Composite:GPSLongitude"] as? NSNumber)?.doubleValue
        duration = (first("Duration", in: ["QuickTime", "Matroska", "Composite"]) as? NSNumber)?.doubleValue
        offset = tags["ExifIFD:OffsetTimeOriginal"] as? String
        date =
            first("DateTimeOriginal", in: ["ExifIFD", "Matroska"]) as? String ?? tags["Keys:CreationDate"] as? String
        let isMovie = tags.keys.contains { $0.hasPrefix("Track") }
        if date == nil, isMovie { date = tags["QuickTime:CreateDate"] as? String }
        if date?.hasPrefix("0000") == true { date = nil }
        orientation = (tags["IFD0:Orientation"] as? NSNumber)?.intValue
        if orientation == nil, let turn = (tags["QuickTime:Rotation"] as? NSNumber)?.intValue {
            // HEIF counts against the clock.
            orientation = [0: 1, 90: 8, 180: 3, 270: 6][turn]
        }
        if orientation == nil, let turn = (tags["Composite:Rotation"] as? NSNumber)?.intValue {
            orientation = [0: 1, 90: 6, 180: 3, 270: 8][turn]
        }
    }

    static let all: [String: Judgement] = {
        var all: [String: Judgement] = [:]
        for folder in Samples.acceptedFolders {
            guard let data = try? Command.run("exiftool", ["-j", "-n", "-G1", Samples.path(folder)]),
                let entries = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]]
            else { continue }
            for entry in entries {
                guard let path = entry["SourceFile"] as? String else { continue }
                all["\(folder)/\(URL(fileURLWithPath: path).lastPathComponent)"] = Judgement(entry)
            }
        }
        return all
    }()
}

@Suite(
    "exiftool is the judge of metadata",
    .enabled(if: Samples.areThere && Command.isThere("exiftool"), "needs the sample files and exiftool"))
struct ExifToolTests {
    /// Where we know better than exiftool, or see things differently, and why.
    static let differences: [String: (fields: Set<String>, reason: String)] = [
        "awkward/broken-bogus-data-prepended-real-jfif-start-at-4801.jpg": (
            ["width", "height"],
            "exiftool does not look for the picture behind the bytes put in front; it is 1575 x 2100"
        ),
        "awkward/30-type_error.jpg": (
            ["date"],
            "the pointer to the EXIF directory is of a wrong type; libexif follows it, exiftool takes the same date from XMP"
        ),
        "photos/exif-no-tz.jpg": (
            ["width", "height", "make", "model", "date", "hasLocation"],
            "only the preview in the Exif segment is there; exiftool calls it a format error and tells nothing"
        ),
        "motion/sample_MP.heic": (
            ["date"],
            "the item's distance to the TIFF header does not count the Exif marker in front of it; exiftool gives up there"
        ),
        "video/sample_fragmented.mp4": (
            ["duration"], "exiftool takes the header's 0; the fragments' samples last about a second"
        ),
    ]

    @Test("Metadata as exiftool reads it", arguments: Samples.accepted)
    func metadata(_ name: String) throws {
        let judgement = try #require(Judgement.all[name])
        let found = try inspect(path: Samples.path(name))
        let known = Self.differences[name]?.fields ?? []
        func compare<Value: Equatable>(_ field: String, _ ours: Value?, _ theirs: Value?) {
            if known.contains(field) {
                // A difference that is gone must leave the table.
                #expect(ours != theirs, "\(field) does not differ any more")
            } else {
                #expect(ours == theirs, "\(field)")
            }
        }
        compare("width", found.pixelWidth, judgement.width)
        compare("height", found.pixelHeight, judgement.height)
        compare("orientation", found.orientation, judgement.orientation ?? 1)
        compare("make", found.cameraMake, judgement.make)
        compare("model", found.cameraModel, judgement.model)
        compare("lensModel", found.lensModel, judgement.lensModel)
        compare("date", found.captureDate.map(Self.local), judgement.date.map { String($0.prefix(19)) })
        if let offset = judgement.offset {
            compare("offset", found.captureDate?.offset, CaptureDateParser.zoneOffset(offset))
        }
        compare("hasLocation", found.location != nil, judgement.latitude != nil && judgement.longitude != nil)
        if let location = found.location, let latitude = judgement.latitude, let longitude = judgement.longitude {
            let isNear = abs(location.latitude - latitude) < 1e-4 && abs(location.longitude - longitude) < 1e-4
            compare("location", isNear, true)
        }
        if let duration = judgement.duration {
            compare("duration", abs(Double(found.duration ?? -1000) / 1000 - duration) <= 0.1, true)
        }
    }

    /// A date as exiftool writes it.
    private static func local(_ date: CaptureDate) -> String {
        let time = CivilTime(instant: date.instant, offset: date.offset ?? 0)
        return String(
            format: "%04d:%02d:%02d %02d:%02d:%02d", time.year, time.month, time.day, time.hour, time.minute,
            time.second)
    }
}
