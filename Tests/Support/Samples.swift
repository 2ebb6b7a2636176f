import Foundation

/// Real photos and videos that lie outside the package.
public enum Samples {
    /// The directory: `CAMERAROLL_SAMPLES`, else `../shared/samples` beside the package.
    public static let root: String = {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["CAMERAROLL_SAMPLES"] { return path }
        return URL(fileURLWithPath: Product.packageRoot).deletingLastPathComponent()
            .appendingPathComponent("shared/samples").standardizedFileURL.path
    }()

    /// Whether they are there. Tests that need them are skipped, and say so, where they are not.
    public static let available: Bool = {
        let found = FileManager.default.fileExists(atPath: root + "/photos")
        if !found { print("No samples at \(root): tests that need them are skipped (CAMERAROLL_SAMPLES names them).") }
        return found
    }()

    /// The folders whose every file has to become an asset.
    public static let goodFolders = ["photos", "heic", "orientation", "motion", "tiff", "video", "awkward"]

    /// Lies among the photos, but holds EXIF and a thumbnail only: it ends before a picture begins, and is refused.
    public static let withoutPicture = file("photos/exif-no-tz.jpg")

    /// The paths of the files in a folder, sorted.
    public static func folder(_ name: String) -> [String] {
        let names = (try? Files.names(in: "\(root)/\(name)")) ?? []
        return names.map { "\(root)/\(name)/\($0)" }
    }

    /// The path of one file, such as `photos/DSCN0010.jpg`.
    public static func file(_ path: String) -> String { "\(root)/\(path)" }
}
