public import Platform

/// What a client may do, as its records have it now.
public struct Access: Sendable {
    /// Which part of the library a client sees, reads and changes.
    public enum Visibility: Sendable, Hashable {
        case everything
        /// The set chosen for it, and what it added itself.
        case limited
        /// What it added itself in the last minutes.
        case ownRecent
        case nothing
    }

    /// The client whose record decides, such as "user:1000".
    public let client: String
    public let visibility: Visibility
    public let canAdd: Bool
    private let readWrite: AuthorizationStatus
    private let addOnly: AuthorizationStatus

    /// Combines the records of both levels.
    init(client: String, readWrite: AuthorizationStatus, addOnly: AuthorizationStatus) {
        self.client = client
        self.readWrite = readWrite
        self.addOnly = addOnly
        switch readWrite {
        case .authorized:
            visibility = .everything
            canAdd = true
        case .limited:
            visibility = .limited
            canAdd = true
        case .notDetermined, .denied, .restricted:
            let adds = addOnly == .authorized || addOnly == .limited
            visibility = adds ? .ownRecent : .nothing
            canAdd = adds
        }
    }

    /// What a refused operation answers: `EPERM` where no user can lift the restriction, else `EACCES`.
    public var refusal: Errno {
        // One that sees a part is refused the rest, which is no restriction.
        if visibility == .everything || visibility == .limited { return .accessDenied }
        return readWrite == .restricted || addOnly == .restricted ? .notPermitted : .accessDenied
    }

    /// Whether the user is to be asked before a client is refused what the level stands for.
    ///
    /// One that may add is not asked about reading: it would be at its first look-up, and adding is what it came for.
    public func asks(for level: AccessLevel) -> Bool {
        switch level {
        case .readWrite:
            visibility == .nothing && readWrite == .notDetermined && addOnly != .restricted
        case .addOnly:
            !canAdd && addOnly == .notDetermined && readWrite != .restricted
        }
    }

    /// The same under what an administrator restricts.
    func restricted(readWrite isReadRestricted: Bool, addOnly isAddRestricted: Bool) -> Access {
        if !isReadRestricted && !isAddRestricted { return self }
        // Reading, changing and adding is no more than adding where that is restricted: nothing.
        return Access(
            client: client, readWrite: isReadRestricted || isAddRestricted ? .restricted : readWrite,
            addOnly: isAddRestricted ? .restricted : addOnly)
    }

    /// Nobody's access, for when the records cannot be read.
    static func none(client: String) -> Access { Access(client: client, readWrite: .denied, addOnly: .denied) }
}
