internal import Platform
internal import SQLite

/// Removes files that no row names any more.
///
/// A transaction that takes a file's last row away notes the file; only after it has been committed does the file go.
/// A crash between the two leaves the note, which the next opening works off.
final class FileSweeper: Sendable {
    private let catalog: Catalog
    private let store: Store
    private let isRelaxed: Bool
    private enum Activity { case idle, sweeping, sweepingAgain }
    private let activity = Lock(Activity.idle)

    /// - Parameter isRelaxed: the library does not wait for the disk.
    init(catalog: Catalog, store: Store, isRelaxed: Bool) {
        self.isRelaxed = isRelaxed
        self.catalog = catalog
        self.store = store
    }

    /// Removes the files noted so far. Where another thread is at it already, that one takes these too.
    func sweep() {
        let begins = activity.withLock { activity in
            defer { activity = activity == .idle ? .sweeping : .sweepingAgain }
            return activity == .idle
        }
        guard begins else { return }
        repeat {
            do throws(Errno) {
                while try sweepSome() {}
            } catch {
                // The notes stay in the catalogue; the next sweep tries again.
            }
        } while !isDone()
    }

    private func isDone() -> Bool {
        activity.withLock { activity in
            defer { activity = activity == .sweepingAgain ? .sweeping : .idle }
            return activity != .sweepingAgain
        }
    }

    private func sweepSome() throws(Errno) -> Bool {
        let files = try catalog.read { (database) throws(Errno) in
            try database.all("SELECT file FROM doomed_file LIMIT 256") { $0.text(0) }
        }
        if files.isEmpty { return false }
        // Versions go only after the transaction that let go of them is on the disk: a power cut before that brings
        // the rows back. What lies in staging was removed by whoever owned it, and recovery knows rows without files.
        if !isRelaxed, files.contains(where: { !$0.hasPrefix(Store.staging + "/") }) { try catalog.synchronize() }
        for file in files { try store.remove(file) }
        try catalog.write { (database) throws(Errno) in
            for file in files { try database.run("DELETE FROM doomed_file WHERE file = ?", [.text(file)]) }
        }
        return files.count == 256
    }
}
