import Glibc
internal import Platform

/// The process in which pictures are decoded: what attacks a decoder gets hold of nothing but one picture.
public enum ThumbnailWorker {
    /// The end of the service's socket, in the worker.
    public static let descriptor: Int32 = 3

    /// How much it may use: of memory the address space with all libraries.
    private static let confinement = RunningProcess.Confinement(memory: 512 << 20, descriptors: 16)
    /// Of processor time for one picture, in seconds.
    private static let processorTime: UInt = 20
    /// How long an answer may take to be fetched, in nanoseconds.
    private static let answerTime: Int64 = 10_000_000_000

    /// Serves requests until the service closes its end.
    ///
    /// - Returns: whether it could begin.
    public static func serve() -> Bool {
        RunningProcess.setName("thumbnails")
        RunningProcess.closeDescriptors(from: UInt32(descriptor) + 1)
        Signals.ignoreBrokenPipes()
        do throws(Errno) {
            let socket = try UnixSocket(adopting: descriptor)
            var problem: String?
            do throws(RenderingFailure) { try ThumbnailMaker.prepare() } catch { problem = error.reason }
            try RunningProcess.confine(confinement)
            // The service learns that whatever goes wrong from now on is a picture's fault.
            try socket.sendFully(WorkerMessage.answer(.thumbnail, []), timeout: answerTime)
            while try serveOne(socket, problem) {}
            return true
        } catch {
            return false
        }
    }

    private static func serveOne(_ socket: UnixSocket, _ problem: String?) throws(Errno) -> Bool {
        var waiting = [Poll.Entry(socket.descriptor, .reading)]
        try Poll.wait(&waiting, timeout: nil)
        guard let message = try socket.receiveWithFile(WorkerMessage.requestSize) else { return true }
        // The end, or somebody who is not the service.
        guard let file = message.file, let request = WorkerMessage.decodeRequest(message.bytes) else { return false }
        try RunningProcess.limitProcessorTime(seconds: processorTime)
        let answer: [UInt8]
        if let problem {
            answer = WorkerMessage.answer(.failure, Array(problem.utf8))
        } else {
            do throws(RenderingFailure) {
                answer = WorkerMessage.answer(.thumbnail, try ThumbnailMaker.make(request, from: file))
            } catch {
                answer = WorkerMessage.answer(.refusal, Array(error.reason.utf8.prefix(1024)))
            }
        }
        try socket.sendFully(answer, timeout: answerTime)
        return true
    }
}
