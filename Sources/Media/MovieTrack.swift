/// One track of a movie.
struct MovieTrack {
    var id: UInt32 = 0
    var isVideo = false
    var isEnabled = false
    var width = 0
    var height = 0
    var orientation = 1
    var timeScale: UInt32 = 0
    /// Seconds.
    var duration: Double?
    var sampleCount: UInt64 = 0
    private var sizes: Box?
    private var isCompactSizes = false
    private var chunks: Box?
    private var isLongOffsets = false
    private var samplesPerChunk: Box?
    private var times: Box?
    /// Frames per second, by the table of durations.
    var frameRate: Double?

    /// Reads a `trak` box; nil where it is no track at all.
    static func read(_ reader: ByteReader, _ box: Box, what: String) throws(MediaError) -> MovieTrack? {
        var track = MovieTrack()
        var isTrack = false
        var boxes = BoxSequence(reader, in: box)
        while let child = try boxes.next() {
            guard !child.isCut else { throw .damaged(what, "the index of a track contradicts itself") }
            switch child.type {
            case "tkhd":
                try track.header(reader, child)
            case "mdia":
                isTrack = true
                try track.media(reader, child, what)
            default: break
            }
        }
        return isTrack ? track : nil
    }

    private mutating func header(_ reader: ByteReader, _ box: Box) throws(MediaError) {
        let isLong = try reader.byte(at: box.body) == 1
        isEnabled = (try reader.byte(at: box.body + 3) ?? 0) & 1 == 1
        id = try reader.integer(UInt32.self, at: box.body + (isLong ? 20 : 12)) ?? 0
        let matrix = box.body + (isLong ? 52 : 40)
        guard let a = try reader.integer(Int32.self, at: matrix),
            let b = try reader.integer(Int32.self, at: matrix + 4),
            let c = try reader.integer(Int32.self, at: matrix + 12),
            let d = try reader.integer(Int32.self, at: matrix + 16),
            let width = try reader.integer(UInt32.self, at: matrix + 36),
            let height = try reader.integer(UInt32.self, at: matrix + 40)
        else { return }
        orientation = Self.orientation(a.signum(), b.signum(), c.signum(), d.signum())
        self.width = Int(width >> 16)
        self.height = Int(height >> 16)
    }

    /// The EXIF orientation that a matrix of quarter turns and mirrorings comes to.
    private static func orientation(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> Int {
        switch (a, b, c, d) {
        case (-1, 0, 0, 1): 2
        case (-1, 0, 0, -1): 3
        case (1, 0, 0, -1): 4
        case (0, 1, 1, 0): 5
        case (0, 1, -1, 0): 6
        case (0, -1, -1, 0): 7
        case (0, -1, 1, 0): 8
        default: 1
        }
    }

    private mutating func media(_ reader: ByteReader, _ box: Box, _ what: String) throws(MediaError) {
        var boxes = BoxSequence(reader, in: box)
        var information: Box?
        while let child = try boxes.next() {
            guard !child.isCut else { throw .damaged(what, "the index of a track contradicts itself") }
            switch child.type {
            case "mdhd":
                let isLong = try reader.byte(at: child.body) == 1
                timeScale = try reader.integer(UInt32.self, at: child.body + (isLong ? 20 : 12)) ?? 0
                duration = try MediaTime.duration(reader, child, isLong: isLong, fieldsAt: isLong ? 20 : 12)
            case "hdlr":
                let handler = FourCC(try reader.integer(UInt32.self, at: child.body + 8) ?? 0)
                isVideo = handler == "vide" || handler == "pict" || handler == "auxv"
            case "minf": information = child
            default: break
            }
        }
        guard let information else { return }
        var parts = BoxSequence(reader, in: information)
        guard let table = try parts.first("stbl") else { return }
        var tables = BoxSequence(reader, in: table)
        while let child = try tables.next() {
            guard !child.isCut else { throw .damaged(what, "a table of a track is longer than the track") }
            switch child.type {
            case "stsd": try description(reader, child)
            case "stts": times = child
            case "stsc": samplesPerChunk = child
            case "stsz", "stz2":
                sizes = child
                isCompactSizes = child.type == "stz2"
                sampleCount = UInt64(try reader.integer(UInt32.self, at: child.body + 8) ?? 0)
            case "stco", "co64":
                chunks = child
                isLongOffsets = child.type == "co64"
            default: break
            }
        }
        if isVideo { try measureFrameRate(reader) }
    }

    private mutating func description(_ reader: ByteReader, _ box: Box) throws(MediaError) {
        guard isVideo, width == 0 || height == 0, box.end - box.body >= 8 + 36 else { return }
        width = Int(try reader.integer(UInt16.self, at: box.body + 8 + 32) ?? 0)
        height = Int(try reader.integer(UInt16.self, at: box.body + 8 + 34) ?? 0)
    }

    private mutating func measureFrameRate(_ reader: ByteReader) throws(MediaError) {
        guard let times, sampleCount > 1, timeScale > 0 else { return }
        let entries = min(
            Int64(try reader.integer(UInt32.self, at: times.body + 4) ?? 0), (times.end - times.body - 8) / 8, 4096)
        guard entries > 0 else { return }
        var samples: Double = 0
        var ticks: Double = 0
        for index in 0..<entries {
            let count = Double(try reader.integer(UInt32.self, at: times.body + 8 + index * 8) ?? 0)
            samples += count
            ticks += count * Double(try reader.integer(UInt32.self, at: times.body + 12 + index * 8) ?? 0)
        }
        if ticks > 0 { frameRate = samples * Double(timeScale) / ticks }
    }

    /// Checks that each chunk of samples lies wholly in the file. The three tables are read side by side, each
    /// through a small window of its own, whatever their length.
    func checkSamples(_ reader: ByteReader, what: String) throws(MediaError) {
        guard sampleCount > 0 else { return }
        guard let chunks, let sizes, let samplesPerChunk else {
            // A track of sound or text that cannot be read leaves a movie that can be shown.
            if isVideo { throw .damaged(what, "it does not say where its pictures are") }
            return
        }
        guard
            let offsets = reader.another(capacity: 64 << 10), let runs = reader.another(capacity: 16 << 10),
            let lengths = reader.another(capacity: 64 << 10)
        else { return }
        let offsetSize: Int64 = isLongOffsets ? 8 : 4
        let chunkCount = Int64(try reader.integer(UInt32.self, at: chunks.body + 4) ?? 0)
        let runCount = Int64(try reader.integer(UInt32.self, at: samplesPerChunk.body + 4) ?? 0)
        guard chunkCount <= (chunks.end - chunks.body - 8) / offsetSize,
            runCount <= (samplesPerChunk.end - samplesPerChunk.body - 8) / 12,
            chunkCount > 0, runCount > 0
        else { throw .damaged(what, "a table of a track is longer than the track") }
        var sampleLengths = try SampleLengths(lengths, sizes, isCompact: isCompactSizes, count: sampleCount, what: what)
        var run: Int64 = 0
        var perChunk: UInt64 = 0
        var nextRunAt: UInt32 = 1
        for chunk in 0..<chunkCount {
            while run < runCount, Int64(nextRunAt) - 1 <= chunk {
                let entry = samplesPerChunk.body + 8 + run * 12
                perChunk = UInt64(try runs.integer(UInt32.self, at: entry + 4) ?? 0)
                run += 1
                nextRunAt = run < runCount ? try runs.integer(UInt32.self, at: entry + 12) ?? .max : .max
            }
            let entry = chunks.body + 8 + chunk * offsetSize
            let offset =
                isLongOffsets
                ? try offsets.integer(UInt64.self, at: entry) ?? .max
                : UInt64(try offsets.integer(UInt32.self, at: entry) ?? .max)
            let length = try sampleLengths.sum(of: perChunk)
            guard let start = Int64(exactly: offset), let end = start.advanced(byLength: length), end <= reader.size
            else {
                if isVideo || length > 0 { throw .cutOff(what) }
                continue
            }
        }
    }
}

/// The lengths of a track's samples, one after the other (`stsz`, `stz2`).
private struct SampleLengths {
    private let reader: ByteReader
    private let table: Int64
    /// Bits of an entry; 0 where all samples have one length.
    private let entryBits: Int64
    private let uniform: UInt64
    private var next: UInt64 = 0
    private let count: UInt64

    init(_ reader: ByteReader, _ box: Box, isCompact: Bool, count: UInt64, what: String) throws(MediaError) {
        self.reader = reader
        self.count = count
        table = box.body + 12
        let field = try reader.integer(UInt32.self, at: box.body + 4) ?? 0
        uniform = isCompact ? 0 : UInt64(field)
        entryBits = isCompact ? Int64(field & 0xFF) : field == 0 ? 32 : 0
        if isCompact, ![4, 8, 16].contains(entryBits) { throw .damaged(what, "a table of a track is not readable") }
        guard entryBits == 0 || Int64(count) <= (box.end - table) * 8 / entryBits else {
            throw .damaged(what, "a table of a track is longer than the track")
        }
    }

    /// The length of the next `number` samples together; those past the last one count nothing.
    mutating func sum(of number: UInt64) throws(MediaError) -> UInt64 {
        let taken = min(number, count - next)
        defer { next += taken }
        if entryBits == 0 { return taken.multipliedReportingOverflow(by: uniform).partialValue }
        var sum: UInt64 = 0
        for sample in next..<next + taken {
            let index = Int64(sample)
            switch entryBits {
            case 32: sum &+= UInt64(try reader.integer(UInt32.self, at: table + index * 4) ?? 0)
            case 16: sum &+= UInt64(try reader.integer(UInt16.self, at: table + index * 2) ?? 0)
            case 8: sum &+= UInt64(try reader.byte(at: table + index) ?? 0)
            default:
                let pair = try reader.byte(at: table + index / 2) ?? 0
                sum &+= UInt64(index % 2 == 0 ? pair >> 4 : pair & 15)
            }
        }
        return sum
    }
}
