/// The movie box of a QuickTime or ISO base media file: its tracks, and whether their samples are in the file.
struct MovieStructure {
    var width = 0
    var height = 0
    var orientation = 1
    /// Milliseconds.
    var duration: Int64?
    /// Frames per second of the first video track.
    var frameRate: Double?
    /// Seconds since 1970 UTC; nil where the header says nothing.
    var created: Int64?
    var metadata = QuickTimeMetadata()

    /// Some writers count the media data a few bytes too long; more than that is a copy that was cut off, even where
    /// the samples that the index names are all there.
    private static let tolerance: Int64 = 1024

    /// Reads `moov` and checks that each chunk of samples that its tables name lies wholly in the file.
    ///
    /// - Parameter what: names the file in a reason, such as "The movie".
    static func read(_ reader: ByteReader, _ top: MediaInspector.TopLevel, _ movie: Box, what: String)
        throws(MediaError) -> MovieStructure
    {
        guard !movie.isCut else { throw .cutOff(what) }
        if let cut = top.cut, cut != "mdat" || top.hasFragments || top.missing > tolerance { throw .cutOff(what) }
        var result = MovieStructure()
        var headerDuration: Double?
        var tracks: [MovieTrack] = []
        var extends = false
        var boxes = BoxSequence(reader, in: movie)
        while let box = try boxes.next() {
            guard !box.isCut else { throw .damaged(what, "its index contradicts itself") }
            switch box.type {
            case "mvhd": headerDuration = try result.header(reader, box)
            case "trak":
                guard tracks.count < 256 else { continue }
                if let track = try MovieTrack.read(reader, box, what: what) { tracks.append(track) }
            case "mvex": extends = true
            case "meta": try result.metadata.readMeta(reader, box)
            case "udta": try result.metadata.readUserData(reader, box)
            default: break
            }
        }
        let videos = tracks.filter { $0.isVideo }
        guard let video = videos.first(where: { $0.isEnabled && $0.sampleCount > 0 }) ?? videos.first else {
            throw .rejected(
                reason: tracks.isEmpty
                    ? "The file begins like a movie, but there is no movie in it."
                    : "The file holds sound only, no pictures; the library keeps photos and videos.")
        }
        if video.sampleCount == 0 {
            guard extends, top.hasFragments else { throw .rejected(reason: "\(what) has no pictures in it.") }
        }
        for track in tracks { try track.checkSamples(reader, what: what) }

        result.width = video.width
        result.height = video.height
        result.orientation = video.orientation
        result.frameRate = video.frameRate
        if let seconds = headerDuration, seconds > 0 {
            result.duration = seconds.milliseconds
        } else if let first = top.firstFragment {
            result.duration = try MovieFragments.duration(reader, from: first, movie: movie, of: video)?.milliseconds
        } else {
            result.duration = video.duration?.milliseconds
        }
        return result
    }

    /// Reads `mvhd`; returns the duration in seconds.
    private mutating func header(_ reader: ByteReader, _ box: Box) throws(MediaError) -> Double? {
        let isLong = try reader.byte(at: box.body) == 1
        if isLong {
            let seconds = try reader.integer(UInt64.self, at: box.body + 4) ?? 0
            created = Self.date(seconds)
        } else {
            created = Self.date(UInt64(try reader.integer(UInt32.self, at: box.body + 4) ?? 0))
        }
        return try MediaTime.duration(reader, box, isLong: isLong, fieldsAt: isLong ? 20 : 12)
    }

    /// Seconds since 1904 as seconds since 1970. Some writers count from 1970 all the same, which shows by a date
    /// long before there were digital movies. The day after either epoch is a clock that was never set.
    static func date(_ seconds: UInt64) -> Int64? {
        let epochs: UInt64 = 2_082_844_800
        let unix = seconds >= epochs ? seconds - epochs : seconds
        // Nanoseconds in 64 bits reach a little further than the upper bound, the year 2255.
        return unix > 86400 && unix < 9_000_000_000 ? Int64(unix) : nil
    }

    /// Writes what the movie says into an inspection.
    func apply(to inspection: inout MediaInspection) {
        inspection.pixelWidth = width
        inspection.pixelHeight = height
        inspection.orientation = orientation
        inspection.duration = duration
        if let created {
            // The header's time is UTC; it does not tell the local time.
            inspection.captureDate = CaptureDate(instant: created * 1_000_000_000, offset: 0, source: .movieHeader)
        }
        metadata.apply(to: &inspection)
        if max(frameRate ?? 0, metadata.captureFrameRate ?? 0) >= 119 { inspection.subtypes.insert(.highFrameRate) }
    }
}

/// Durations in a movie's headers.
enum MediaTime {
    /// Seconds from a time scale and a duration that follow each other at `fieldsAt`; nil where unknown (all ones).
    static func duration(_ reader: ByteReader, _ box: Box, isLong: Bool, fieldsAt: Int64) throws(MediaError) -> Double?
    {
        guard let scale = try reader.integer(UInt32.self, at: box.body + fieldsAt), scale > 0 else { return nil }
        if isLong {
            guard let value = try reader.integer(UInt64.self, at: box.body + fieldsAt + 4), value < 1 << 62
            else { return nil }
            return Double(value) / Double(scale)
        }
        guard let value = try reader.integer(UInt32.self, at: box.body + fieldsAt + 4), value != .max
        else { return nil }
        return Double(value) / Double(scale)
    }
}

extension Double {
    /// These seconds in whole milliseconds; nil where that is no length of a movie.
    var milliseconds: Int64? {
        let value = (self * 1000).rounded()
        return value >= 0 && value < 1e15 ? Int64(value) : nil
    }
}
