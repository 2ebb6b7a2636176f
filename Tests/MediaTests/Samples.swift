import Foundation
import Platform
import Testing

@testable import Media

/// The real photos and videos beside the project, which are not part of it.
enum Samples {
    /// `CAMERAROLL_SAMPLES`, else `../shared/samples` seen from the package.
    static let root: URL = {
        if let path = ProcessInfo.processInfo.environment["CAMERAROLL_SAMPLES"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/samples", isDirectory: true)
    }()

    /// Whether they are there; says aloud where they are not, since many tests are skipped then.
    static let areThere: Bool = {
        let isThere = FileManager.default.fileExists(atPath: root.path)
        if !isThere { print("SKIPPED: no sample files at \(root.path); set CAMERAROLL_SAMPLES to where they are") }
        return isThere
    }()

    static let acceptedFolders = ["photos", "heic", "orientation", "motion", "tiff", "video", "awkward"]

    /// The files of a folder, as paths from the root, sorted.
    static func files(in folder: String) -> [String] {
        guard areThere else { return [] }
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? []
        return names.sorted().map { "\(folder)/\($0)" }
    }

    static var accepted: [String] { acceptedFolders.flatMap(files) }
    static var damaged: [String] { files(in: "damaged") }

    static func path(_ name: String) -> String { root.appendingPathComponent(name).path }
}

/// Inspects a file by path.
func inspect(path: String, name: String? = nil) throws -> MediaInspection {
    let file = try FileDescriptor.open(path, .readOnly)
    let size = try file.status().size
    return try MediaInspector.inspect(file, size: size, name: name ?? URL(fileURLWithPath: path).lastPathComponent)
}

/// The kind of a file, nil where it is refused; a file that cannot be read is an error.
func kind(of file: FileDescriptor, size: Int, name: String) throws -> MediaKind? {
    let result: Result<MediaInspection, MediaError>
    do throws(MediaError) {
        result = .success(try MediaInspector.inspect(file, size: Int64(size), name: name))
    } catch {
        result = .failure(error)
    }
    switch result {
    case .success(let inspection): return inspection.kind
    case .failure(.rejected(let reason)):
        #expect(!reason.isEmpty)
        return nil
    case .failure(let error): throw error
    }
}

/// A directory that goes away with the test that made it.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("media-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file and opens it.
    func file(_ bytes: [UInt8], name: String = "file") throws -> FileDescriptor {
        let path = url.appendingPathComponent(name)
        try Data(bytes).write(to: path)
        return try FileDescriptor.open(path.path, .readOnly)
    }
}

extension MediaInspection {
    /// What a file of these bytes is.
    init(of bytes: [UInt8], name: String = "file") throws {
        let directory = try TemporaryDirectory()
        self = try MediaInspector.inspect(try directory.file(bytes), size: Int64(bytes.count), name: name)
    }
}
