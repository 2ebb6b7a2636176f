import Glibc

/// The users that this machine knows (getpwnam_r(3)).
public enum UserDatabase {
    private static let bufferSize = 1 << 16

    /// The number of a user by name; nil where nobody has it.
    public static func identifier(ofName name: String) -> UInt32? {
        // The C library would read a name up to its first zero byte.
        guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
        return withEntry { getpwnam_r(name, $0, $1, $2, $3) }.map { $0.identifier }
    }

    /// The name of a user by number; nil where nobody has it.
    public static func name(of uid: UInt32) -> String? {
        withEntry { getpwuid_r(uid, $0, $1, $2, $3) }?.name
    }

    /// The home directory of a user by number; nil where nobody has it.
    public static func home(of uid: UInt32) -> String? {
        withEntry { getpwuid_r(uid, $0, $1, $2, $3) }?.home
    }

    private static func withEntry(
        _ look: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) -> (identifier: UInt32, name: String, home: String)? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: bufferSize) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var entry = passwd()
            var result: UnsafeMutablePointer<passwd>?
            guard look(&entry, start, buffer.count, &result) == 0, let result else { return nil }
            return (
                result.pointee.pw_uid, String(cString: result.pointee.pw_name),
                result.pointee.pw_dir.map { String(cString: $0) } ?? ""
            )
        }
    }
}
