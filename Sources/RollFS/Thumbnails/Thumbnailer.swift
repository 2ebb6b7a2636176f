internal import PhotoLibrary
internal import Platform
internal import Rendering

/// Opens thumbnails, and has them made where they are not yet.
final class Thumbnailer: Sendable {
    private let library: Library
    private let service = ThumbnailService()
    /// Digests of the versions of which a thumbnail is being made. Held for moments only.
    private let making = Monitor<Set<[UInt8]>>([])
    private static let pause: Int64 = 50_000_000
    private let desktop: DesktopThumbnails?

    init(library: Library, options: RollOptions) {
        self.library = library
        guard let place = options.desktopThumbnails else {
            desktop = nil
            return
        }
        do throws(Errno) {
            desktop = try DesktopThumbnails(library: library, service: service, place: place, owner: options.owner)
        } catch {
            // File managers make their own.
            desktop = nil
        }
    }

    /// Opens a thumbnail for reading; waits for it where it has to be made.
    ///
    /// - Throws: `EIO` where none can be made of the picture (the reason is in the library's log), `EBUSY` where too many
    ///   wait already, `EINTR`.
    func open(_ source: ThumbnailSource, isInterrupted: () -> Bool) throws(Errno) -> FileDescriptor {
        let file = try openOrMake(source, isInterrupted)
        desktop?.offer(source, file)
        return file
    }

    private func openOrMake(
        _ source: ThumbnailSource, _ isInterrupted: () -> Bool
    ) throws(Errno) -> FileDescriptor {
        while true {
            if let file = try library.openThumbnail(of: source) { return file }
            if case .failed = try library.thumbnailState(of: source) { throw .ioError }
            if making.update({ $0.insert(source.digest).inserted }) {
                defer { making.update { _ = $0.remove(source.digest) } }
                return try make(source, isInterrupted)
            }
            // Somebody else has it made; what comes of that is looked at again.
            _ = making.wait(timeout: Self.pause) { $0.contains(source.digest) ? nil : true }
            if isInterrupted() { throw .interrupted }
        }
    }

    private func make(_ source: ThumbnailSource, _ isInterrupted: () -> Bool) throws(Errno) -> FileDescriptor {
        let version = try library.openVersion(of: source)
        let request = ThumbnailRequest(
            kind: source.kind, orientation: source.orientation, width: source.width, height: source.height)
        let bytes: [UInt8]
        do throws(ThumbnailError) {
            bytes = try service.make(request, from: version, isCancelled: isInterrupted)
        } catch {
            throw failed(source, error)
        }
        return try library.storeThumbnail(bytes, of: source)
    }

    private func failed(_ source: ThumbnailSource, _ error: ThumbnailError) -> Errno {
        switch error {
        case .refused(let reason):
            library.storeThumbnailFailure(reason, of: source)
            log(source, .ioError, reason)
            return .ioError
        case .cancelled: return .interrupted
        case .busy: return .busy
        case .system(let errno):
            log(source, errno, "No thumbnail could be made: \(errno). It is tried again when it is opened again.")
            return errno
        }
    }

    private func log(_ source: ThumbnailSource, _ errno: Errno, _ reason: String) {
        var path = ""
        do throws(Errno) { path = try library.path(ofNode: source.node.id) ?? "" } catch {
            // The reason tells enough.
        }
        library.events.add(
            EventLog.Event(client: "", operation: "thumbnail", path: path, errno: errno, reason: reason))
    }

    /// Whoever waits is answered `EINTR`.
    func cancel() { service.cancel() }

    /// Ends the processes.
    func close() {
        service.cancel()
        desktop?.close()
        service.close()
    }
}
