import PhotoLibrary
import Platform

/// What `--authorize` stores: the mounting user's own answer, as if it had pressed a button when asked.
///
/// "Read and write" allows both levels. "Add only" allows adding and denies reading, whatever was stored before: the
/// user's latest word counts, and it must never leave more open than it says.
enum MountAuthorization {
    static func statuses(for level: AccessLevel) -> [AccessLevel: AuthorizationStatus] {
        switch level {
        case .readWrite: [.readWrite: .authorized, .addOnly: .authorized]
        case .addOnly: [.readWrite: .denied, .addOnly: .authorized]
        }
    }

    static func apply(_ level: AccessLevel, user: UInt32, library path: String) throws(CommandFailure) {
        let library = try OpenLibrary.open(path, forReading: false)
        defer { library.close() }
        try AuthorizationChange.requireOwner(of: path)
        try AuthorizationChange.apply(statuses(for: level), to: .user(user), in: library)
    }
}
