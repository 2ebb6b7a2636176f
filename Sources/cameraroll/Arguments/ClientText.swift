import PhotoLibrary
import Platform

/// Clients as a person writes them.
enum ClientText {
    /// Reads `user:1000`, `user:NAME`, `program:/path@1000` or `program:/path@NAME`.
    ///
    /// A program is known by the path that the kernel shows, without symbolic links: `/bin/cp` is stored as
    /// `/usr/bin/cp` where `/bin` is a link.
    static func client(_ text: String) throws(CommandFailure) -> Client {
        if text.hasPrefix("user:") { return .user(try user(text.dropFirst(5))) }
        guard text.hasPrefix("program:/"), let at = text.lastIndex(of: "@") else {
            throw .usage(
                "\(DisplayText.excerpt(text)) is no client. Write user:1000, user:NAME, or program:/path@1000.")
        }
        let path = String(text[..<at].dropFirst(8))
        let user = try user(text[text.index(after: at)...])
        do throws(Errno) {
            let resolved = try PathName.resolved(path)
            if !resolved.utf8.elementsEqual(path.utf8) {
                StandardError.note("\(path) is \(resolved); the answer is stored for that.")
            }
            return .program(path: resolved, user: user)
        } catch {
            StandardError.note("\(path) is not there now (\(error)); the answer is stored as it is written.")
            return .program(path: path, user: user)
        }
    }

    private static func user(_ text: Substring) throws(CommandFailure) -> UInt32 {
        guard let uid = UserName.identifier(of: String(text)) else {
            throw CommandFailure(
                .noSuchItem, "There is no user \(DisplayText.excerpt(String(text))) on this machine.")
        }
        return uid
    }
}
