import Agent
import FUSE
import Glibc
import PhotoLibrary
import Platform
import RollFS

/// Mounts a library in this process and serves it to the end.
struct MountServer {
    let request: MountRequest
    /// Hears, once, that the mount answers. What it returns tells whether anyone still wants it.
    let ready: @Sendable () -> Bool
    /// Writes a line of what goes on.
    let journal: @Sendable (String) -> Void
    /// Where questions are asked besides; nil where this process has no terminal.
    var terminal: FileDescriptor?

    private static let endSignals = [SIGTERM, SIGINT, SIGHUP]
    /// Requests that wait for the user at once, at most; others are refused.
    private static let waitingLimit = 96

    /// Returns when the library is unmounted again.
    func run() throws(CommandFailure) -> ExitCode {
        // Before any thread starts: each inherits what is blocked, and one of them takes the signals.
        Signals.block(Self.endSignals)
        Signals.ignoreBrokenPipes()
        umask(0)
        RunningProcess.raiseDescriptorLimit()
        let lock = try MountLock.take(of: request.library)
        // Until the library is closed nobody else may mount it.
        defer { withExtendedLifetime(lock) {} }
        let policy = try loadPolicy()
        if !policy.isEmpty { journal("\(AuthorizationPolicy.standardPath) restricts who may use the mount.") }
        try authorize()
        let library = try openLibrary(policy)
        defer { library.close() }
        let board = QuestionBoard(waitingLimit: Self.waitingLimit)
        let agents = try MountAgents(library: library, board: board, terminal: terminal, journal: journal)
        defer {
            board.end()
            agents.stop()
        }
        let session = try mount(library, board, unfinished: try recover(library))
        do throws(Errno) {
            try lock.note(mountPoint: session.mountPoint, desktopThumbnails: desktopThumbnails)
        } catch {
            throw CommandFailure(system: error, "\(request.library)/mount.lock cannot be written")
        }
        let state = Lock(Answer.waiting)
        try startThreads(session, state)
        let end = session.run()
        lock.clear()
        return try conclude(end, answer: state.withLock { $0 })
    }

    /// The mounting user's own cache of thumbnails, where it is asked for (the XDG base directory specification).
    private var desktopThumbnails: String? {
        guard request.keepsDesktopThumbnails else { return nil }
        func path(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        }
        if let cache = path("XDG_CACHE_HOME") { return cache + "/thumbnails" }
        let home = path("HOME") ?? UserDatabase.home(of: getuid())
        return home.map { $0 + "/.cache/thumbnails" }
    }

    private enum Answer: Equatable {
        case waiting
        case given
        case failed(Errno)
    }

    private func openLibrary(_ policy: AuthorizationPolicy) throws(CommandFailure) -> Library {
        var options = Library.Options()
        options.policy = policy
        options.isReadOnly = request.isReadOnly
        options.isRelaxed = request.isRelaxed
        do throws(LibraryError) { return try Library(path: request.library, options: options) } catch {
            throw CommandFailure(error)
        }
    }

    /// What the administrator restricts. Nothing is mounted where nobody knows what that is.
    private func loadPolicy() throws(CommandFailure) -> AuthorizationPolicy {
        do throws(PolicyError) { return try AuthorizationPolicy.load() } catch {
            throw CommandFailure(.refused, "\(error) Nothing is mounted.")
        }
    }

    /// Stores the answer that the user gave with the mount.
    private func authorize() throws(CommandFailure) {
        guard let level = request.authorization else { return }
        try MountAuthorization.apply(level, user: getuid(), library: request.library)
    }

    /// - Returns: pending files that are to be looked at again.
    private func recover(_ library: Library) throws(CommandFailure) -> [UInt64] {
        guard !request.isReadOnly else { return [] }
        let report: Library.RecoveryReport
        do throws(Errno) { report = try library.recover() } catch {
            throw OpenLibrary.failure(error, library, "The library \(library.path) cannot be put right after a crash")
        }
        for (count, what) in [
            (report.movedBack, "files were put back to their places"),
            (report.recovered, "files that a crash cut off came back as pending files in DCIM"),
            (report.unfinished.count, "unfinished files are looked at again"),
            (report.droppedDrafts, "edits that were never closed were dropped; the photos are as before"),
            (report.lost, "pending files had no bytes on the disk; see: cameraroll log \(library.path)"),
        ] where count > 0 {
            journal("after a crash: \(count) \(what).")
        }
        return report.unfinished
    }

    private func mount(
        _ library: Library, _ questions: QuestionBoard, unfinished: [UInt64]
    ) throws(CommandFailure) -> Session {
        var roll = RollOptions()
        roll.promptTimeout = Int64(request.promptTimeout) * 1_000_000_000
        roll.allowsOthers = request.allowsOthers
        roll.owner = getuid()
        roll.desktopThumbnails = desktopThumbnails.map {
            RollOptions.DesktopThumbnails(directory: $0, mountPoint: request.mountPoint)
        }
        var options = MountOptions(source: request.library, subtype: "cameraroll")
        options.isReadOnly = request.isReadOnly
        options.allowsOthers = request.allowsOthers
        options.flags = request.flags
        // Each request that waits for the user keeps a thread.
        options.threadLimit = Self.waitingLimit + 32
        do throws(SessionError) {
            return try Session(
                fileSystem: RollFileSystem(
                    library: library, options: roll, questions: questions, unfinished: unfinished),
                mountPoint: request.mountPoint, options: options)
        } catch { throw CommandFailure(error) }
    }

    private func startThreads(_ session: Session, _ state: Lock<Answer>) throws(CommandFailure) {
        let (request, ready, journal) = (request, ready, journal)
        do throws(Errno) {
            _ = try Thread(name: "signals") {
                while true {
                    let number = Signals.wait(for: Self.endSignals)
                    journal("signal \(number): \(session.mountPoint) is unmounted.")
                    session.stop()
                }
            }
            _ = try Thread(name: "ready") {
                // Waits until the loop serves requests, as any program's first call does.
                do throws(Errno) { try MountPoint.probe(session.mountPoint) } catch {
                    state.withLock { $0 = .failed(error) }
                    session.stop()
                    return
                }
                state.withLock { $0 = .given }
                journal("\(request.library) is mounted at \(session.mountPoint).")
                if !ready() {
                    journal("nobody waits for the mount any more; it is taken back.")
                    session.stop()
                }
            }
        } catch { throw CommandFailure(system: error, "A thread cannot be started") }
    }

    private func conclude(_ end: Session.End, answer: Answer) throws(CommandFailure) -> ExitCode {
        if case .failed(let error) = end {
            throw CommandFailure(.mountFailed, "The mount at \(request.mountPoint) ended: \(error) (\(error.name)).")
        }
        switch answer {
        case .given: break
        case .failed(let error) where error != .notConnected:
            throw CommandFailure(
                .mountFailed, "The mount at \(request.mountPoint) answered with an error and was taken back: \(error).")
        case .waiting, .failed:
            throw CommandFailure(
                .mountFailed, "The mount at \(request.mountPoint) was taken away before it answered. Mount it again.")
        }
        journal("\(request.mountPoint) is unmounted.")
        return .done
    }
}
