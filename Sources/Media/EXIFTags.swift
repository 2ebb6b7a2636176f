/// A field of EXIF: the number of its tag, and the directory that it belongs to (CIPA DC-008, Exif 2.32, 4.6).
struct EXIFTag: Sendable {
    enum Directory: Sendable {
        /// The picture's own one.
        case image
        case exif
        case gps
    }

    let directory: Directory
    let number: UInt16

    private init(_ directory: Directory, _ number: UInt16) {
        self.directory = directory
        self.number = number
    }

    static let make = EXIFTag(.image, 0x010F)
    static let model = EXIFTag(.image, 0x0110)
    static let orientation = EXIFTag(.image, 0x0112)

    static let dateTimeOriginal = EXIFTag(.exif, 0x9003)
    static let offsetTime = EXIFTag(.exif, 0x9010)
    static let offsetTimeOriginal = EXIFTag(.exif, 0x9011)
    static let userComment = EXIFTag(.exif, 0x9286)
    static let subSecTimeOriginal = EXIFTag(.exif, 0x9291)
    static let customRendered = EXIFTag(.exif, 0xA401)
    static let lensModel = EXIFTag(.exif, 0xA434)

    static let latitudeRef = EXIFTag(.gps, 0x01)
    static let latitude = EXIFTag(.gps, 0x02)
    static let longitudeRef = EXIFTag(.gps, 0x03)
    static let longitude = EXIFTag(.gps, 0x04)
    static let altitudeRef = EXIFTag(.gps, 0x05)
    static let altitude = EXIFTag(.gps, 0x06)
    static let timeStamp = EXIFTag(.gps, 0x07)
    static let dateStamp = EXIFTag(.gps, 0x1D)
}

/// The values of EXIF's fields, whoever reads them. What is missing, malformed or larger than a sane value is nil.
protocol EXIFTags {
    /// A text, without the NUL at its end and blanks around it; nil where it is empty.
    func text(_ tag: EXIFTag) throws(MediaError) -> String?

    /// The first whole number, which is not negative.
    func number(_ tag: EXIFTag) throws(MediaError) -> Int64?

    /// One fraction of a field that has several; nil where its denominator is 0.
    func fraction(_ tag: EXIFTag, _ index: Int) throws(MediaError) -> Double?

    /// The value as it stands there.
    func bytes(_ tag: EXIFTag) throws(MediaError) -> [UInt8]?

    /// The maker note, where it is Apple's.
    func appleMakerNote() throws(MediaError) -> AppleMakerNote?
}
