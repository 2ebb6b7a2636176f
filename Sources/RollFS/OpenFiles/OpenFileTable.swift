internal import FUSE
internal import PhotoLibrary
internal import Platform

/// The files that are open, by inode and by handle, and the directories.
final class OpenFileTable: Sendable {
    private struct State {
        var nodes: [UInt64: OpenNode] = [:]
        var handles: [UInt64: OpenHandle] = [:]
        var nextHandle: UInt64 = 1
        var directories: [UInt64: OpenDirectory] = [:]
        /// Counts what gives an inode other bytes, for those who opened a file and were overtaken.
        var generation: UInt64 = 0
    }

    private struct OpenDirectory {
        var handles = 0
        /// Of a directory that was removed.
        var orphan: NodeRecord?
    }

    private let library: Library
    /// Held for moments only; taken before a node's `state`.
    private let state = Lock(State())

    init(library: Library) { self.library = library }

    /// Takes a node's file into use; `release` gives it back.
    func acquire(_ id: UInt64, forWriting: Bool) throws(Errno) -> OpenNode {
        // Overtaken by a commit that moves the file away, one comes again; nothing is overtaken that often.
        for _ in 0..<16 {
            if let node = state.withLock({ Self.take(id, forWriting, nil, &$0) }) { return node }
            let generation = state.withLock { $0.generation }
            guard let record = try library.node(id) else { throw .stale }
            switch record.kind {
            case .asset, .pending, .plain: break
            case .directory: throw .isDirectory
            case .symbolicLink, .special: throw .invalid
            }
            let file: FileDescriptor
            do throws(Errno) {
                file = try library.openFile(
                    of: record, forWriting: record.kind != .asset && !library.options.isReadOnly)
            } catch {
                if error == .stale, state.withLock({ $0.generation != generation }) { continue }
                throw error
            }
            let node = state.withLock { state -> OpenNode? in
                if state.generation != generation, state.nodes[id] == nil { return nil }
                return Self.take(id, forWriting, OpenNode(record, file: file), &state)
            }
            if let node { return node }
        }
        throw .busy
    }

    /// Whether a client has a file open for writing.
    func isOpenForWriting(_ inode: UInt64, by client: String) -> Bool {
        state.withLock { state in
            guard state.nodes[inode] != nil else { return false }
            return state.handles.values.contains { $0.canWrite && $0.client == client && $0.node.id == inode }
        }
    }

    /// Takes a file into use that was just made.
    func adopt(_ record: NodeRecord, file: FileDescriptor) -> OpenNode? {
        state.withLock { Self.take(record.id, true, OpenNode(record, file: file), &$0) }
    }

    /// Takes a file into use that lies outside of the tree of nodes. Each opening has its own.
    func adoptForReading(_ inode: UInt64, file: FileDescriptor) -> OpenNode {
        let node = OpenNode(reading: inode, file: file)
        node.state.withLock { $0.handles = 1 }
        return node
    }

    private static func take(
        _ id: UInt64, _ forWriting: Bool, _ fresh: OpenNode?, _ state: inout State
    ) -> OpenNode? {
        guard let node = state.nodes[id] ?? fresh else { return nil }
        state.nodes[id] = node
        node.state.withLock { node in
            node.handles += 1
            if forWriting { node.writers += 1 }
        }
        return node
    }

    /// Gives a node back; the last one forgets it.
    ///
    /// - Parameter finished: the number under which the writer was noted as closing.
    func release(_ node: OpenNode, forWriting: Bool, finished: UInt64? = nil) {
        state.withLock { state in
            let isLast = node.state.withLock { node in
                node.handles -= 1
                if forWriting { node.writers -= 1 }
                if let finished {
                    node.closing.remove(finished)
                    node.releasing -= 1
                }
                if node.writers == 0 { node.amends = false }
                return node.handles == 0
            }
            if isLast, state.nodes[node.id] === node { state.nodes[node.id] = nil }
        }
    }

    /// The node, where somebody has it open.
    func node(_ id: UInt64) -> OpenNode? { state.withLock { $0.nodes[id] } }

    /// All files that somebody has open.
    var openNodes: [OpenNode] { state.withLock { Array($0.nodes.values) } }

    /// Some inode has other bytes than before.
    func contentsChanged() { state.withLock { $0.generation &+= 1 } }

    func addHandle(_ handle: OpenHandle) -> UInt64 {
        state.withLock { state in
            let number = state.nextHandle
            state.nextHandle += 1
            state.handles[number] = handle
            return number
        }
    }

    /// A number for a writer that has no handle.
    func makeNumber() -> UInt64 {
        state.withLock { state in
            defer { state.nextHandle += 1 }
            return state.nextHandle
        }
    }

    /// The handle, for a change through it: its writer has not closed it after all.
    func writingHandle(_ number: UInt64) throws(Errno) -> OpenHandle {
        let handle = try handle(number)
        guard handle.canWrite else { throw .badDescriptor }
        handle.node.state.withLock { if !$0.closing.isEmpty { $0.closing.remove(number) } }
        return handle
    }

    func handle(_ number: UInt64) throws(Errno) -> OpenHandle {
        guard let handle = state.withLock({ $0.handles[number] }) else { throw .badDescriptor }
        return handle
    }

    func removeHandle(_ number: UInt64) -> OpenHandle? { state.withLock { $0.handles.removeValue(forKey: number) } }

    /// What was removed while it is open lives on without a name.
    func orphan(_ record: NodeRecord) {
        state.withLock { state in
            var record = record
            record.links = 0
            if record.kind == .directory {
                state.directories[record.id]?.orphan = record
            } else {
                state.nodes[record.id]?.state.withLock { $0.orphan = record }
            }
        }
    }

    func openDirectory(_ id: UInt64) { state.withLock { $0.directories[id, default: OpenDirectory()].handles += 1 } }

    func releaseDirectory(_ id: UInt64) {
        state.withLock { state in
            guard var directory = state.directories[id] else { return }
            directory.handles -= 1
            state.directories[id] = directory.handles > 0 ? directory : nil
        }
    }

    /// The attributes of a directory that was removed while it was open.
    func orphanedDirectory(_ id: UInt64) -> NodeRecord? { state.withLock { $0.directories[id]?.orphan } }
}
