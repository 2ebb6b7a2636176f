import Glibc
import Media
import Platform
import Rendering
import Support
import Testing

/// A service whose workers are the product's own, told from others by a word in their command line.
struct Workers: ~Copyable {
    let service: ThumbnailService
    let word: String

    init(_ limits: ThumbnailService.Limits = ThumbnailService.Limits()) {
        word = "for-test-\(UInt64.random(in: 0 ... .max))"
        service = ThumbnailService(
            executable: Product.command, arguments: ["cameraroll", "thumbnail-worker", word], limits: limits)
    }

    deinit { service.close() }

    /// The numbers of its processes, the dead ones that nobody waited for among them.
    var processes: [Int32] { Self.processes(word) }

    static func processes(_ word: String) -> [Int32] {
        let names = (try? Files.names(in: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { process in
            let line = (try? Files.read("/proc/\(process)/cmdline")) ?? []
            return String(decoding: line, as: UTF8.self).contains(word)
        }
    }

    func make(
        _ path: String, _ kind: MediaKind, orientation: Int = 1, size: (width: Int, height: Int) = (0, 0)
    ) throws -> [UInt8] {
        try service.make(
            ThumbnailRequest(kind: kind, orientation: orientation, width: size.width, height: size.height),
            from: FileDescriptor.open(path, .readOnly), isCancelled: { false })
    }

    /// Makes the thumbnail of a file as the library would, after looking at it.
    func make(inspecting path: String) throws -> (inspection: MediaInspection, jpeg: [UInt8]) {
        let file = try FileDescriptor.open(path, .readOnly)
        let inspection = try MediaInspector.inspect(file, size: file.status().size, name: path)
        let size = (inspection.pixelWidth, inspection.pixelHeight)
        return (inspection, try make(path, inspection.kind, orientation: inspection.orientation, size: size))
    }
}

/// What `body` throws of the service's errors; nil where it succeeds.
func thumbnailError(_ body: () throws -> Void) -> ThumbnailError? {
    do {
        try body()
        return nil
    } catch {
        if let error = error as? ThumbnailError { return error }
        Issue.record("another error: \(error)")
        return nil
    }
}

/// A thumbnail, judged by ffmpeg.
struct Judged {
    var width = 0
    var height = 0
    /// Brightness of 16 by 16 fields.
    var fields: [UInt8] = []

    /// - Parameter path: of any picture that ffmpeg decodes.
    init(_ path: String) throws {
        let probe = try require(
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of",
            "csv=p=0",
            path)
        let numbers = probe.stdout.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        guard numbers.count >= 2 else { throw HarnessError(probe.description) }
        (width, height) = (numbers[0], numbers[1])
        fields = try require(
            "ffmpeg", "-v", "error", "-i", path, "-frames:v", "1", "-vf", "scale=16:16:flags=area", "-pix_fmt", "gray",
            "-f", "rawvideo", "-"
        ).output
        guard fields.count == 256 else { throw HarnessError("\(path): \(fields.count) fields") }
    }

    init(_ jpeg: [UInt8], in place: TemporaryPlace) throws {
        let path = place("thumbnail-\(UInt64.random(in: 0 ... .max)).jpg")
        try Files.write(jpeg, to: path)
        try self.init(path)
    }

    /// The mean difference of brightness, 0...255.
    func difference(from other: Judged) -> Double {
        Double(zip(fields, other.fields).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / 256
    }
}
