/// How a file system is mounted. Permissions are always checked by the kernel (`default_permissions`).
public struct MountOptions: Sendable {
    /// What the mount table shows as the source.
    public var source: String
    /// What follows `fuse.` in the mount table's type.
    public var subtype: String
    public var isReadOnly = false
    /// Users other than the one who mounts get in (`allow_other`).
    public var allowsOthers = false
    /// The most threads that serve requests.
    public var threadLimit = 32
    /// How far the kernel reads ahead, in bytes. Only root can raise it over the kernel's 128 KiB.
    public var readAhead = 1 << 20
    /// Further flags of mount(8); those of `knownFlags`.
    public var flags: [String] = []

    public init(source: String, subtype: String) {
        self.source = source
        self.subtype = subtype
    }

    /// The flags of mount(8) that are passed on to the kernel.
    public static let knownFlags: Set<String> = [
        "ro", "rw", "suid", "nosuid", "dev", "nodev", "exec", "noexec", "atime", "noatime", "diratime", "nodiratime",
        "relatime", "norelatime", "strictatime", "nostrictatime", "async", "sync", "dirsync",
    ]

    /// The options as libfuse takes them after `-o`.
    var text: String {
        var parts = ["default_permissions"]
        parts.append("fsname=" + Self.escaped(source))
        parts.append("subtype=" + Self.escaped(subtype))
        parts += flags
        if isReadOnly { parts.append("ro") }
        if allowsOthers { parts.append("allow_other") }
        return parts.joined(separator: ",")
    }

    /// A value in which a comma ends nothing (fuse_opt.h: a backslash takes the next character as it is).
    private static func escaped(_ value: String) -> String {
        var result = ""
        for character in value.unicodeScalars {
            if character == "," || character == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(character)
        }
        return result
    }
}
