/// What this machine's administrator restricts, whatever a library's owner allows: `/etc/cameraroll/policy.json`.
///
/// ```json
/// {
///   "restrictions": [
///     { "user": "anna" },
///     { "user": 1000, "levels": ["read-write"] },
///     { "user": "*", "program": "/usr/bin/rsync" }
///   ]
/// }
/// ```
///
/// Each rule takes from a user what its `levels` name, `read-write`, `add-only`, or both where there are none.
/// - `user`: a name or a number, or `"*"` for every user, root among them.
/// - `program`: an absolute path; the rule then holds for that program alone, by whatever name it is called, also after
///   its file was replaced while it runs.
///
/// Anything else in the file is an error: a word spelled wrong must not lift a restriction. So is a user whom nobody
/// knows. A machine without the file restricts nothing. Restricting `add-only` restricts `read-write` too, which includes
/// adding.
public struct AuthorizationPolicy: Sendable {
    /// Where the file lies.
    public static let standardPath = "/etc/cameraroll/policy.json"
    /// A policy that restricts nothing.
    public static let none = AuthorizationPolicy(rules: [])

    struct Rule: Sendable, Hashable {
        /// Nil for every user.
        var user: UInt32?
        /// The program's path as it was written, and without symbolic links; empty for every program.
        var programs: Set<String> = []
        var levels: Set<AccessLevel> = Set(AccessLevel.allCases)
    }

    private let everyone: [Rule]
    private let users: [UInt32: [Rule]]

    init(rules: [Rule]) {
        everyone = rules.filter { $0.user == nil }
        users = Dictionary(grouping: rules.filter { $0.user != nil }) { $0.user ?? .max }
    }

    /// Whether nothing is restricted.
    public var isEmpty: Bool { everyone.isEmpty && users.isEmpty }

    /// Whether the administrator forbids a level of access.
    ///
    /// - Parameter program: as the kernel names it. Where that is not known, a rule for any program of the user holds.
    public func isRestricted(_ level: AccessLevel, user: UInt32, program: String?) -> Bool {
        let matches = { (rule: Rule) in
            rule.levels.contains(level) && (rule.programs.isEmpty || program.map { rule.names($0) } ?? true)
        }
        return everyone.contains(where: matches) || users[user]?.contains(where: matches) == true
    }

    /// Whether it matters which program of a user asks.
    public func concernsPrograms(of user: UInt32) -> Bool {
        let isAboutPrograms = { (rule: Rule) in !rule.programs.isEmpty }
        return everyone.contains(where: isAboutPrograms) || users[user]?.contains(where: isAboutPrograms) == true
    }
}

extension AuthorizationPolicy.Rule {
    /// What the kernel puts behind the path of a running program whose file is gone (proc(5)).
    private static let deletedMark = " (deleted)"

    fileprivate func names(_ program: String) -> Bool {
        programs.contains { path in
            let rest = program.utf8.dropFirst(path.utf8.count)
            return program.utf8.starts(with: path.utf8)
                && (rest.isEmpty || rest.elementsEqual(Self.deletedMark.utf8))
        }
    }
}
