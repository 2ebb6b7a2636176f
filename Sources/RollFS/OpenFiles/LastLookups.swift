internal import FUSE
internal import PhotoLibrary
internal import Platform

/// Under which name each thread last looked up an asset that has several, or one in a view.
///
/// The kernel opens by inode. A thread that opens a path has looked it up just before, since such names are never
/// cached; so the name that it opened is known, and writing over it leaves the other names alone.
final class LastLookups: Sendable {
    private struct Lookup {
        var inode: UInt64
        var name: WrittenName?
        var viewName: ViewName?
    }

    /// A name in a view.
    struct ViewName: Sendable {
        var directory: ViewInode
        var name: FileName
    }

    private let lookups = Lock<[Int32: Lookup]>([:])
    /// Threads that are remembered; beyond that all are forgotten, and names are unknown until looked up again.
    private static let limit = 4096

    func note(_ name: WrittenName, of inode: UInt64, for caller: Caller) {
        note(Lookup(inode: inode, name: name), caller)
    }

    func note(_ name: ViewName, of inode: UInt64, for caller: Caller) {
        note(Lookup(inode: inode, viewName: name), caller)
    }

    /// Notes that a thread looked something up of which no name needs to be known.
    func clear(_ inode: UInt64, for caller: Caller) {
        lookups.withLock { lookups in
            if lookups[caller.pid]?.inode == inode { lookups[caller.pid] = nil }
        }
    }

    private func note(_ lookup: Lookup, _ caller: Caller) {
        lookups.withLock { lookups in
            if lookups.count >= Self.limit { lookups.removeAll() }
            lookups[caller.pid] = lookup
        }
    }

    func name(of inode: UInt64, for caller: Caller) -> WrittenName? {
        lookups.withLock { lookups in
            guard let lookup = lookups[caller.pid], lookup.inode == inode else { return nil }
            return lookup.name
        }
    }

    func viewName(of inode: UInt64, for caller: Caller) -> ViewName? {
        lookups.withLock { lookups in
            guard let lookup = lookups[caller.pid], lookup.inode == inode else { return nil }
            return lookup.viewName
        }
    }
}
