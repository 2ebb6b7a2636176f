import Foundation
import Glibc
import Media
import Platform
import Rendering
import Support
import Testing

@Suite("The service and its workers", .serialized)
struct ServiceTests {
    /// Makes the thumbnail of a slow picture on another thread.
    private final class Call: Sendable {
        let result = Monitor<Result<[UInt8], ThumbnailError>?>(nil)

        init(_ service: ThumbnailService, _ path: String, isCancelled: @escaping @Sendable () -> Bool = { false })
            throws
        {
            let result = result
            let file = try FileDescriptor.open(path, .readOnly)
            _ = try Platform.Thread(name: "call") {
                let request = ThumbnailRequest(kind: .png, orientation: 1, width: 0, height: 0)
                do throws(ThumbnailError) {
                    let bytes = try service.make(request, from: file, isCancelled: isCancelled)
                    result.update { $0 = .success(bytes) }
                } catch {
                    let failure = error
                    result.update { $0 = .failure(failure) }
                }
            }
        }

        func wait() -> Result<[UInt8], ThumbnailError>? { result.wait(timeout: 40_000_000_000) { $0 } }

        var error: ThumbnailError? {
            if case .failure(let error)? = wait() { return error }
            return nil
        }
    }

    private static func waitFor(_ condition: () -> Bool) -> Bool {
        for _ in 0..<400 {
            if condition() { return true }
            usleep(10_000)
        }
        return false
    }

    @Test("A transparent picture lies on white, at its own size")
    func transparency() throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            try GeneratedPictures.png(place("a.png"), 300, 100, color: 6)
            let judged = try Judged(workers.make(place("a.png"), .png), in: place)
            #expect(judged.width == 300 && judged.height == 100)
            #expect(judged.fields.allSatisfy { $0 >= 250 })
            try GeneratedPictures.png(place("b.png"), 2000, 10, color: 2, value: 128)
            let long = try Judged(workers.make(place("b.png"), .png, orientation: 6), in: place)
            #expect(long.width <= 3 && long.height == 512)
        }
    }

    @Test(
        "Kinds that no camera writes",
        arguments: [
            ("a.gif", MediaKind.gif, [String]()), ("a.webp", .webp, ["-c:v", "libwebp", "-frames:v", "1"]),
            ("b.webp", .webp, ["-c:v", "libwebp_anim"]),
            ("c.webp", .webp, ["-c:v", "libwebp_anim", "-pix_fmt", "yuva420p"]),
            ("a.tiff", .tiff, ["-frames:v", "1"]), ("a.mp4", .mp4, ["-movflags", "frag_keyframe+empty_moov"]),
        ])
    func otherKinds(_ name: String, _ kind: MediaKind, _ options: [String]) throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            let source = ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=640x480:rate=5:duration=2"]
            let made = try run("ffmpeg", arguments: source + options + [place(name)])
            #expect(made.succeeded, "\(made)")
            let judged = try Judged(workers.make(place(name), kind), in: place)
            #expect(judged.width == 512 && judged.height == 384)
            try require(
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=640x480", "-frames:v", "1", place("r.png"))
            // The picture counts seconds: a small part of it differs in a movie.
            #expect(try judged.difference(from: Judged(place("r.png"))) < 6)
        }
    }

    @Test("Movies with pixels that are not square are shown in their shape")
    func pixelShape() throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            try require(
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=720x576:rate=5:duration=1", "-aspect",
                "16:9",
                place("a.mp4"))
            let judged = try Judged(workers.make(place("a.mp4"), .mp4), in: place)
            #expect(judged.width == 512 && judged.height == 288)
        }
    }

    @Test("A picture that says it is huge is refused before it is decoded")
    func tooManyPixels() throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            try GeneratedPictures.png(place("a.png"), 60_000, 60_000, color: 2, rows: 1)
            // By the library's word, and by the file's own.
            let told = thumbnailError { _ = try workers.make(place("a.png"), .png, size: (60_000, 60_000)) }
            guard case .refused(let reason)? = told else {
                Issue.record("not refused")
                return
            }
            #expect(reason.contains("200 million pixels"))
            let found = thumbnailError { _ = try workers.make(place("a.png"), .png) }
            guard case .refused? = found else {
                Issue.record("not refused")
                return
            }
            for process in workers.processes {
                let status = try Files.text("/proc/\(process)/status").split(separator: "\n")
                let peak = status.first { $0.hasPrefix("VmHWM") }
                #expect(Int(peak?.filter(\.isNumber) ?? "") ?? .max < 100 << 10, "no pixel was decoded")
            }
        }
    }

    @Test("A decompression bomb meets the limit of memory, and the worker lives on")
    func bomb() throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            try GeneratedPictures.png(place("a.png"), 14_000, 14_000, color: 6, depth: 16, rows: 2000)
            let error = thumbnailError { _ = try workers.make(place("a.png"), .png) }
            guard case .refused? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try GeneratedPictures.png(place("b.png"), 100, 100, color: 2)
            #expect(try !workers.make(place("b.png"), .png).isEmpty)
            for process in workers.processes {
                let status = try Files.text("/proc/\(process)/status")
                let peak = status.split(separator: "\n").first { $0.hasPrefix("VmPeak") }
                #expect(Int(peak?.filter(\.isNumber) ?? "") ?? .max <= 512 << 10)
                #expect(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"))
                let files = try Files.names(in: "/proc/\(process)/fd")
                #expect(files == ["0", "1", "2", "3"])
                #expect(try Files.read("/proc/\(process)/environ").split(separator: 0).count <= 2)
            }
        }
    }

    @Test("A worker that is killed fails its picture only")
    func killed() throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            try GeneratedPictures.slow(place("a.png"))
            let call = try Call(workers.service, place("a.png"))
            // Past its start, or no picture would be to blame.
            let isConfined = Self.waitFor {
                workers.processes.contains { process in
                    ((try? Files.text("/proc/\(process)/status")) ?? "").contains("Seccomp:\t2")
                }
            }
            #expect(isConfined)
            usleep(50_000)
            for process in workers.processes { kill(process, SIGKILL) }
            guard case .refused(let reason)? = call.error else {
                Issue.record("not refused")
                return
            }
            #expect(reason.contains("ended at this picture"))
            #expect(workers.processes.isEmpty)
            try GeneratedPictures.png(place("b.png"), 100, 100, color: 2)
            #expect(try !workers.make(place("b.png"), .png).isEmpty)
        }
    }

    @Test("A program that is no worker is not the picture's fault")
    func noWorker() throws {
        let service = ThumbnailService(executable: "/bin/false", arguments: ["false"])
        defer { service.close() }
        try withTemporaryPlace { place in
            try GeneratedPictures.png(place("b.png"), 100, 100, color: 2)
            let call = try Call(service, place("b.png"))
            #expect(call.error == .system(.connectionAborted))
        }
        #expect(try Product.run("thumbnail-worker").status == 2)
    }

    @Test("A cancelled request ends at once, and its worker with it")
    func cancel() throws {
        let workers = Workers()
        try withTemporaryPlace { place in
            try GeneratedPictures.slow(place("a.png"))
            let isCancelled = Lock(false)
            let call = try Call(workers.service, place("a.png")) { isCancelled.withLock { $0 } }
            #expect(Self.waitFor { !workers.processes.isEmpty })
            let begin = Date()
            isCancelled.withLock { $0 = true }
            #expect(call.error == .cancelled)
            #expect(Date().timeIntervalSince(begin) < 30)
            #expect(Self.waitFor { workers.processes.isEmpty })
        }
    }

    @Test("A picture that takes too long is given up")
    func timeLimit() throws {
        var limits = ThumbnailService.Limits()
        limits.time = 4_000_000_000
        let workers = Workers(limits)
        try withTemporaryPlace { place in
            try GeneratedPictures.png(place("a.png"), 100, 100, color: 2)
            _ = try workers.make(place("a.png"), .png)
            // As if it hung.
            let stopped = workers.processes
            for process in stopped { kill(process, SIGSTOP) }
            let begin = Date()
            guard case .refused(let reason)? = thumbnailError({ _ = try workers.make(place("a.png"), .png) }) else {
                Issue.record("not refused")
                return
            }
            #expect(reason.contains("too long"))
            #expect((3.9...60).contains(Date().timeIntervalSince(begin)))
            #expect(workers.processes.isEmpty && stopped.count == 1)
            #expect(try !workers.make(place("a.png"), .png).isEmpty)
        }
    }

    @Test("Two are made at once, some wait, more are refused")
    func queue() throws {
        var limits = ThumbnailService.Limits()
        limits.waiting = 2
        let workers = Workers(limits)
        try withTemporaryPlace { place in
            try GeneratedPictures.slow(place("a.png"))
            var calls: [Call] = []
            for _ in 0..<2 { calls.append(try Call(workers.service, place("a.png"))) }
            #expect(Self.waitFor { workers.processes.count == 2 })
            for _ in 0..<2 { calls.append(try Call(workers.service, place("a.png"))) }
            usleep(100_000)
            let refused = try Call(workers.service, place("a.png"))
            #expect(refused.error == .busy)
            #expect(workers.processes.count <= 2)
            for call in calls { #expect(call.error == nil && call.wait() != nil) }
            #expect(workers.processes.count <= 2)
        }
    }

    @Test("Workers without work end, and closing ends all")
    func ending() throws {
        var limits = ThumbnailService.Limits()
        limits.idle = 300_000_000
        let workers = Workers(limits)
        try withTemporaryPlace { place in
            try GeneratedPictures.png(place("b.png"), 100, 100, color: 2)
            _ = try workers.make(place("b.png"), .png)
            #expect(workers.processes.count == 1)
            #expect(Self.waitFor { workers.processes.isEmpty })
            try GeneratedPictures.slow(place("a.png"))
            let call = try Call(workers.service, place("a.png"))
            #expect(Self.waitFor { !workers.processes.isEmpty })
            workers.service.close()
            #expect(call.error == .cancelled)
            #expect(workers.processes.isEmpty)
        }
    }
}
