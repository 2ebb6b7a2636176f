import Foundation
import Platform
import Support
import Testing

/// exiftool is the judge of what the samples say of themselves.
@Suite(.enabled(if: Samples.available, "needs the real samples")) struct MetadataJudgeTests {
    /// What exiftool says of one file.
    private struct Verdict {
        let fields: [String: Any]
        func number(_ name: String) -> Double? { fields[name] as? Double ?? (fields[name] as? Int).map(Double.init) }
        func text(_ name: String) -> String? {
            if let text = fields[name] as? String { return text }
            return number(name).map { $0 == $0.rounded() ? String(Int($0)) : String($0) }
        }
    }

    /// Where the two differ for a reason: the file, the property, and why.
    private static let deviations: [(file: String, property: String, reason: String)] = [
        (
            "photos/sony-powershota5.jpg", "make",
            "stands only in a CIFF segment, Canon's own format of 1996 before EXIF"
        ),
        (
            "photos/sony-powershota5.jpg", "model",
            "stands only in a CIFF segment, Canon's own format of 1996 before EXIF"
        ),
    ]

    private static func isExcused(_ file: String, _ property: String) -> Bool {
        deviations.contains { $0.file == file && $0.property == property }
    }

    @Test func everySample() throws {
        try withMountedLibrary { roll in
            var sources: [String] = []
            for folder in Samples.goodFolders { sources += Samples.folder(folder) }
            sources.removeAll { $0 == Samples.withoutPicture }
            for folder in Samples.goodFolders {
                try run("cp", "-rp", "\(Samples.root)/\(folder)", roll.dcim, timeout: 120)
            }
            let assets = try roll.assets()
            let verdicts = try Self.judge(sources)
            for path in sources {
                let file = String(path.dropFirst(Samples.root.count + 1))
                guard let verdict = verdicts[path] else {
                    Issue.record("exiftool says nothing of \(file)")
                    continue
                }
                guard let asset = assets.first(where: { $0.paths.contains { $0.hasSuffix("DCIM/" + file) } }) else {
                    Issue.record("\(file) is no asset")
                    continue
                }
                for (property, problem) in Self.differences(asset, verdict) where !Self.isExcused(file, property) {
                    Issue.record("\(file): \(problem)")
                }
            }
            #expect(assets.count > 100)
        }
    }

    private static func judge(_ paths: [String]) throws -> [String: Verdict] {
        let tags = [
            "EXIF:DateTimeOriginal", "EXIF:OffsetTimeOriginal", "EXIF:OffsetTime", "Keys:CreationDate",
            "QuickTime:CreateDate", "ImageWidth", "ImageHeight", "EXIF:Orientation", "Rotation", "GPSLatitude",
            "GPSLongitude", "GPSAltitude", "Make", "Model", "LensModel", "Duration", "FileType",
        ]
        let outcome = try run("exiftool", arguments: ["-j", "-n"] + tags.map { "-\($0)" } + paths)
        guard let list = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]] else {
            throw HarnessError("exiftool gave no list: \(outcome)")
        }
        var verdicts: [String: Verdict] = [:]
        for fields in list {
            if let path = fields["SourceFile"] as? String { verdicts[path] = Verdict(fields: fields) }
        }
        return verdicts
    }

    /// Each property that differs, with a sentence on how.
    private static func differences(_ asset: AssetRecord, _ verdict: Verdict) -> [(String, String)] {
        var found: [(String, String)] = []
        func compare<Value: Equatable>(_ property: String, _ ours: Value?, _ theirs: Value?) {
            if ours != theirs {
                let shown = { (value: Value?) in value.map { "\($0)" } ?? "nothing" }
                found.append((property, "\(property) is \(shown(ours)), exiftool says \(shown(theirs))"))
            }
        }
        func compareNumbers(_ property: String, _ ours: Double?, _ theirs: Double?, within tolerance: Double) {
            if let ours, let theirs, abs(ours - theirs) <= tolerance { return }
            compare(property, ours, theirs)
        }
        if let width = verdict.number("ImageWidth"), let height = verdict.number("ImageHeight") {
            compare("size", "\(asset.width)x\(asset.height)", "\(Int(width))x\(Int(height))")
        }
        compare("orientation", asset.orientation, orientation(asset, verdict))
        // Half a place is none.
        if let latitude = verdict.number("GPSLatitude"), let longitude = verdict.number("GPSLongitude") {
            compareNumbers("latitude", asset.latitude, latitude, within: 1e-5)
            compareNumbers("longitude", asset.longitude, longitude, within: 1e-5)
            compareNumbers("altitude", asset.altitude, verdict.number("GPSAltitude"), within: 0.01)
        } else {
            compare("latitude", asset.latitude, nil)
        }
        func trimmed(_ text: String?) -> String? {
            let cut = text?.trimmingCharacters(in: .whitespacesAndNewlines)
            return cut?.isEmpty == true ? nil : cut
        }
        compare("make", asset.make, trimmed(verdict.text("Make")))
        compare("model", asset.model, trimmed(verdict.text("Model")))
        if asset.type == "video", let duration = verdict.number("Duration"), duration > 0 {
            compareNumbers("duration", asset.duration, duration, within: max(0.05, duration * 0.02))
        }
        found += dateDifferences(asset, verdict)
        return found
    }

    /// EXIF's orientation for a photo; a movie turns by its track's matrix.
    private static func orientation(_ asset: AssetRecord, _ verdict: Verdict) -> Int {
        if asset.type == "video" {
            return switch verdict.number("Rotation") {
            case 90: 6
            case 180: 3
            case 270: 8
            default: 1
            }
        }
        let value = Int(verdict.number("Orientation") ?? 1)
        return (1...8).contains(value) ? value : 1
    }

    private static func dateDifferences(_ asset: AssetRecord, _ verdict: Verdict) -> [(String, String)] {
        guard let captured = asset.captured else { return [("date", "it has no date at all")] }
        // `2024-05-17T10:00:00.5+02:00`: local time, fraction, offset.
        let local = String(captured.prefix(19))
        let offset = captured.hasSuffix("Z") ? "+00:00" : String(captured.suffix(6))
        func rfc(_ exif: String) -> String {
            let parts = exif.prefix(19).split(separator: " ")
            guard parts.count == 2 else { return "" }
            return parts[0].replacing(":", with: "-") + "T" + parts[1]
        }
        func isDate(_ text: String) -> Bool {
            guard let year = Int(text.prefix(4)) else { return false }
            return text.count >= 19 && year > 0
        }
        if asset.type == "photo" {
            guard let original = verdict.text("DateTimeOriginal"), isDate(original) else { return [] }
            var found: [(String, String)] = []
            if local != rfc(original) { found.append(("date", "taken at \(captured), exiftool says \(original)")) }
            let zones = [verdict.text("OffsetTimeOriginal"), verdict.text("OffsetTime")].compactMap(\.self)
            if let zone = zones.first(where: { $0.count == 6 }), zone != offset {
                found.append(("zone", "the zone of \(captured) is \(zone) by exiftool"))
            }
            return found
        }
        if let key = verdict.text("CreationDate"), isDate(key) {
            let zone = key.count > 19 ? String(key.dropFirst(19)) : offset
            if local != rfc(key) || zone != offset { return [("date", "taken at \(captured), exiftool says \(key)")] }
            return []
        }
        guard let header = verdict.text("CreateDate"), isDate(header) else { return [] }
        let formatter = ISO8601DateFormatter()
        let ours = formatter.date(from: local + offset)
        let theirs = formatter.date(from: rfc(header) + "Z")
        return ours == theirs ? [] : [("date", "taken at \(captured), exiftool says \(header) UTC")]
    }
}
