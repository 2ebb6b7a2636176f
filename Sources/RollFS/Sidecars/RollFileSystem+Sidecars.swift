internal import FUSE
internal import PhotoLibrary
internal import Platform

extension RollFileSystem {
    /// Takes up what lies beside a name that came without a commit, or what the file of that name says.
    func takeUpSidecars(of id: UInt64, named name: FileName, _ access: Access) {
        do throws(Errno) {
            guard let node = try library.node(id) else { return }
            switch node.kind {
            case .asset: try library.attachSidecars(to: id, client: access.client)
            case .plain where SidecarName(name) != nil:
                dropAttributes(of: library.takeUpSidecar(id, client: access.client))
            default: break
            }
        } catch {
            library.events.add(
                EventLog.Event(
                    client: access.client, operation: "sidecar", path: pathForLog(id), errno: error,
                    reason: "Nothing was taken from the sidecars here: \(error). They are kept as they are."))
        }
    }

    func takeUpMissedSidecars() {
        do throws(Errno) { try library.takeUpMissedSidecars() } catch {
            library.events.add(
                EventLog.Event(
                    client: "", operation: "sidecar", path: "DCIM", errno: error,
                    reason: "Sidecars could not be looked for: \(error). It is tried again with the next mount."))
        }
    }

    /// Tells the kernel of a sidecar that followed its asset.
    func note(_ move: Library.SidecarMove) {
        gate.namesChanged()
        dropAttributes(of: [move.parent, move.newParent, move.node])
        notifier?.dropEntry(move.name, in: move.parent, waiting: 0)
    }

    /// Where a sidecar lies, or is to lie, whose picture a view's directory shows; nil for other names, where there is no
    /// such picture, and in views that take no files.
    func sidecarPlace(of name: FileName, in view: ViewInode) throws(Errno) -> (parent: UInt64, name: FileName)? {
        guard let sidecar = SidecarName(name) else { return nil }
        let shown = try views.view(of: view)
        do throws(Errno) { _ = try shown.placement(in: view.directory) } catch .notPermitted { return nil }
        for picture in try library.pictures(of: sidecar, inAlbum: shown is AlbumsView ? view.directory : nil) {
            guard case .node(let node)? = try shown.lookup(picture, in: view.directory), node.kind == .asset else {
                continue
            }
            return try library.place(of: sidecar, beside: picture, node: node.id)
        }
        return nil
    }

    /// The sidecar beside a picture that a view's directory shows. Listings leave it out: who removes all that an album
    /// lists means the album, and not what lies in the camera roll.
    func sidecar(_ name: FileName, in view: ViewInode) throws(Errno) -> ViewItem? {
        guard let place = try sidecarPlace(of: name, in: view),
            let entry = try library.entry(place.name, in: place.parent), entry.node.kind == .plain
        else { return nil }
        return .node(entry.node)
    }
}
