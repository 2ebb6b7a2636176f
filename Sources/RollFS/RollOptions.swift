/// How a library is shown.
public struct RollOptions: Sendable {
    /// Users other than the mounting one have access to the mount.
    public var allowsOthers = false
    /// The mounting user.
    public var owner: UInt32 = 0
    /// How long a request waits for the user's answer, in nanoseconds; 0: not at all.
    public var promptTimeout: Int64 = 60_000_000_000
    /// Where thumbnails are kept for the desktop besides; nil: nowhere.
    public var desktopThumbnails: DesktopThumbnails?

    /// The mounting user's own cache of thumbnails.
    public struct DesktopThumbnails: Sendable {
        /// The absolute path of the directory that holds `normal` and `large`.
        public var directory: String
        /// As the addresses of files begin.
        public var mountPoint: String
        public init(directory: String, mountPoint: String) {
            self.directory = directory
            self.mountPoint = mountPoint
        }
    }

    public init() {}
}
