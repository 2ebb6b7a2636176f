internal import Platform

/// Why the administrator's policy cannot be used. Nothing is mounted then, since nobody knows what it restricts.
public struct PolicyError: Error, Sendable, Hashable, CustomStringConvertible {
    public let path: String
    /// Counted from 1; nil where it is about the file as a whole.
    public let line: Int?
    /// What is wrong and what to do, in whole sentences.
    public let reason: String

    public var description: String {
        "The policy file \(path)" + (line.map { ", line \($0)" } ?? "") + ": \(reason)"
    }
}

/// Reading the policy file.
extension AuthorizationPolicy {
    private static let sizeLimit = 1 << 20

    /// Reads the policy file. A file that does not exist restricts nothing.
    ///
    /// - Throws: where the file is not root's or others can write it, where it is no regular file or longer than 1 MiB,
    ///   cannot be read, or holds anything that is no policy.
    public static func load(path: String = standardPath) throws(PolicyError) -> AuthorizationPolicy {
        let status: FileStatus
        let bytes: [UInt8]
        do throws(Errno) {
            let file = try FileDescriptor.open(path, [.readOnly, .noFollow, .nonBlocking])
            status = try file.status()
            bytes = status.kind == .regular ? try file.readBytes(sizeLimit + 1, at: 0) : []
        } catch .noEntry {
            return .none
        } catch {
            throw PolicyError(path: path, line: nil, reason: reason(for: error, path))
        }
        if let problem = problem(with: status, path) { throw PolicyError(path: path, line: nil, reason: problem) }
        return try parse(bytes, path: path)
    }

    private static func reason(for error: Errno, _ path: String) -> String {
        switch error {
        case .tooManySymbolicLinks: "It is a symbolic link. Put the file itself there."
        case .accessDenied: "It cannot be read. Let everyone read it: chmod a+r \(path)"
        default: "It cannot be read: \(error)."
        }
    }

    private static func problem(with status: FileStatus, _ path: String) -> String? {
        if status.kind != .regular { return "It is no regular file. Put a file there, or remove it." }
        if status.uid != 0 {
            return
                "It belongs to the user \(status.uid), who is not the administrator. Give it to root: chown root \(path)"
        }
        if status.mode & 0o022 != 0 {
            return "Others than root may write it. Take that from them: chmod go-w \(path)"
        }
        return nil
    }
}

/// Understanding its text.
extension AuthorizationPolicy {
    private static let keys = ["user", "program", "levels"]

    /// Reads a policy's text.
    ///
    /// - Parameter path: for messages.
    static func parse(_ bytes: [UInt8], path: String) throws(PolicyError) -> AuthorizationPolicy {
        let document: JSONValue
        do throws(JSONError) { document = try JSONParser.parse(bytes, limit: sizeLimit) } catch {
            throw PolicyError(
                path: path, line: error.line, reason: "It is not JSON at column \(error.column): \(error.reason).")
        }
        do throws(Problem) { return try policy(document) } catch {
            throw PolicyError(path: path, line: error.line, reason: error.reason)
        }
    }

    private struct Problem: Error {
        var line: Int
        var reason: String
    }

    private static func policy(_ document: JSONValue) throws(Problem) -> AuthorizationPolicy {
        guard let members = document.members else {
            throw Problem(
                line: document.line,
                reason: "It holds \(document.kindName). It has to be an object: {\"restrictions\": […]}")
        }
        try refuseUnknown(members, known: ["restrictions"])
        guard let list = document["restrictions"] else {
            throw Problem(
                line: document.line,
                reason: "The key \"restrictions\" is missing. Write {\"restrictions\": []} to restrict nothing.")
        }
        guard let elements = list.elements else {
            throw Problem(line: list.line, reason: "\"restrictions\" has to be a list of rules, not \(list.kindName).")
        }
        var rules: [Rule] = []
        for element in elements { rules.append(try rule(element)) }
        return AuthorizationPolicy(rules: rules)
    }

    private static func rule(_ value: JSONValue) throws(Problem) -> Rule {
        guard let members = value.members else {
            throw Problem(line: value.line, reason: "A rule has to be an object, not \(value.kindName).")
        }
        try refuseUnknown(members, known: keys)
        guard let user = value["user"] else {
            throw Problem(line: value.line, reason: "The rule names no user. Add \"user\": a name, a number, or \"*\".")
        }
        var rule = Rule(user: try self.user(user))
        if let program = value["program"] { rule.programs = try programs(program) }
        if let levels = value["levels"] { rule.levels = try self.levels(levels) }
        return rule
    }

    private static func refuseUnknown(_ members: [JSONMember], known: [String]) throws(Problem) {
        for member in members where !known.contains(where: { $0.utf8.elementsEqual(member.key.utf8) }) {
            let names = known.map { "\"\($0)\"" }.joined(separator: ", ")
            throw Problem(
                line: member.line,
                reason: "\(JSONText.quoted(member.key)) means nothing here. What may stand here: \(names).")
        }
    }

    /// - Returns: nil for every user.
    private static func user(_ value: JSONValue) throws(Problem) -> UInt32? {
        if let number = value.integer {
            // The highest number means "no user" to the kernel.
            guard let uid = UInt32(exactly: number), uid != .max else {
                throw Problem(
                    line: value.line, reason: "\(number) is no user's number. Write one from 0 to 4294967294.")
            }
            return uid
        }
        guard let name = value.text else {
            throw Problem(
                line: value.line, reason: "\"user\" has to be a name, a number, or \"*\", not \(value.kindName).")
        }
        if name == "*" { return nil }
        guard let uid = UserDatabase.identifier(ofName: name) else {
            throw Problem(
                line: value.line,
                reason:
                    "There is no user \(JSONText.quoted(name)) on this machine. Correct the name, or remove the rule.")
        }
        return uid
    }

    private static func programs(_ value: JSONValue) throws(Problem) -> Set<String> {
        guard let path = value.text, path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw Problem(
                line: value.line, reason: "\"program\" has to be an absolute path, such as \"/usr/bin/rsync\".")
        }
        // The kernel names a program without symbolic links. One that is not there now may be installed later.
        let resolved = try? PathName.resolved(path)
        return [path, resolved ?? path]
    }

    private static func levels(_ value: JSONValue) throws(Problem) -> Set<AccessLevel> {
        guard let elements = value.elements, !elements.isEmpty else {
            throw Problem(
                line: value.line,
                reason: "\"levels\" has to be a list of \"read-write\" and \"add-only\". Leave it out to restrict both."
            )
        }
        var levels: Set<AccessLevel> = []
        for element in elements {
            guard let level = AccessLevel.allCases.first(where: { $0.name == element.text }) else {
                throw Problem(
                    line: element.line,
                    reason: "\(element.text.map { JSONText.quoted($0) } ?? element.kindName) is no level."
                        + " Write \"read-write\" or \"add-only\".")
            }
            levels.insert(level)
        }
        return levels
    }
}
