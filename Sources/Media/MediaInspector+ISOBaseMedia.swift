extension MediaInspector {
    /// What stands at the top level of an ISO base media file.
    struct TopLevel {
        var fileType: FileTypeBox?
        var movie: Box?
        var meta: Box?
        var motionPhoto: Box?
        /// Media data boxes' contents, in file order, cut at the end of the file; neighbours joined.
        var mediaData: [Range<Int64>] = []
        var hasFragments = false
        var firstFragment: Int64?
        /// The last box goes on after the end of the file; its type.
        var cut: FourCC?
        /// How many bytes of that box are not there.
        var missing: Int64 = 0
        /// Bytes at the end are no box.
        var hasTrailer = false

        private static let mediaDataLimit = 65536

        /// Walks the boxes of the top level to the end of the file.
        init(_ reader: ByteReader) throws(MediaError) {
            var boxes = BoxSequence(reader, from: 0, to: reader.size, limit: 1_000_000)
            while let box = try boxes.next() {
                if box.isCut {
                    if box.type.isPlausible { (cut, missing) = (box.type, box.missing) } else { hasTrailer = true }
                    if box.type != "mdat" { break }
                }
                switch box.type {
                case "ftyp": if fileType == nil { fileType = try FileTypeBox(reader, box) }
                case "moov": if movie == nil { movie = box }
                case "meta": if meta == nil { meta = box }
                case "mpvd": motionPhoto = box
                case "moof":
                    hasFragments = true
                    if firstFragment == nil { firstFragment = box.start }
                case "mdat": addMediaData(box.body..<box.end)
                default: break
                }
            }
            if boxes.position < reader.size { hasTrailer = true }
        }

        private mutating func addMediaData(_ range: Range<Int64>) {
            guard mediaData.count < Self.mediaDataLimit else { return }
            mediaData.append(range)
        }
    }

    static func inspectISOBaseMedia(_ reader: ByteReader, _ hint: NameHint) throws(MediaError) -> MediaInspection {
        let top = try TopLevel(reader)
        if let brand = top.fileType?.major, let other = otherBrand(brand) {
            throw .rejected(reason: "This is \(other), not a photo or video that the library keeps.")
        }
        if let movie = top.movie, top.fileType?.major == "crx " { return try inspectCR3(reader, top, movie) }
        guard let kind = pictureKind(top) else { return try inspectMovie(reader, top, hint) }
        var inspection = MediaInspection(kind: kind)
        if top.meta == nil, let movie = top.movie {
            // An image sequence: its pictures are a movie's samples.
            let structure = try MovieStructure.read(reader, top, movie, what: "The picture sequence")
            inspection.pixelWidth = structure.width
            inspection.pixelHeight = structure.height
            inspection.duration = structure.duration
            inspection.subtypes.insert(.animated)
            return inspection
        }
        guard let meta = top.meta else {
            throw top.cut == nil
                ? .rejected(reason: "The file begins like a HEIF picture, but there is no picture in it.")
                : .cutOff("The HEIF picture")
        }
        guard top.cut == nil else { throw .cutOff("The HEIF picture") }
        let structure = try HEIFStructure.read(reader, meta)
        inspection.pixelWidth = structure.width
        inspection.pixelHeight = structure.height
        inspection.orientation = structure.orientation
        if let exif = try structure.exif(reader) { try EXIFMetadata.read(exif).apply(to: &inspection) }
        let xmp = try structure.xmp(reader).map(XMPScan.init)
        xmp?.apply(to: &inspection)
        if let box = top.motionPhoto, try MotionPhoto.movie(at: box.body, in: reader) != nil {
            inspection.subtypes.insert(.motionPhoto)
        } else if let xmp, try MotionPhoto.movieOffset(announcedBy: xmp, in: reader) != nil {
            inspection.subtypes.insert(.motionPhoto)
        } else if try MotionPhoto.movieOffsetInTrailer(reader, after: meta.end) != nil {
            inspection.subtypes.insert(.motionPhoto)
        }
        return inspection
    }

    /// HEIC or AVIF where the brands say so; nil for movies.
    private static func pictureKind(_ top: TopLevel) -> MediaKind? {
        guard let type = top.fileType else { return nil }
        switch type.major {
        case "avif", "avis": return .avif
        case "heic", "heix", "heim", "heis", "hevc", "hevx": return .heic
        case "mif1", "msf1", "mif2", "miaf":
            let isAVIF = type.has("avif") || type.has("avis")
            return isAVIF && !type.has("heic") && !type.has("heix") ? .avif : .heic
        default: return nil
        }
    }

    private static func otherBrand(_ brand: FourCC) -> String? {
        switch brand {
        case "M4A ", "M4B ", "M4P ", "F4A ", "F4B ": "a sound recording"
        case "jp2 ", "jpx ", "jpm ", "mjp2": "a JPEG 2000 file"
        default: nil
        }
    }

    private static func inspectMovie(_ reader: ByteReader, _ top: TopLevel, _ hint: NameHint) throws(MediaError)
        -> MediaInspection
    {
        guard let movie = top.movie else {
            throw top.mediaData.isEmpty && top.cut == nil
                ? .rejected(reason: "The file begins like a movie, but there is no movie in it.")
                : .rejected(
                    reason: "The movie has no index, which cameras write last: the file was probably cut off while it "
                        + "was copied or recorded. Copy it again.")
        }
        let structure = try MovieStructure.read(reader, top, movie, what: "The movie")
        var inspection = MediaInspection(kind: movieKind(top.fileType, hint))
        structure.apply(to: &inspection)
        return inspection
    }

    private static func inspectCR3(_ reader: ByteReader, _ top: TopLevel, _ movie: Box) throws(MediaError)
        -> MediaInspection
    {
        let structure = try MovieStructure.read(reader, top, movie, what: "The RAW picture")
        let (metadata, width, height) = try CR3Structure.metadata(reader, movie)
        var inspection = MediaInspection(kind: .cr3)
        inspection.pixelWidth = width > 0 ? width : structure.width
        inspection.pixelHeight = height > 0 ? height : structure.height
        metadata.apply(to: &inspection)
        return inspection
    }

    private static func movieKind(_ type: FileTypeBox?, _ hint: NameHint) -> MediaKind {
        guard let type else { return .quickTime }
        switch type.major {
        case "qt  ": return .quickTime
        case "M4V ", "M4VH", "M4VP": return .m4v
        default: break
        }
        switch type.major.rawValue >> 8 {
        case 0x336770, 0x336732: return .threeGP
        default: break
        }
        if type.has("qt  "), !type.has("isom"), !type.has("mp42"), !type.has("mp41") { return .quickTime }
        return hint.pathExtension == "m4v" ? .m4v : .mp4
    }
}
