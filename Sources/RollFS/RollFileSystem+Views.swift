internal import FUSE
internal import PhotoLibrary
internal import Platform

/// Changes through views.
extension RollFileSystem {
    func makeDirectory(_ name: FileName, in view: ViewInode, _ caller: Caller) throws(Errno) -> Entry {
        let access = gate.access(of: caller)
        try gate.requireEverything(access, "mkdir", name.description)
        let number = try views.view(of: view).makeDirectory(name, in: view.directory, client: access.client)
        return directoryEntry(of: ViewInode(view: view.view, directory: number), access)
    }

    /// Lets the other files of Live Photos follow to where one was put, unless the program that did it goes on.
    ///
    /// - Parameter thread: whose look-up this is; nil for what does not depend on who asks.
    func letCompanionsFollow(_ thread: Int32?) {
        guard companions.ends(for: thread) else { return }
        do throws(Errno) { try library.letOthersFollow() } catch {
            // They follow the next time: what awaits them is in the catalogue.
            companions.noteCommit()
        }
    }

    /// Opens a file that is in a view alone.
    func open(_ view: ViewInode, flags: OpenFlags, _ caller: Caller) throws(Errno) -> OpenReply {
        guard view.isFile else { throw .isDirectory }
        guard !flags.canWrite, !flags.truncates else { throw .notPermitted }
        let access = try gate.askedAccess(of: caller, "open", "a view")
        let shown = try views.view(of: view)
        guard let file = try shown.file(view.directory) else { throw .stale }
        if let node = file.node {
            try gate.require(access, reaches: node, "open", pathForLog(node.id))
        } else {
            try gate.requireSight(access, "open", shown.name)
        }
        let bytes = try shown.open(file) { caller.isInterrupted }
        let node = files.adoptForReading(view.number, file: bytes)
        var reply = OpenReply(handle: files.addHandle(OpenHandle(node: node, canWrite: false, client: access.client)))
        // An edit or a revert changes which bytes are shown.
        reply.keepsCache = false
        // The kernel cuts reads at the size that it was told; this one was told a guess.
        reply.isDirect = file.isSizeEstimated
        reply.skipsFlush = true
        return reply
    }

    /// Takes an asset out of what a view's name stands for, or removes a file that was made there and is no asset yet.
    func unlink(
        _ name: FileName, of node: NodeRecord, from view: ViewInode, _ access: Access
    ) throws(Errno) {
        if node.kind != .asset {
            guard let place = try library.names(of: node.id).first else { throw .noEntry }
            let removal = try library.unlink(place.name, in: place.parent)
            if removal.isGone { files.orphan(removal.node) }
            notifier?.dropEntry(place.name, in: place.parent, waiting: 200_000_000)
            return
        }
        let shown = try views.view(of: view)
        if shown.isMembership { try gate.requireEverything(access, "unlink", name.description) }
        note(try shown.remove(name, of: node, from: view.directory), of: node)
    }

    /// Makes a file that is to become an asset, and what the view's directory stands for.
    func create(
        _ name: FileName, in view: ViewInode, mode: UInt32, flags: OpenFlags, _ caller: Caller
    ) throws(Errno) -> (entry: Entry, open: OpenReply) {
        let placement = try views.view(of: view).placement(in: view.directory)
        let access = gate.access(of: caller)
        companions.note(caller.pid)
        try gate.requireAdding(access, caller, "create", name.description)
        try gate.requireEverything(access, "create", name.description)
        try views.view(of: view).check(view.directory)
        let known: ViewItem?
        if let shown = try views.view(of: view).lookup(name, in: view.directory) {
            known = shown
        } else {
            known = try sidecar(name, in: view)
        }
        if case .node(let node)? = known {
            guard !flags.isExclusive else { throw .exists }
            return (try nodes.entry(of: node, for: access, isView: true), try open(node.id, flags: flags, for: caller))
        }
        if let place = try sidecarPlace(of: name, in: view) {
            let made = try library.makeFile(place.name, in: place.parent, mode: mode, owner: owner(caller, access))
            return try adopt(made, access, isView: true)
        }
        let made = try library.makeFile(name, for: placement, mode: mode, owner: owner(caller, access))
        return try adopt(made, access, isView: true)
    }

    /// Gives an asset a name in a view: it joins what the name stands for.
    func link(
        _ inode: UInt64, to name: FileName, in view: ViewInode, _ caller: Caller
    ) throws(Errno) -> Entry {
        let access = gate.access(of: caller)
        guard let node = try library.node(inode) else { throw files.node(inode) == nil ? .stale : .noEntry }
        try gate.require(access, reaches: node, "link", name.description)
        try gate.requireEverything(access, "link", name.description)
        guard node.kind == .asset else { throw .notPermitted }
        let shown = try views.view(of: view)
        // Only where the name is the view's own business; it would not be found under this one elsewhere.
        guard shown.isMembership else { throw .notPermitted }
        _ = try shown.receive(node, as: name, into: view.directory, mayReplace: false)
        companions.note(caller.pid)
        dropAttributes(of: [node.id])
        return try nodes.entry(of: node, for: access, isView: true)
    }

    /// Renames a view's directory.
    func moveDirectory(
        _ name: FileName, in view: ViewInode, to newName: FileName, in newParent: UInt64, _ mode: RenameMode,
        _ access: Access
    ) throws(Errno) {
        guard let target = ViewInode(newParent), target.view == view.view, mode != .exchange else {
            throw .notPermitted
        }
        try gate.requireEverything(access, "rename", name.description)
        try views.view(of: view).moveDirectory(
            name, from: view.directory, to: newName, in: target.directory, mayReplace: mode == .replace)
    }

    /// Renames an asset from somewhere into a view.
    func move(
        _ node: NodeRecord, _ name: FileName, from parent: UInt64, to newName: FileName, in target: ViewInode,
        _ mode: RenameMode, _ access: Access
    ) throws(Errno) -> ViewRemoval {
        let shown = try views.view(of: target)
        let mayReplace = mode == .replace
        if shown.isMembership { try gate.requireEverything(access, "rename", name.description) }
        guard let source = ViewInode(parent) else {
            guard node.kind == .asset else { throw .notPermitted }
            return try shown.receive(node, as: newName, into: target.directory, mayReplace: mayReplace)
        }
        if node.kind != .asset { return try movePlaced(node, name, from: source, to: newName, in: target, access) }
        let left = try views.view(of: source)
        let removal: ViewRemoval
        if source.view == target.view {
            removal = try shown.move(
                name, of: node, from: source.directory, to: newName, in: target.directory, mayReplace: mayReplace)
        } else {
            removal = try shown.receive(node, as: newName, into: target.directory, mayReplace: mayReplace)
            if left.isMembership { _ = try left.remove(name, of: node, from: source.directory) }
        }
        if left.isMembership, source != target { try takeOutOthers(of: node, from: source, left) }
        return removal
    }

    /// A Live Photo that is moved from one place of a view to another leaves the old one with both its files.
    private func takeOutOthers(of node: NodeRecord, from source: ViewInode, _ left: any View) throws(Errno) {
        guard let asset = node.asset else { return }
        for other in try library.otherFiles(ofAsset: asset) {
            for name in try left.names(of: other, in: source.directory) {
                _ = try left.remove(name, of: other, from: source.directory)
            }
        }
    }

    /// Renames a file that was made in a view and is no asset yet, as programs do that write to a temporary name first.
    private func movePlaced(
        _ node: NodeRecord, _ name: FileName, from source: ViewInode, to newName: FileName, in target: ViewInode,
        _ access: Access
    ) throws(Errno) -> ViewRemoval {
        let placement = try views.view(of: target).placement(in: target.directory)
        guard let place = try library.names(of: node.id).first else { throw .stale }
        // Over an asset of the view: the rules of writing over it hold, at its own place.
        var newPlace = (parent: Library.cameraRollNode, name: newName)
        if case .node(let existing)? = try views.view(of: target).lookup(newName, in: target.directory),
            existing.id != node.id, let there = try library.names(of: existing.id).first
        {
            newPlace = there
        } else if let beside = try sidecarPlace(of: newName, in: target) {
            newPlace = beside
        } else if try library.entry(newName, in: newPlace.parent) != nil {
            newPlace.name = try library.freeName(like: newName, in: newPlace.parent)
        }
        try library.move(
            node.id, from: views.view(of: source).placement(in: source.directory), name, to: placement, newName)
        try renameInRoll(node, place.name, place.parent, newPlace.name, newPlace.parent, .replace, access)
        return ViewRemoval()
    }

    /// Moves an asset's name in the camera roll, for one who moves it there from a view.
    func move(
        _ node: NodeRecord, _ name: FileName, from view: ViewInode, toRoll newName: FileName, in newParent: UInt64,
        _ mode: RenameMode, _ access: Access
    ) throws(Errno) {
        let shown = try views.view(of: view)
        if shown is RecentlyDeletedView {
            try library.restore(node.id, as: newName, in: newParent, mayReplace: mode == .replace)
            return takeUpSidecars(of: node.id, named: newName, access)
        }
        if shown.isMembership { try gate.requireEverything(access, "rename", name.description) }
        guard let place = try library.names(of: node.id).first else { throw .notPermitted }
        try renameInRoll(node, place.name, place.parent, newName, newParent, mode, access)
        notifier?.dropEntry(place.name, in: place.parent, waiting: 0)
        guard shown.isMembership, node.kind == .asset, let now = try library.node(node.id) else { return }
        _ = try shown.remove(name, of: now, from: view.directory)
    }
}
