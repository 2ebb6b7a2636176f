public import Platform

extension MediaInspector {
    /// Looks at a file's bytes to the end: what it is, whether it is whole, and what it says of itself.
    ///
    /// Memory is bounded (less than 8 MiB) and so is time: headers and tables are read, pixels and samples are not,
    /// except for JPEG, where only the scan itself shows where it ends.
    ///
    /// - Parameters:
    ///   - file: an open file that can be read.
    ///   - size: its size in bytes.
    ///   - name: a hint only: it tells kinds apart that share a structure, where the content leaves doubt.
    /// - Throws: `MediaError.rejected` with a sentence for a person where the file is no whole photo or video,
    ///   `MediaError.unreadable` where reading fails.
    public static func inspect(_ file: FileDescriptor, size: Int64, name: String) throws(MediaError) -> MediaInspection
    {
        guard size > 0 else { throw .rejected(reason: "The file is empty. Copy it again from where it came from.") }
        let reader = ByteReader(file, size: size)
        let hint = NameHint(name)
        var inspection: MediaInspection
        switch try Signature(reader) {
        case .jpeg: inspection = try inspectJPEG(reader)
        case .isoBaseMedia: inspection = try inspectISOBaseMedia(reader, hint)
        case .png: inspection = try inspectPNG(reader)
        case .gif: inspection = try inspectGIF(reader)
        case .webp: inspection = try inspectWebP(reader)
        case .tiff: inspection = try inspectTIFF(reader, hint)
        case .raf: inspection = try inspectRAF(reader)
        case .avi: inspection = try inspectAVI(reader)
        case .matroska: inspection = try inspectMatroska(reader)
        case .other(let found):
            throw .rejected(
                reason: "This is \(found), not a photo or video\(hint.saysMedia ? ", whatever its name says" : "").")
        case .unknown:
            throw .rejected(
                reason:
                    "The file's content is not that of any photo or video the library knows. If it should be one, it was "
                    + "damaged on its way: copy it again.")
        }
        if inspection.kind.isRAW { inspection.subtypes.insert(.raw) }
        hint.apply(to: &inspection)
        return inspection
    }

    private static func inspectJPEG(_ reader: ByteReader) throws(MediaError) -> MediaInspection {
        let structure = try JPEGStructure.read(reader)
        var inspection = MediaInspection(kind: .jpeg)
        inspection.pixelWidth = structure.width
        inspection.pixelHeight = structure.height
        if let exif = structure.exif { try EXIFMetadata.read(jpegBlock: exif).apply(to: &inspection) }
        if let xmp = structure.xmp { XMPScan(xmp).apply(to: &inspection) }
        var movie = structure.movieOffset
        if movie == nil { movie = try MotionPhoto.movieOffsetInTrailer(reader, after: structure.end) }
        if movie != nil { inspection.subtypes.insert(.motionPhoto) }
        return inspection
    }
}

/// What a file's name adds to its content.
struct NameHint {
    /// The extension in lower case, without the dot.
    let pathExtension: String
    private let stem: String

    init(_ name: String) {
        let base = name.split(separator: "/").last.map(String.init) ?? name
        guard let dot = base.lastIndex(of: "."), dot != base.startIndex else {
            pathExtension = ""
            stem = base.lowercased()
            return
        }
        pathExtension = base[base.index(after: dot)...].lowercased()
        stem = base[..<dot].lowercased()
    }

    /// Whether the name is one that photos or videos have.
    var saysMedia: Bool {
        ["jpg", "jpeg", "heic", "heif", "png", "gif", "webp", "tif", "tiff", "dng", "mov", "mp4", "m4v", "avi"]
            .contains(pathExtension)
    }

    /// Adds what only names tell: screenshots and screen recordings, as phones and desktops call them.
    func apply(to inspection: inout MediaInspection) {
        switch inspection.kind.mediaType {
        case .image:
            if ["screenshot", "screen shot", "screen_shot"].contains(where: stem.hasPrefix) {
                inspection.subtypes.insert(.screenshot)
            }
        case .video:
            if ["screenrecording", "screen recording", "screen_recording", "screenrecord", "screen-"]
                .contains(where: stem.hasPrefix)
            {
                inspection.subtypes.insert(.screenRecording)
            }
        }
    }
}
