internal import PhotoLibrary
internal import Platform

/// What the kernel was told of names and attributes that it may keep, for as long as it may.
///
/// When another process has changed the library, these are dropped; everything else the kernel asks for anyway.
final class RecentAnswers: Sendable {
    struct Name: Hashable {
        var parent: UInt64
        var name: FileName
    }

    /// Answers of some while.
    struct Batch {
        fileprivate var began: Int64 = 0
        /// Where each name led.
        var names: [Name: UInt64] = [:]
        var inodes: Set<UInt64> = []
        /// There were more than are remembered.
        var isCut = false

        fileprivate mutating func add(_ name: Name?, _ inode: UInt64) {
            guard names.count < RecentAnswers.limit, inodes.count < RecentAnswers.limit else {
                isCut = true
                return
            }
            inodes.insert(inode)
            if let name { names[name] = inode }
        }
    }

    private struct State {
        var current = Batch()
        /// What came before it and may not have run out yet.
        var previous = Batch()
    }

    private let announcements: ChangeAnnouncements
    /// Held for moments only.
    private let state = Lock(State())
    /// Of names and of inodes. Beyond it the kernel is given the time to forget by itself.
    private static let limit = 16384

    init(announcements: ChangeAnnouncements) { self.announcements = announcements }

    /// Notes an answer that is about to be given.
    ///
    /// - Parameters:
    ///   - name: nil for attributes alone.
    ///   - count: how many announcements there were before the answer was looked up.
    /// - Returns: false where there were more meanwhile: the kernel may not keep the answer.
    func note(_ name: Name?, _ inode: UInt64, since count: UInt64) -> Bool {
        let now = Clock.monotonic()
        return state.withLock { state in
            // Under the lock: whoever follows an announcement takes what was noted after having seen it.
            guard announcements.count == count else { return false }
            if now &- state.current.began > Authorization.cacheLifetime {
                state.previous = state.current
                state.current = Batch()
                state.current.began = now
            }
            state.current.add(name, inode)
            return true
        }
    }

    /// Takes what was noted.
    func take() -> Batch {
        state.withLock { state in
            defer { state = State() }
            var all = state.current
            all.names.merge(state.previous.names) { current, _ in current }
            all.inodes.formUnion(state.previous.inodes)
            all.isCut = all.isCut || state.previous.isCut
            return all
        }
    }
}
