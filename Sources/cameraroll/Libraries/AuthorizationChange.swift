import Glibc
import PhotoLibrary
import Platform

/// Storing answers for clients.
enum AuthorizationChange {
    /// Only the library's owner and root answer for clients.
    static func requireOwner(of path: String) throws(CommandFailure) {
        let owner: UInt32
        do throws(Errno) { owner = try Directory(path).descriptor.status().uid } catch {
            throw CommandFailure(system: error, "\(path) cannot be opened")
        }
        guard geteuid() == 0 || geteuid() == owner else {
            throw CommandFailure(
                .notAuthorized,
                "Only the owner of \(path) (\(UserName.describe(owner))) or root may change who has access to it.")
        }
    }

    /// Stores the statuses that differ from what is stored.
    static func apply(
        _ statuses: [AccessLevel: AuthorizationStatus], to client: Client, in library: Library
    ) throws(CommandFailure) {
        try refuseRestricted(client, in: library)
        do throws(Errno) {
            let stored = try library.authorization.records().filter { $0.client == client.description }
            let changes = statuses.filter { level, status in
                stored.first { $0.level == level }?.status != status
            }
            if changes.isEmpty { return }
            try change(client, in: library) { () throws(Errno) in
                try library.authorization.set(changes, of: client)
            }
        } catch { throw OpenLibrary.failure(error, library, "The authorization of \(client) cannot be stored") }
    }

    /// Lets a client see some assets only, besides what it adds itself.
    static func limit(_ client: Client, to assets: [Int64], in library: Library) throws(CommandFailure) {
        try refuseRestricted(client, in: library)
        do throws(Errno) {
            try change(client, in: library) { () throws(Errno) in
                try library.authorization.limit(client, to: assets)
            }
        } catch {
            throw OpenLibrary.failure(error, library, "The authorization of \(client) cannot be stored")
        }
    }

    static func reset(_ client: Client, in library: Library) throws(CommandFailure) {
        try refuseRestricted(client, in: library)
        do throws(Errno) {
            try change(client, in: library) { () throws(Errno) in try library.authorization.reset(client) }
        } catch {
            throw OpenLibrary.failure(error, library, "The authorization of \(client) cannot be reset")
        }
    }

    /// Changes records, and returns when a mount serves nobody from what the kernel kept of before.
    static func change(
        _ client: Client, in library: Library, _ body: () throws(Errno) -> Void
    ) throws(Errno) {
        let authorization = library.authorization
        let sawEverything = authorization.seesEverything(uid: client.uid)
        try body()
        guard sawEverything, !authorization.seesEverything(uid: client.uid) else { return }
        if case .held = try MountLock.state(of: library.path) { Clock.sleep(Authorization.cacheLifetime) }
    }

    /// What an administrator restricted no user can lift.
    static func refuseRestricted(_ client: Client, in library: Library) throws(CommandFailure) {
        let isRestricted: Bool
        do throws(Errno) {
            isRestricted = try library.authorization.records()
                .contains { $0.client == client.description && $0.status == .restricted }
        } catch { throw OpenLibrary.failure(error, library, "The authorization of \(client) cannot be read") }
        if isRestricted {
            throw CommandFailure(
                .notAuthorized, "\(client) is restricted by this machine's administrator, who alone can change that.")
        }
    }

    /// Says where the administrator's policy keeps what is stored from counting.
    static func notePolicy(on client: Client) {
        let (user, program): (UInt32, String?) =
            switch client {
            case .user(let uid): (uid, nil)
            case .program(let path, let uid): (uid, path)
            }
        do throws(PolicyError) {
            let policy = try AuthorizationPolicy.load()
            let levels = AccessLevel.allCases.filter { policy.isRestricted($0, user: user, program: program) }
            guard !levels.isEmpty else { return }
            // What concerns some program of a user need not concern all of them.
            let extent = program == nil && policy.concernsPrograms(of: user) ? " for some programs or all" : ""
            StandardError.note(
                "\(levels.map(\.name).joined(separator: " and ")) access of \(client) is restricted\(extent) by this machine's"
                    + " administrator (\(AuthorizationPolicy.standardPath)), whatever is stored here.")
        } catch {
            StandardError.note("\(error)")
        }
    }
}
