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
    /// What a refused operation answers: `EPERM` where no user can lift the restriction, else `EACCES`.
    public let refusal: Errno

    /// Combines the records of both levels.
    init(client: String, readWrite: AuthorizationStatus, addOnly: AuthorizationStatus) {
        self.client = client
        switch readWrite {
        case .authorized:
            visibility = .everything
            canAdd = true
            refusal = .accessDenied
        case .limited:
            visibility = .limited
            canAdd = true
            refusal = .accessDenied
        case .notDetermined, .denied, .restricted:
            let adds = addOnly == .authorized || addOnly == .limited
            visibility = adds ? .ownRecent : .nothing
            canAdd = adds
            refusal = readWrite == .restricted || addOnly == .restricted ? .notPermitted : .accessDenied
        }
    }

    /// Nobody's access, for when the records cannot be read.
    static func none(client: String) -> Access { Access(client: client, readWrite: .denied, addOnly: .denied) }
}
