/// A JPEG file whose only picture is the preview in its Exif segment.
extension JPEGStructure {
    /// This picture with the size of its preview, which is whole; nil where it is not, or where the file goes on.
    ///
    /// Tools that take a picture's metadata out leave such files: SOI, the Exif segment, at most the beginning of a
    /// further segment's header. The picture that is there, the preview, is all there and can be shown. A file that ends
    /// further behind, or in the Exif segment, is cut off: then something has begun to come that is not whole. (A copy that
    /// broke off within these four bytes looks the same; what it has is kept as it is.)
    ///
    /// - Parameter end: the end of the file.
    func showingPreview(_ end: Int64) throws(MediaError) -> JPEGStructure? {
        guard limit == end, let exif, let tiff = try TIFFReader(ByteReader(exif)),
            let first = try tiff.directory(at: tiff.firstDirectory), let second = try tiff.directory(at: first.next),
            let offset = try tiff.number(second.entries[0x0201]), let length = try tiff.number(second.entries[0x0202]),
            offset + length <= tiff.reader.size, try tiff.reader.integer(UInt16.self, at: offset) == 0xFFD8,
            let preview = Self.readWhole(tiff.reader, from: offset, to: offset + length), preview.movieOffset == nil
        else { return nil }
        var result = self
        result.width = preview.width
        result.height = preview.height
        result.end = end
        // All of the file is taken as essence: its own tables, if any, say nothing of the picture.
        result.essence = []
        return result
    }
}
