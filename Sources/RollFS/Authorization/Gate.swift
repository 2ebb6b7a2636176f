internal import FUSE
internal import PhotoLibrary
internal import Platform

/// Asks for every operation whether the client may, and where nobody has said so yet, the user.
///
/// A client that sees a part of the library meets a tree that holds nothing else: names that lead elsewhere do not
/// exist for it (`ENOENT`), and it may choose them for files of its own. One that sees nothing learns of no name whether
/// it exists (`EACCES` for all).
final class Gate: Sendable {
    let library: Library
    let questions: QuestionBoard?
    /// How long a request waits for the user's answer, in nanoseconds.
    let promptTimeout: Int64
    let patience = PromptPatience()
    private let recent = RecentAdditions()
    private let leading: LeadingDirectories
    private let files: OpenFileTable

    init(library: Library, files: OpenFileTable, questions: QuestionBoard?, promptTimeout: Int64) {
        self.library = library
        self.files = files
        self.questions = questions
        self.promptTimeout = promptTimeout
        leading = LeadingDirectories(library: library, recent: recent)
    }

    func access(of caller: Caller) -> Access { library.authorization.access(uid: caller.uid, pid: caller.pid) }

    /// Whether a client sees a name.
    func admits(_ access: Access, to entry: DirectoryEntry) throws(Errno) -> Bool {
        switch access.visibility {
        case .everything: return true
        case .nothing: return isShell(entry.node.id)
        case .limited, .ownRecent: break
        }
        if entry.node.kind == .directory { return try admitsDirectory(access, entry.node) }
        if access.visibility == .ownRecent, !isRecent(entry.node.id, access) { return false }
        if entry.client == access.client { return true }
        let tie = try library.tie(of: entry.node, to: access.client)
        // A name that somebody else's copy of the same bytes got tells nothing to whom they belong.
        return tie.isOwn && entry.client == nil || tie.isChosen && access.visibility == .limited
    }

    /// Whether a client sees a node by some name.
    func admits(_ access: Access, to node: NodeRecord) throws(Errno) -> Bool {
        switch access.visibility {
        case .everything: return true
        case .nothing: return isShell(node.id)
        case .limited, .ownRecent: break
        }
        if node.kind == .directory { return try admitsDirectory(access, node) }
        if try mayChange(access, node) { return true }
        if access.visibility == .ownRecent, !isRecent(node.id, access) { return false }
        if try library.tie(of: node, to: access.client).isOwn { return true }
        return try library.hasName(of: node.id, by: access.client)
    }

    /// A directory shows to those who made it, and where it leads to what they see.
    private func admitsDirectory(_ access: Access, _ node: NodeRecord) throws(Errno) -> Bool {
        if isShell(node.id) { return true }
        if try mayChange(access, node) { return true }
        return try leading.contains(node.id, for: access)
    }

    /// Whether a node is a client's to change, and shows to it in views.
    ///
    /// Bytes that the library had already, or that somebody else has copied since, are not the client's alone: it has
    /// a name that leads to them, which it may read, rename and remove, but what lies there others rely on.
    func mayChange(_ access: Access, _ node: NodeRecord) throws(Errno) -> Bool {
        switch access.visibility {
        case .everything: return true
        case .nothing: return false
        case .ownRecent: guard isRecent(node.id, access) else { return false }
        case .limited: break
        }
        let tie = try library.tie(of: node, to: access.client)
        return tie.isOwn && !tie.isShared || tie.isChosen && access.visibility == .limited
    }

    /// Ten minutes, and for as long as the client has the file open for writing.
    private func isRecent(_ node: UInt64, _ access: Access) -> Bool {
        recent.contains(node, by: access.client) || files.isOpenForWriting(node, by: access.client)
    }

    /// Directories that everyone sees, though not what they hold.
    private func isShell(_ node: UInt64) -> Bool { node == Library.rootNode || node == Library.cameraRollNode }

    /// Whether a view's directory holds something that a client sees.
    func admits(_ access: Access, to directory: UInt64, of view: any View) throws(Errno) -> Bool {
        switch access.visibility {
        case .everything: true
        case .nothing: false
        case .limited, .ownRecent: try leading.contains(directory, of: view, for: access)
        }
    }

    /// The entry that a name is to a client, nil where there is none for it.
    func entry(_ name: FileName, in parent: UInt64, _ access: Access) throws(Errno) -> DirectoryEntry? {
        let found = try library.entry(name, in: parent)
        if access.visibility == .everything { return found }
        if let found, try admits(access, to: found) { return found }
        guard access.visibility != .nothing,
            let chosen = try library.entry(chosenAs: name, by: access.client, in: parent)
        else { return nil }
        return try admits(access, to: chosen) ? chosen : nil
    }

    /// The name that a listing shows a client.
    func name(of entry: DirectoryEntry, _ access: Access) -> FileName {
        guard let chosen = entry.chosen, access.visibility != .everything, entry.client == access.client else {
            return entry.name
        }
        return chosen
    }

    /// The name under which a view shows a client an asset; nil where it shows it none.
    ///
    /// - Parameter name: what the view itself calls it. Names of an album's own are shown as they are.
    func viewName(_ name: FileName, of node: NodeRecord, _ access: Access) throws(Errno) -> FileName? {
        guard access.visibility != .everything, node.displayName == name else { return name }
        return try leading.viewName(of: node.id, for: access)
    }

    /// What a view itself calls what a client names there.
    func viewsOwnName(for name: FileName, _ access: Access) throws(Errno) -> FileName {
        guard access.visibility == .limited || access.visibility == .ownRecent,
            let id = try leading.node(named: name, for: access)
        else { return name }
        return try library.node(id)?.displayName ?? name
    }

    /// The name under which a client's new file is kept: the one that it chose, unless something has that which the
    /// client may not see.
    func newName(_ name: FileName, in parent: UInt64, _ access: Access) throws(Errno) -> FileName {
        guard access.visibility == .limited || access.visibility == .ownRecent,
            let found = try library.entry(name, in: parent), try !admits(access, to: found)
        else { return name }
        let free = try library.freeName(like: name, in: parent)
        // What makes a name one that programs drop beside photos must not get lost with it.
        guard NameClass(of: name) == .plain, NameClass(of: free) != .plain else { return free }
        return try library.freeName(like: FileName(validating: Array("._".utf8) + name.bytes), in: parent)
    }

    /// Notes that a client's file is kept under another name than it chose.
    func noteChoice(of chosen: FileName, for name: FileName, in parent: UInt64, _ access: Access) throws(Errno) {
        guard chosen != name else { return }
        try library.noteChoice(of: chosen, by: access.client, for: name, in: parent)
    }

    /// Lets a client look a name up.
    ///
    /// - Throws: the refusal for one who sees nothing, whether the name exists or not; `ENOENT` for one who sees a part.
    func require(_ access: Access, sees node: NodeRecord) throws(Errno) {
        if try admits(access, to: node) { return }
        throw access.visibility == .nothing ? access.refusal : .noEntry
    }

    /// Lets a client find a node in a view, which shows it under a name that others gave it.
    func require(_ access: Access, findsInView node: NodeRecord) throws(Errno) {
        if try mayChange(access, node) { return }
        throw access.visibility == .nothing ? access.refusal : .noEntry
    }

    /// Lets those pass who see anything at all; the others learn of no name whether it exists.
    func requireSight(_ access: Access, _ operation: StaticString, _ path: @autoclosure () -> String) throws(Errno) {
        if access.visibility != .nothing { return }
        refuse(access, .readWrite, operation, path())
        throw access.refusal
    }

    /// Lets a client read a node that is no directory.
    func require(
        _ access: Access, reads node: NodeRecord, _ operation: StaticString, _ path: @autoclosure () -> String
    ) throws(Errno) {
        if access.visibility != .nothing, try admits(access, to: node) { return }
        try deny(access, operation, path())
    }

    /// Lets a client change a node.
    func require(
        _ access: Access, reaches node: NodeRecord, _ operation: StaticString, _ path: @autoclosure () -> String
    ) throws(Errno) {
        if try mayChange(access, node) { return }
        try deny(access, operation, path())
    }

    /// Lets a client rename or remove a name.
    func require(
        _ access: Access, reaches entry: DirectoryEntry, _ operation: StaticString, _ path: @autoclosure () -> String
    ) throws(Errno) {
        if access.visibility != .nothing, entry.node.kind != .directory, try admits(access, to: entry) { return }
        try require(access, reaches: entry.node, operation, path())
    }

    private func deny(_ access: Access, _ operation: StaticString, _ path: String) throws(Errno) {
        refuse(access, .readWrite, operation, path)
        throw access.visibility == .nothing ? access.refusal : .accessDenied
    }

    /// Lets only those pass who see everything, for what concerns more than one asset.
    func requireEverything(
        _ access: Access, _ operation: StaticString, _ path: @autoclosure () -> String
    ) throws(Errno) {
        if access.visibility == .everything { return }
        refuse(access, .readWrite, operation, path())
        throw access.refusal
    }

    /// Notes what a client added, so that it can finish with it.
    func noteAddition(_ node: UInt64, by access: Access) {
        if access.visibility == .ownRecent { recent.add(node, by: access.client) }
    }

    /// Gives a client its time anew for what it has just closed, also where the bytes went to a node that was there.
    func noteClose(of node: UInt64, mergedInto target: UInt64?, by client: String) {
        recent.renew(node, target, by: client)
    }

    /// Names lead elsewhere than before: which directories lead to what is found out anew.
    func namesChanged() { leading.namesChanged() }

    func refuse(_ access: Access, _ level: AccessLevel, _ operation: StaticString, _ path: String) {
        library.authorization.noteRefusal(
            client: access.client, level: level, operation: operation.description, path: path, errno: access.refusal)
    }
}
