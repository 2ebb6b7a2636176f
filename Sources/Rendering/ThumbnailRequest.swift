public import Media
public import Platform

/// What a thumbnail is made of, beside the picture's file.
public struct ThumbnailRequest: Sendable, Equatable {
    public var kind: MediaKind
    /// EXIF orientation, 1...8. Movies, HEIC and AVIF say it themselves, so that it is not looked at.
    public var orientation: Int
    /// Size of the stored picture in pixels, before the orientation is applied; 0 where it is not known.
    public var width: Int
    public var height: Int
    /// The longest side of the thumbnail, in pixels. A smaller picture is not made larger.
    public var maximumSide: Int
    public var format = Format.jpeg

    /// What the thumbnail is to be.
    public enum Format: UInt8, Sendable {
        case jpeg = 0
        case png = 1
    }

    public init(kind: MediaKind, orientation: Int, width: Int, height: Int, maximumSide: Int = 512) {
        self.kind = kind
        self.orientation = orientation
        self.width = width
        self.height = height
        self.maximumSide = maximumSide
    }

    /// The most pixels of a picture that is decoded.
    static let pixelLimit: Int64 = 200_000_000
    /// The longest side that a request may ask for.
    static let sideLimit = 4096
}

/// Why there is no thumbnail.
public enum ThumbnailError: Error, Sendable, Equatable {
    /// Nothing can be made of this picture; a sentence for a person.
    case refused(reason: String)
    /// Whoever asked does not want it any more, or the service ends.
    case cancelled
    /// Too many wait already.
    case busy
    /// The system failed, not the picture.
    case system(Errno)
}
