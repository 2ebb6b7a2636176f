public import Platform

/// A file outside of the library that is to come into it.
public struct ImportSource: Sendable {
    /// Where it lies.
    public var directory: Directory
    /// Its name there.
    public var entry: String
    /// Open for reading.
    public var file: FileDescriptor
    /// As it was when it was opened.
    public var status: FileStatus

    /// Opens a file; a symbolic link is none.
    ///
    /// - Throws: `EINVAL` for what is no regular file.
    public init(_ entry: String, in directory: Directory) throws(Errno) {
        self.directory = directory
        self.entry = entry
        // A FIFO is not waited for.
        file = try directory.open(entry, [.readOnly, .noFollow, .nonBlocking])
        status = try file.status()
        guard status.kind == .regular else { throw .invalid }
    }

    /// Whether the open file holds what it held when it was opened, as far as its size and time tell.
    func isUnchanged() throws(Errno) -> Bool {
        let now = try file.status()
        return now.size == status.size && now.modificationTime == status.modificationTime
    }

    /// Removes the file, where the name still leads to it and it is as it was.
    ///
    /// - Returns: false where it is not, and stays.
    public func remove() throws(Errno) -> Bool {
        guard let now = try directory.status(of: entry), now.inode == status.inode, now.device == status.device,
            try isUnchanged()
        else { return false }
        try directory.unlink(entry)
        return true
    }
}

/// Where an imported file is to go.
public struct ImportTarget: Sendable {
    /// Below the camera roll; missing ones are made.
    public var directories: [FileName]
    public var name: FileName
    /// An album that the asset is to be in.
    public var album: UInt64?
    public var owner: Library.Owner

    public init(directories: [FileName], name: FileName, album: UInt64? = nil, owner: Library.Owner) {
        self.directories = directories
        self.name = name
        self.album = album
        self.owner = owner
    }
}

/// What became of a file that was imported, with its path below the root.
public enum ImportOutcome: Sendable, Equatable {
    /// A new asset, or for a file that goes along with one a new file.
    case added(path: String)
    /// The library had these bytes; nothing was changed.
    case same(path: String)
    /// The library had these bytes in Recently Deleted; they are back.
    case restored(path: String)
}

/// Why a file was not imported. It is where it was, and the library is as it was.
public enum ImportFailure: Error, Sendable, Equatable {
    /// It is no whole photo or video; a sentence for a person.
    case refused(reason: String)
    /// It was written to while it was read.
    case changed
    /// Whoever asked for it wants it no more.
    case cancelled
    /// The library says that it has these bytes at a path, but they do not lie there.
    case damagedTwin(path: String)
    /// It is the library's own file of what it has at a path.
    case ownFile(path: String)
    case failed(Errno)

    /// A sentence for a person.
    public var reason: String {
        switch self {
        case .refused(let reason): reason
        case .changed: "It was changed while it was read. Import it again once it is whole."
        case .cancelled: "It was not imported, since the command was interrupted."
        case .damagedTwin(let path):
            "The library says that it has this as \(path), but the file there holds something else: "
                + "it is damaged. The one outside was kept."
        case .ownFile(let path): "It is the very file in which the library keeps \(path), and was left as it is."
        case .failed(let error): "It could not be imported: \(error)."
        }
    }
}
