internal import FUSE
internal import PhotoLibrary
internal import Platform

/// Under which name each thread last looked up an asset that has several.
///
/// The kernel opens by inode. A thread that opens a path has looked it up just before, since such names are never
/// cached; so the name that it opened is known, and writing over it leaves the other names alone.
final class LastLookups: Sendable {
    private struct Lookup {
        var inode: UInt64
        var name: WrittenName
    }

    private let lookups = Lock<[Int32: Lookup]>([:])
    /// Threads that are remembered; beyond that all are forgotten, and names are unknown until looked up again.
    private static let limit = 4096

    func note(_ name: WrittenName, of inode: UInt64, for caller: Caller) {
        lookups.withLock { lookups in
            if lookups.count >= Self.limit { lookups.removeAll() }
            lookups[caller.pid] = Lookup(inode: inode, name: name)
        }
    }

    func name(of inode: UInt64, for caller: Caller) -> WrittenName? {
        lookups.withLock { lookups in
            guard let lookup = lookups[caller.pid], lookup.inode == inode else { return nil }
            return lookup.name
        }
    }
}
