internal import Glibc
internal import Media
internal import PhotoLibrary
internal import Platform
internal import Rendering

/// Fills the desktop's own cache of thumbnails (the freedesktop.org thumbnail specification, 0.9), where file managers
/// look for one before they make it.
///
/// It is filled with what is made for `Thumbnails/`, for the names in `DCIM`, on a thread of its own: nobody waits for it,
/// and what fails is left to the file manager.
final class DesktopThumbnails: Sendable {
    private let library: Library
    private let service: ThumbnailService
    private let place: RollOptions.DesktopThumbnails
    private let owner: UInt32
    private let pool: WorkerPool
    /// How many wait.
    private let waiting = Lock(0)
    private let hasFailed = Lock(false)
    private static let limit = 256
    /// The specification's directories, and the longest side of what lies in them.
    private static let sizes = [("normal", 128), ("large", 256)]

    init(
        library: Library, service: ThumbnailService, place: RollOptions.DesktopThumbnails, owner: UInt32
    ) throws(Errno) {
        self.library = library
        self.service = service
        self.place = place
        self.owner = owner
        pool = try WorkerPool(name: "desktop", threads: 1)
    }

    /// Notes that there is a thumbnail of an asset.
    func offer(_ source: ThumbnailSource, _ picture: FileDescriptor) {
        let isTaken = waiting.withLock { waiting in
            guard waiting < Self.limit else { return false }
            waiting += 1
            return true
        }
        guard isTaken else { return }
        _ = pool.submit { [self] in
            defer { waiting.withLock { $0 -= 1 } }
            do throws(Errno) { try fill(source, picture) } catch { note(error) }
        }
    }

    /// Ends the thread once it is done with what waits; the service is cancelled before.
    func close() { pool.close() }

    private func fill(_ source: ThumbnailSource, _ picture: FileDescriptor) throws(Errno) {
        // The cache is the mounting user's, who must be one that may see what is in it.
        guard library.authorization.seesEverything(uid: owner), let node = try library.node(source.node.id),
            node.file == source.node.file
        else { return }
        let shown = node.modified ?? node.captured ?? node.changed
        let time = String(shown >= 0 ? shown / 1_000_000_000 : (shown + 1) / 1_000_000_000 - 1)
        for path in try library.paths(ofNode: node.id) where path.hasPrefix("DCIM/") {
            let address = Self.address(of: "\(place.mountPoint)/\(path)")
            guard let name = MD5Digest.text(of: Array(address.utf8)) else { return }
            for (room, side) in Self.sizes {
                let directory = try self.directory(room)
                if try isCurrent(name + ".png", in: directory, time) { continue }
                guard let made = try make(picture, side) else { return }
                let texts = [
                    ("Thumb::URI", address), ("Thumb::MTime", time), ("Thumb::Size", "\(node.size)"),
                    ("Software", "cameraroll"),
                ]
                guard let file = PNGText.inserting(texts, into: made) else { return }
                try write(file, as: name + ".png", in: directory)
            }
        }
    }

    /// Nil where the service makes none now.
    private func make(_ picture: FileDescriptor, _ side: Int) throws(Errno) -> [UInt8]? {
        var request = ThumbnailRequest(kind: .jpeg, orientation: 1, width: 0, height: 0, maximumSide: side)
        request.format = .png
        do throws(ThumbnailError) { return try service.make(request, from: picture, isCancelled: { false }) } catch {
            if case .system(let errno) = error { throw errno }
            return nil
        }
    }

    private func directory(_ name: String) throws(Errno) -> Directory {
        let root = try Directory("/")
        let path = String(place.directory.drop { $0 == "/" })
        for part in [path, path + "/" + name] { try root.makeDirectory(part, permissions: 0o700) }
        return try Directory("\(path)/\(name)", in: root)
    }

    /// Whether there is one of the file as it is. Its texts stand before its pixels.
    private func isCurrent(_ name: String, in directory: Directory, _ time: String) throws(Errno) -> Bool {
        do throws(Errno) {
            let head = try directory.open(name, [.readOnly, .noFollow, .nonBlocking]).readBytes(8192, at: 0)
            let wanted = Array("Thumb::MTime".utf8) + [0] + Array(time.utf8)
            guard head.count > wanted.count else { return false }
            for start in 0...(head.count - wanted.count) where head[start] == wanted[0] {
                guard head[start..<(start + wanted.count)].elementsEqual(wanted) else { continue }
                // The checksum follows the text; a longer number goes on in digits.
                let next = head.count > start + wanted.count + 4 ? head[(start + wanted.count + 4)...].first : nil
                return next == 0
            }
            return false
        } catch .noEntry { return false }
    }

    private func write(_ bytes: [UInt8], as name: String, in directory: Directory) throws(Errno) {
        let temporary = ".cameraroll-\(getpid())-\(name)"
        do throws(Errno) {
            let file = try directory.open(temporary, [.readWrite, .create, .truncate, .noFollow], permissions: 0o600)
            try file.write(bytes, at: 0)
            try directory.rename(temporary, to: name)
        } catch {
            try? directory.unlink(temporary)
            throw error
        }
    }

    /// A file's address as file managers write it, whose digest names its thumbnail: all but unreserved characters and
    /// those that a path may hold (RFC 3986, 3.3) as a percent sign and two digits.
    static func address(of path: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=:@".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = path.utf8.flatMap { byte in
            plain.contains(byte) ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return "file://" + String(decoding: bytes, as: UTF8.self)
    }

    private func note(_ error: Errno) {
        let isFirst = hasFailed.withLock { hasFailed in
            defer { hasFailed = true }
            return !hasFailed
        }
        guard isFirst else { return }
        library.events.add(
            EventLog.Event(
                client: "", operation: "thumbnail", path: place.directory, errno: error,
                reason: "The desktop's thumbnails cannot be written: \(error). File managers make their own."))
    }
}
