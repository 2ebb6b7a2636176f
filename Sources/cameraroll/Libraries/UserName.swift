import Platform

/// Users by name and number, as a person writes and reads them.
enum UserName {
    /// A user's number: digits, or a name that this machine knows.
    static func identifier(of text: String) -> UInt32? {
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // The highest number means "no user" to the kernel.
            return UInt32(text).flatMap { $0 == .max ? nil : $0 }
        }
        return UserDatabase.identifier(ofName: text)
    }

    /// `anna (1000)`, or the number alone.
    static func describe(_ uid: UInt32) -> String {
        guard let name = UserDatabase.name(of: uid) else { return "\(uid)" }
        return "\(name) (\(uid))"
    }
}
