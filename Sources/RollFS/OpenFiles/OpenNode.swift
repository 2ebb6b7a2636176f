internal import FUSE
internal import Media
internal import PhotoLibrary
internal import Platform

/// A file that somebody has open: which bytes reads and writes go to.
///
/// All handles of one inode share it, so that they see each other's writes as on any file system.
final class OpenNode: Sendable {
    let id: UInt64

    /// Shared by writes; alone for a commit, which looks at bytes that hold still, and for what changes `contents`.
    /// Taken before `state`, never inside it. Look-ups do not need it.
    let gate = ReadWriteLock()

    struct State {
        /// What reads read.
        var file: FileDescriptor
        /// Writes go to `file`: it is a staging file.
        var isWritable: Bool
        /// Set while an asset is written over: `file` is the draft's.
        var draft: Draft?
        var handles = 0
        var writers = 0
        /// Writers whose descriptor was closed (flushed) and that have written nothing since, by handle. When all are,
        /// what was written is committed: the last close tells, not the release, which comes some time later.
        var closing: Set<UInt64> = []
        /// Writers of which no descriptor and no mapping is left.
        var releasing = 0
        /// Written to since the last commit or refusal.
        var isDirty = false
        /// A write failed: the bytes are not what the writer wanted, whatever they look like, until it begins anew.
        var failedWrite: FailedWrite?
        /// What the last commit ran into, until something is written again.
        var failure: CommitFailure?
        /// The asset's version was made by a handle that is still open: what follows belongs to it and is no edit.
        var amends = false
        /// Hashes a new file behind its writer.
        var stream: StreamingDigest?
        /// A time that a client set, which the next write makes untrue.
        var hasClientTime: Bool
        /// Nothing in the library knows the node any more; its attributes live on here.
        var orphan: NodeRecord?
        /// Its names lead to another node, with the same bytes.
        var merged: Merge?
    }

    /// A write that the store did not take.
    struct FailedWrite {
        var error: Errno
        var offset: Int64
    }

    /// Where the names of a node went that had the same bytes as another.
    struct Merge {
        var node: NodeRecord
        var target: UInt64
        var names: [(parent: UInt64, name: FileName)]
    }

    /// Held for moments only: nothing that waits for a disk, the catalogue or another lock.
    let state: Lock<State>

    init(_ record: NodeRecord, file: FileDescriptor) {
        id = record.id
        state = Lock(
            State(
                file: file, isWritable: record.kind == .pending || record.kind == .plain,
                hasClientTime: record.modified != nil))
    }

    /// A file that is read only, whatever it is.
    init(reading inode: UInt64, file: FileDescriptor) {
        id = inode
        state = Lock(State(file: file, isWritable: false, hasClientTime: false))
    }

    var file: FileDescriptor { state.withLock { $0.file } }

    /// The size and times of the bytes that are being written, nil where the catalogue's row tells them.
    var staged: FileDescriptor? { state.withLock { $0.isWritable || $0.orphan != nil ? $0.file : nil } }
}

/// One open file description: what the kernel calls a handle.
final class OpenHandle: Sendable {
    let node: OpenNode
    let canWrite: Bool
    /// The client that opened it, for the log and as the author of what it makes.
    let client: String
    /// The name under which it was opened, where the file has several and that is known.
    let name: WrittenName?
    /// The name in a view under which it was opened.
    let viewName: LastLookups.ViewName?
    init(
        node: OpenNode, canWrite: Bool, client: String, name: WrittenName? = nil,
        viewName: LastLookups.ViewName? = nil
    ) {
        self.name = name
        self.viewName = viewName
        self.node = node
        self.canWrite = canWrite
        self.client = client
    }
}
