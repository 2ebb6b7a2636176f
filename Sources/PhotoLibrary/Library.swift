internal import Glibc
internal import Platform
internal import SQLite

/// A photo library: a directory that holds originals, the catalogue, and what is on its way to become an asset.
///
/// Several processes may have one open at once; one of them may mount it.
public final class Library: Sendable {
    /// How a library is opened.
    public struct Options: Sendable {
        /// Nothing is changed.
        public var isReadOnly = false
        /// Closing a file does not wait for the disk.
        public var isRelaxed = false
        /// What the machine's administrator restricts.
        public var policy = AuthorizationPolicy.none
        public init() {}
    }

    public let path: String
    public let options: Options
    /// Refusals and failures.
    public let events: EventLog
    public let authorization: Authorization
    /// What other processes say to the one that mounts the library.
    public let announcements: ChangeAnnouncements
    let catalog: Catalog
    let store: Store
    /// Threads that sync files while they are hashed.
    let syncers: WorkerPool
    /// Threads that hash files while they are written.
    let hashers: WorkerPool
    let sweeper: FileSweeper
    let reserve: SpaceReserve
    let setAside = SetAsideNames()

    /// The catalogue's name in the library's directory; a directory that has it is a library.
    static let catalogName = "catalog.sqlite"

    /// Opens a library that exists.
    public init(path: String, options: Options = Options()) throws(LibraryError) {
        let rooms = try Self.openRooms(path)
        self.path = path
        self.options = options
        store = rooms.store
        reserve = SpaceReserve(root: rooms.store.root)
        let events = EventLog(directory: rooms.logs, name: "events")
        self.events = events
        do throws(Migrator.Failure) {
            catalog = try Catalog(
                path: "\(path)/\(Self.catalogName)", create: false, readOnly: options.isReadOnly
            ) { error in
                events.add(
                    EventLog.Event(
                        client: "", operation: "catalogue", path: Self.catalogName, errno: error.errno,
                        reason: error.description))
            }
        } catch { throw Self.explain(error, path) }
        do throws(Errno) {
            syncers = try WorkerPool(name: "sync", threads: 4)
            hashers = try WorkerPool(name: "hash", threads: 2)
            sweeper = FileSweeper(catalog: catalog, store: store, isRelaxed: options.isRelaxed)
            announcements = try ChangeAnnouncements(root: rooms.store.root)
            authorization = Authorization(
                catalog: catalog, log: EventLog(directory: rooms.logs, name: "authorization"),
                changes: try SharedCounter(
                    file: rooms.store.root.open("authorization.changes", [.readWrite, .create, .noFollow])),
                policy: options.policy)
        } catch {
            throw LibraryError(.failed, error, path, "The library \(path) cannot be opened: \(error).")
        }
    }

    /// Ends the library's own threads. Nothing may be asked of it afterwards.
    public func close() {
        syncers.close()
        hashers.close()
    }

    /// Runs a transaction that removes something. On a full disk it may use the space set aside for that.
    func writeRemoval<Result>(_ body: (Database) throws(Errno) -> Result) throws(Errno) -> Result {
        do throws(Errno) {
            return try catalog.write(body)
        } catch {
            guard error == .noSpace, reserve.giveUp() else { throw error }
        }
        return try catalog.write(body)
    }

    /// Sets the space for removals on a full disk aside again, where it was used and there is room.
    public func refillReserve() { reserve.fill() }

    /// Makes an empty library.
    ///
    /// - Parameter path: a directory that is empty or does not exist yet.
    public static func create(at path: String) throws(LibraryError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            let error = Errno.current
            throw LibraryError(.failed, error, path, "The directory \(path) cannot be made: \(error).")
        }
        try requireEmpty(path)
        let store = Store(root: try openDirectory(path))
        do throws(Errno) { try store.makeDirectories() } catch {
            throw LibraryError(.failed, error, path, "The library's directories cannot be made in \(path): \(error).")
        }
        let catalog: Catalog
        do throws(Migrator.Failure) {
            catalog = try Catalog(path: "\(path)/\(catalogName)", create: true, readOnly: false) { _ in }
        } catch { throw explain(error, path) }
        do throws(Errno) {
            try catalog.write { (database) throws(Errno) in try database.makeFixedNodes() }
            try catalog.synchronize()
            try store.root.sync()
        } catch {
            throw LibraryError(.failed, error, path, "The catalogue of \(path) cannot be written: \(error).")
        }
    }

    /// Whether a directory is a library.
    public static func isLibrary(_ path: String) -> Bool {
        do throws(Errno) {
            return try Directory(path).status(of: catalogName)?.kind == .regular
        } catch { return false }
    }

    private static func requireEmpty(_ path: String) throws(LibraryError) {
        let directory = try openDirectory(path)
        var hasCatalog = false
        var isEmpty = true
        do throws(Errno) {
            try directory.forEachName { (name) throws(Errno) in
                if name == catalogName { hasCatalog = true }
                // A fresh file system has this directory.
                if name != "lost+found" { isEmpty = false }
            }
        } catch { throw LibraryError(.failed, error, path, "\(path) cannot be listed: \(error).") }
        if hasCatalog {
            throw LibraryError(.invalid, .exists, path, "\(path) is a library already. It was left as it is.")
        }
        if !isEmpty {
            throw LibraryError(
                .invalid, .notEmpty, path,
                "\(path) holds files and is no library. Choose an empty directory or a path that does not exist.")
        }
    }

    private static func openDirectory(_ path: String) throws(LibraryError) -> Directory {
        do throws(Errno) { return try Directory(path) } catch {
            throw LibraryError(
                error == .noEntry ? .noSuchItem : .failed, error, path,
                "\(path) cannot be opened as a directory: \(error).")
        }
    }

    private static func openRooms(_ path: String) throws(LibraryError) -> (store: Store, logs: Directory) {
        let root = try openDirectory(path)
        do throws(Errno) {
            // SQLite would take an empty file for a database without tables, and make them anew.
            if let catalog = try root.status(of: catalogName), catalog.kind == .regular, catalog.size > 0 {
                let store = Store(root: root)
                try store.makeDirectories()
                return (store, try Directory("logs", in: root))
            }
        } catch {
            throw LibraryError(.failed, error, path, "The library \(path) cannot be opened: \(error).")
        }
        if isLibrary(path) {
            throw LibraryError(
                .damaged, .ioError, path,
                "The catalogue of \(path) is empty. The photos are safe in its originals directory.")
        }
        throw LibraryError(
            .notALibrary, .noEntry, path,
            "\(path) is no library (it has no \(catalogName)). Make one with: cameraroll init \(path)")
    }

    private static func explain(_ failure: Migrator.Failure, _ path: String) -> LibraryError {
        switch failure {
        case .unknownStep(let name):
            LibraryError(
                .invalid, .notSupported, path,
                "The library \(path) was used by a newer version (\(name)). Update cameraroll to open it.")
        case .sql(let error):
            if error.isDamage {
                LibraryError(
                    .damaged, .ioError, path,
                    "The catalogue of \(path) is damaged (\(error.message)). The photos are safe in its originals directory."
                )
            } else {
                LibraryError(
                    .failed, error.errno, path, "The catalogue of \(path) cannot be opened: \(error.message).")
            }
        }
    }
}

extension Database {
    /// The root and the camera roll.
    fileprivate func makeFixedNodes() throws(Errno) {
        let now = Clock.now()
        let insert: StaticString = """
            INSERT INTO node (id, kind, room, mode, uid, gid, links, accessed, modified, changed)
            VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7)
            """
        let mode: UInt32 = 0o040755
        try run(
            insert,
            [
                .integer(FixedNode.root), .integer(Room.root.rawValue), .integer(mode), .integer(getuid()),
                .integer(getgid()), .integer(3), .integer(now),
            ])
        try run(
            insert,
            [
                .integer(FixedNode.cameraRoll), .integer(Room.cameraRoll.rawValue), .integer(mode), .integer(getuid()),
                .integer(getgid()), .integer(2), .integer(now),
            ])
        try run(
            "INSERT INTO dentry (id, parent, name, node) VALUES (16, 1, 'DCIM', 2)")
        // Row numbers below these stay free for fixed nodes and for the cookies of "." and "..".
        try run("UPDATE sqlite_sequence SET seq = 1024 WHERE name IN ('node', 'dentry')")
    }
}
