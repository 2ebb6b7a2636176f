internal import FUSE
internal import PhotoLibrary
internal import Platform

/// Attributes of the views' directories.
extension RollFileSystem {
    func directoryEntry(of inode: ViewInode, _ access: Access) -> Entry {
        Entry(viewAttributes(of: inode, access), attributeTimeout: 0, entryTimeout: 0)
    }

    /// A view's directories are whose the camera roll is, with its permissions, but for those that keep their own. What
    /// they list may change with everything that changes in the library, so that is their time; tar(1) takes a
    /// directory whose time moves by itself for one that was changed under its hands.
    func viewAttributes(of inode: ViewInode, _ access: Access) -> Attributes {
        let roll = found { () throws(Errno) in try library.node(Library.cameraRollNode) }
        let own = found { () throws(Errno) in
            try views.view(of: inode).ownAttributes(of: inode.directory)
        }
        var attributes = Attributes(
            inode: inode.number, mode: own?.mode.map { 0o040000 | $0 & 0o7777 } ?? roll?.mode ?? 0o040755)
        attributes.links = 2
        attributes.uid = own?.uid ?? roll?.uid ?? options.owner
        attributes.gid = own?.gid ?? roll?.gid ?? 0
        attributes.size = 4096
        attributes.blocks = 8
        let sees = access.visibility == .everything
        let changed = sees ? found { () throws(Errno) in try library.lastChange() } : nil
        attributes.changeTime = changed ?? nodes.began
        attributes.modificationTime = (sees ? own?.modified : nil) ?? attributes.changeTime
        attributes.accessTime = attributes.modificationTime
        return attributes
    }

    /// Attributes are shown as far as they can be read.
    private func found<Value>(_ body: () throws(Errno) -> Value?) -> Value? {
        do throws(Errno) { return try body() } catch { return nil }
    }

    /// `chmod`, `chown` and `utimensat` of a view's directory.
    ///
    /// - Throws: `EPERM` where the view keeps no such thing. Times are what `cp -a` and `rsync -a` end a directory with:
    ///   where they are not kept they are passed over, and so are the permissions and the owner that it has already.
    func setAttributes(
        of view: ViewInode, to update: Library.AttributeUpdate, for access: Access
    ) throws(Errno) -> TimedAttributes {
        guard !view.isFile else { throw .notPermitted }
        let shown = try views.view(of: view)
        try gate.requireEverything(access, "setattr", shown.name)
        try shown.check(view.directory)
        if try shown.ownAttributes(of: view.directory) != nil {
            try shown.update(view.directory, update)
        } else {
            let now = viewAttributes(of: view, access)
            if let mode = update.mode, (mode ^ now.mode) & 0o7777 != 0 { throw .notPermitted }
            if let uid = update.uid, uid != now.uid { throw .notPermitted }
            if let gid = update.gid, gid != now.gid { throw .notPermitted }
        }
        return TimedAttributes(viewAttributes(of: view, access), timeout: 0)
    }
}
