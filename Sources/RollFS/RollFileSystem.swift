public import FUSE
public import PhotoLibrary
public import Platform

/// A library as a mounted tree: the camera roll, and views beside it.
public final class RollFileSystem: FileSystem {
    let library: Library
    let options: RollOptions
    let gate: Gate
    let files: OpenFileTable
    let nodes: NodeAttributes
    let views: ViewTable
    let lastLookups = LastLookups()
    let companions = CompanionPatience()
    let answers: RecentAnswers
    let knownContents = KnownContents()
    private let changeFollower: ChangeFollower
    private let notifierHolder = Lock<(any KernelNotifier)?>(nil)
    private let housekeeper: Housekeeper
    let follower: SidecarFollower
    private let unfinished: [UInt64]
    private let questions: QuestionBoard?
    private let thumbnailer: Thumbnailer

    /// - Parameters:
    ///   - questions: where the user is asked about clients without a record; nil: nobody is asked.
    ///   - unfinished: pending files that a crash cut off, looked at again once the mount is up.
    public init(
        library: Library, options: RollOptions, questions: QuestionBoard? = nil, unfinished: [UInt64] = []
    ) {
        self.questions = questions
        self.library = library
        self.options = options
        self.unfinished = unfinished
        files = OpenFileTable(library: library)
        gate = Gate(
            library: library, files: files, questions: questions, promptTimeout: options.promptTimeout)
        nodes = NodeAttributes(library: library, files: files, options: options)
        thumbnailer = Thumbnailer(library: library, options: options)
        views = ViewTable([
            DatesView(library: library), RecentlyAddedView(library: library), RecentlyDeletedView(library: library),
            AlbumsView(library: library), MarkedView.favorites(library), MarkedView.hidden(library),
            KeywordsView(library: library), MediaTypesView(library: library), OriginalsView(library: library),
            SearchView(library: library), ThumbnailsView(library: library, thumbnailer: thumbnailer),
        ])
        housekeeper = Housekeeper(library: library)
        companions.noteCommit()
        follower = SidecarFollower(library: library)
        answers = RecentAnswers(announcements: library.announcements)
        changeFollower = ChangeFollower(library: library)
    }

    public func sessionDidStart(_ notifier: any KernelNotifier) {
        notifierHolder.withLock { $0 = notifier }
        changeFollower.start { self.dropOldAnswers() }
        guard !library.options.isReadOnly else { return }
        housekeeper.start { [unfinished] in
            for node in unfinished { self.commitUnfinished(node) }
            self.takeUpMissedSidecars()
        }
        follower.start { self.note($0) }
    }

    public func sessionWillEnd() {
        questions?.end()
        thumbnailer.cancel()
    }

    public func sessionDidEnd() {
        changeFollower.stop()
        housekeeper.stop()
        follower.stop()
        thumbnailer.close()
        companions.noteCommit()
        letCompanionsFollow(nil)
        notifierHolder.withLock { $0 = nil }
    }

    var notifier: (any KernelNotifier)? { notifierHolder.withLock { $0 } }

    public func forget(_ inode: UInt64, count: UInt64) {
        // Nothing is kept for an inode that is only looked up: its number is its row.
    }

    public func statistics(for caller: Caller) throws(Errno) -> FileSystemStatus {
        let status = try library.fileSystem()
        if gate.access(of: caller).visibility == .everything { return status }
        // What others store shows in no number; room for whatever a client may bring.
        let block: UInt64 = 4096
        let blocks = (1 << 40) / block
        return FileSystemStatus(
            type: status.type, blockSize: block, fragmentSize: block, blocks: blocks, blocksFree: blocks,
            blocksAvailable: blocks, files: 0, filesFree: 0)
    }

    /// A pending file whose close a crash cut off is looked at as if it were closed now.
    private func commitUnfinished(_ inode: UInt64) {
        do throws(Errno) {
            let node = try files.acquire(inode, forWriting: false)
            defer { files.release(node, forWriting: false) }
            if node.state.withLock({ $0.writers > 0 }) { return }
            _ = commitUnopened(node, client: "", operation: "recover")
        } catch {
            // It was removed meanwhile.
        }
    }
}
