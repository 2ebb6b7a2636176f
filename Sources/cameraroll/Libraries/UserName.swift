import Glibc

/// Users by name and number (getpwnam_r(3)).
enum UserName {
    private static let bufferSize = 1 << 16

    /// A user's number: digits, or a name that this machine knows.
    static func identifier(of text: String) -> UInt32? {
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // The highest number means "no user" to the kernel.
            return UInt32(text).flatMap { $0 == .max ? nil : $0 }
        }
        return withEntry { getpwnam_r(text, $0, $1, $2, $3) }.map { $0.identifier }
    }

    /// `anna (1000)`, or the number alone.
    static func describe(_ uid: UInt32) -> String {
        guard let entry = withEntry({ getpwuid_r(uid, $0, $1, $2, $3) }) else { return "\(uid)" }
        return "\(entry.name) (\(uid))"
    }

    private static func withEntry(
        _ look: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) -> (identifier: UInt32, name: String)? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: bufferSize) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var entry = passwd()
            var result: UnsafeMutablePointer<passwd>?
            guard look(&entry, start, buffer.count, &result) == 0, let result else { return nil }
            return (result.pointee.pw_uid, String(cString: result.pointee.pw_name))
        }
    }
}
