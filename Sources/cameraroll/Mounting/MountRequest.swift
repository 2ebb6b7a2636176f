import FUSE
import PhotoLibrary

/// What a mount is to be.
struct MountRequest: Sendable, Equatable {
    /// The library's directory, absolute.
    var library: String
    /// Absolute, without symbolic links.
    var mountPoint: String
    var isReadOnly = false
    var allowsOthers = false
    /// Closing a file does not wait for the disk.
    var isRelaxed = false
    var passthrough = Passthrough.auto
    /// How long a question to the user waits for its answer, in seconds.
    var promptTimeout = 60
    /// Thumbnails are kept for the desktop besides.
    var keepsDesktopThumbnails = false
    /// What the mounting user allows itself.
    var authorization: AccessLevel?
    /// Flags of mount(8) for the kernel.
    var flags: [String] = []

    /// Whether the kernel reads and writes files without asking this process for each piece.
    enum Passthrough: String, Sendable, CaseIterable {
        case auto, on, off
    }

    init(library: String, mountPoint: String) {
        self.library = library
        self.mountPoint = mountPoint
    }
}

extension MountRequest {
    /// Words that fstab(5) lines hold for mount(8) and systemd alone.
    private static let foreignWords: Set<String> = [
        "defaults", "auto", "noauto", "user", "nouser", "users", "owner", "group", "nofail", "_netdev",
    ]

    /// Takes the words after `-o`, separated by commas; a later word overrules an earlier one.
    mutating func apply(optionList: String) throws(CommandFailure) {
        for word in optionList.split(separator: ",", omittingEmptySubsequences: true) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            try apply(parts[0], parts.count > 1 ? parts[1] : nil)
        }
    }

    private mutating func apply(_ name: String, _ value: String?) throws(CommandFailure) {
        switch (name, value) {
        case ("ro", nil): isReadOnly = true
        case ("rw", nil): isReadOnly = false
        case ("allow_other", nil): allowsOthers = true
        case ("relaxed", nil): isRelaxed = true
        case ("desktop_thumbnails", nil): keepsDesktopThumbnails = true
        case ("passthrough", let value?):
            guard let choice = Passthrough(rawValue: value) else { throw Self.wrong(name, value, "auto, on or off") }
            passthrough = choice
        case ("prompt_timeout", let value?):
            guard let seconds = Int(value), (0...3600).contains(seconds) else {
                throw Self.wrong(name, value, "a number of seconds from 0 to 3600")
            }
            promptTimeout = seconds
        case ("authorize", let value?):
            guard let level = AccessLevel.allCases.first(where: { $0.name == value }) else {
                throw Self.wrong(name, value, "read-write or add-only")
            }
            authorization = level
        case ("passthrough", nil), ("prompt_timeout", nil), ("authorize", nil):
            throw .usage("the mount option \(name) needs a value: \(name)=…")
        case ("user", .some): break
        default:
            if value == nil, MountOptions.knownFlags.contains(name) {
                flags.append(name)
            } else if !(value == nil && Self.foreignWords.contains(name)) && !name.utf8.starts(with: "x-".utf8) {
                let word = value.map { "\(name)=\($0)" } ?? name
                throw .usage("unknown mount option \(DisplayText.excerpt(word)). See: cameraroll mount --help")
            }
        }
    }

    private static func wrong(_ name: String, _ value: String, _ wanted: String) -> CommandFailure {
        .usage("the mount option \(name) takes \(wanted), not \(DisplayText.excerpt(value)).")
    }

    /// The same as one word after `-o`, for the process in the background.
    var optionList: String {
        var words = [isReadOnly ? "ro" : "rw"]
        if allowsOthers { words.append("allow_other") }
        if isRelaxed { words.append("relaxed") }
        if keepsDesktopThumbnails { words.append("desktop_thumbnails") }
        words.append("passthrough=\(passthrough.rawValue)")
        words.append("prompt_timeout=\(promptTimeout)")
        if let authorization { words.append("authorize=\(authorization.name)") }
        return (words + flags).joined(separator: ",")
    }
}
