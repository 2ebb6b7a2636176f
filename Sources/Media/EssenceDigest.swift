public import Platform

extension MediaInspector {
    /// The digest of what makes the picture or movie, leaving out what only describes it, so that a file whose
    /// metadata was edited is known as the same picture.
    ///
    /// JPEG: tables, frame and scans of the primary picture. PNG: header, palette and picture data. QuickTime and
    /// MPEG-4: media data. HEIC and AVIF: the data of the primary item and of the items it is made of. Other kinds: all
    /// bytes. Files that do not have the structure of their kind any more are taken as a whole, too.
    ///
    /// - Parameters:
    ///   - size: the file's size in bytes.
    ///   - kind: what `inspect` found.
    /// - Returns: SHA-256, 32 bytes.
    /// - Throws: `MediaError.unreadable` where reading fails.
    public static func essenceDigest(_ file: FileDescriptor, size: Int64, kind: MediaKind) throws(MediaError) -> [UInt8]
    {
        var ranges: [Range<Int64>]
        do throws(MediaError) {
            ranges = try essence(ByteReader(file, size: size), kind)
        } catch .rejected {
            ranges = []
        }
        // Pieces that overlap could make a small file cost the time of a huge one.
        let total = ranges.reduce(Int64(0)) { $0.addingReportingOverflow($1.upperBound - $1.lowerBound).partialValue }
        if ranges.isEmpty || total > size || total < 0 || ranges.contains(where: { $0.upperBound > size }) {
            ranges = [0..<max(size, 0)]
        }
        do throws(Errno) {
            return try SHA256Digest.of(ranges, of: file)
        } catch {
            throw .unreadable(error)
        }
    }

    /// The places of the essence in file order; none where all of the file is essence.
    private static func essence(_ reader: ByteReader, _ kind: MediaKind) throws(MediaError) -> [Range<Int64>] {
        switch kind {
        case .jpeg:
            return try JPEGStructure.read(reader).essence
        case .png:
            return try PNGStructure.read(reader).essence
        case .quickTime, .mp4, .m4v, .threeGP, .cr3:
            return try TopLevel(reader).mediaData
        case .heic, .avif:
            let top = try TopLevel(reader)
            guard let meta = top.meta else { return top.mediaData }
            return try HEIFStructure.read(reader, meta).essence
        default:
            return []
        }
    }
}
