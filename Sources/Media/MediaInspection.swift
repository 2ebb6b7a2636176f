public import Platform

/// What inspection found out about a photo or video. Everything is taken from the file's own bytes.
public struct MediaInspection: Sendable, Equatable {
    public var kind: MediaKind
    /// Size of the stored picture in pixels, before the orientation is applied; 0 where the file does not say.
    public var pixelWidth = 0
    public var pixelHeight = 0
    /// EXIF orientation, 1...8; movies map their track matrix to the same eight values.
    public var orientation = 1
    /// Length of a movie or an animation in milliseconds, nil for stills.
    public var duration: Int64?
    /// When it was taken, by the file's own word; nil where it has none (the caller falls back to name and mtime).
    public var captureDate: CaptureDate?
    public var location: Location?
    public var cameraMake: String?
    public var cameraModel: String?
    public var lensModel: String?
    /// What pairs the two halves of a Live Photo.
    public var contentIdentifier: String?
    public var subtypes: MediaSubtypes = []

    public init(kind: MediaKind) { self.kind = kind }
}

/// A moment with the local time that the camera showed.
public struct CaptureDate: Sendable, Equatable {
    /// Nanoseconds since 1970 UTC.
    public var instant: Int64
    /// Seconds east of UTC; nil where the file gives a local time only, `instant` then being that local time
    /// read as if it were UTC (the caller applies the library's zone). 0 with the source `movieHeader` or a file name that
    /// is in UTC: the instant is certain, the camera's local time is not told.
    public var offset: Int?
    public var source: Source

    /// Where a date comes from, in the order of their worth.
    public enum Source: Int, Sendable {
        case exifWithOffset = 1
        case exifLocal = 2
        case quickTimeKey = 3
        case movieHeader = 4
        case fileName = 5
        case modificationTime = 6
        /// A sidecar that says what the file does not; a version of the file that has a date comes before it.
        case sidecar = 7
        case explicit = 0
    }

    public init(instant: Int64, offset: Int?, source: Source) {
        self.instant = instant
        self.offset = offset
        self.source = source
    }
}

/// A place on the earth, WGS 84.
public struct Location: Sendable, Equatable {
    /// Degrees north, -90...90.
    public var latitude: Double
    /// Degrees east, -180...180.
    public var longitude: Double
    /// Metres above sea level.
    public var altitude: Double?
    public init(latitude: Double, longitude: Double, altitude: Double? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }
}

/// PhotoKit's PHAssetMediaSubtype bits, and a few of our own above bit 32 for what PhotoKit keeps elsewhere.
public struct MediaSubtypes: OptionSet, Sendable, Hashable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let panorama = MediaSubtypes(rawValue: 1 << 0)
    public static let hdr = MediaSubtypes(rawValue: 1 << 1)
    public static let screenshot = MediaSubtypes(rawValue: 1 << 2)
    public static let live = MediaSubtypes(rawValue: 1 << 3)
    public static let depthEffect = MediaSubtypes(rawValue: 1 << 4)
    public static let highFrameRate = MediaSubtypes(rawValue: 1 << 17)
    public static let timelapse = MediaSubtypes(rawValue: 1 << 18)
    public static let screenRecording = MediaSubtypes(rawValue: 1 << 19)
    public static let cinematic = MediaSubtypes(rawValue: 1 << 21)
    public static let raw = MediaSubtypes(rawValue: 1 << 32)
    public static let animated = MediaSubtypes(rawValue: 1 << 33)
    /// An Android motion photo: the movie lies behind the still in one file.
    public static let motionPhoto = MediaSubtypes(rawValue: 1 << 34)
    public static let selfie = MediaSubtypes(rawValue: 1 << 35)
    /// One of a series that the shutter was held down for.
    public static let burst = MediaSubtypes(rawValue: 1 << 36)
}

/// Why bytes are no photo or video.
public enum MediaError: Error, Sendable, Equatable {
    /// The bytes are no whole photo or video; the reason is a sentence for a person, such as
    /// "The JPEG picture ends before its last line: the file was probably cut off while it was copied."
    case rejected(reason: String)
    /// The file could not be read.
    case unreadable(Errno)
}

/// Looks at a file's bytes: what it is, whether it is whole, and what it says of itself.
public enum MediaInspector {}
