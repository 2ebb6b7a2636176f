/// What Apple's cameras put into the EXIF maker note: `Apple iOS`, a version, a byte order, and a directory at byte 14
/// whose offsets count from the note's start.
struct AppleMakerNote {
    /// What the still shares with the movie of a Live Photo.
    var contentIdentifier: String?
    var isHDR = false
    var isPortrait = false
    var isOfBurst = false

    /// Reads the note; nil where it is not Apple's.
    init?(_ reader: ByteReader, _ entry: TIFFReader.Entry) throws(MediaError) {
        let start = entry.position
        guard entry.byteCount > 16, try reader.matches("Apple iOS\0", at: start),
            try reader.matches("MM", at: start + 12)
        else { return nil }
        let notes = TIFFReader(reader, base: start, isBigEndian: true, firstDirectory: 14)
        guard let directory = try notes.directory(at: 14) else { return nil }
        contentIdentifier = try notes.text(directory.entries[0x0011])
        // 3: an HDR picture; 4: the normally exposed one beside it.
        isHDR = try notes.number(directory.entries[0x000A]) == 3
        // The identifier that the pictures of a burst share.
        isOfBurst = try notes.text(directory.entries[0x000B]) != nil
        isPortrait = try notes.number(directory.entries[0x0014]) == 2
    }
}
