/// Whether a client may use the library (PHAuthorizationStatus, with its raw values).
public enum AuthorizationStatus: Int, Sendable, CaseIterable {
    case notDetermined = 0
    case restricted = 1
    case denied = 2
    case authorized = 3
    case limited = 4

    /// How much a status allows, least first: for when several may be meant.
    var extent: Int {
        switch self {
        case .restricted: 0
        case .denied: 1
        case .notDetermined: 2
        case .limited: 3
        case .authorized: 4
        }
    }

    /// The name that the command prints.
    public var name: String {
        switch self {
        case .notDetermined: "not determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorized: "authorized"
        case .limited: "limited"
        }
    }
}

/// What a client asks for (PHAccessLevel, with its raw values).
public enum AccessLevel: Int, Sendable, CaseIterable {
    case addOnly = 1
    case readWrite = 2

    public var name: String {
        switch self {
        case .addOnly: "add-only"
        case .readWrite: "read-write"
        }
    }
}

/// Who asks: a user, or a program run by a user.
public enum Client: Sendable, Hashable, CustomStringConvertible {
    case user(UInt32)
    /// - Parameter path: as the kernel names the program of a process.
    case program(path: String, user: UInt32)

    public var uid: UInt32 {
        switch self {
        case .user(let uid), .program(_, let uid): uid
        }
    }

    /// `user:1000` or `program:/usr/bin/rsync@1000`.
    public var description: String {
        switch self {
        case .user(let uid): "user:\(uid)"
        case .program(let path, let uid): "program:\(path)@\(uid)"
        }
    }

    /// Reads what `description` writes; nil for anything else.
    public init?(_ text: String) {
        if let uid = text.dropPrefix("user:").flatMap({ UInt32($0) }) {
            self = .user(uid)
        } else if let rest = text.dropPrefix("program:"), let at = rest.lastIndex(of: "@"),
            let uid = UInt32(rest[rest.index(after: at)...]), rest.hasPrefix("/")
        {
            self = .program(path: String(rest[..<at]), user: uid)
        } else {
            return nil
        }
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}

/// A stored answer.
public struct AuthorizationRecord: Sendable, Hashable {
    public var client: String
    public var level: AccessLevel
    public var status: AuthorizationStatus
    /// Nanoseconds since 1970 UTC.
    public var changed: Int64
}
