/// One box of an ISO base media file (ISO/IEC 14496-12, 4.2) or atom of a QuickTime file.
struct Box {
    var type: FourCC
    /// Where its header begins.
    var start: Int64
    /// Where its contents begin.
    var body: Int64
    /// Where it ends; not past the end of what it lies in.
    var end: Int64
    /// It says that it goes on after the end of what it lies in.
    var isCut: Bool { missing > 0 }
    /// How many bytes it says it has after the end of what it lies in.
    var missing: Int64 = 0
}

/// The boxes that follow each other in a range of a file.
struct BoxSequence {
    let reader: ByteReader
    private(set) var position: Int64
    let end: Int64
    /// Guards against files that are made of nothing but box headers.
    private var remaining: Int

    init(_ reader: ByteReader, from start: Int64, to end: Int64, limit: Int = 4096) {
        self.reader = reader
        position = start
        self.end = end
        remaining = limit
    }

    /// The children of `box`, whose own fields take the first `skipping` bytes of its contents.
    init(_ reader: ByteReader, in box: Box, skipping: Int64 = 0, limit: Int = 4096) {
        self.init(reader, from: box.body + skipping, to: box.end, limit: limit)
    }

    /// The next box; nil at the end, or where what follows is no box header.
    mutating func next() throws(MediaError) -> Box? {
        guard remaining > 0, position <= end - 8,
            let size = try reader.integer(UInt32.self, at: position),
            let type = try reader.integer(UInt32.self, at: position + 4)
        else { return nil }
        var box = Box(type: FourCC(type), start: position, body: position + 8, end: end)
        switch size {
        case 0:
            break
        case 1:
            guard position <= end - 16, let large = try reader.integer(UInt64.self, at: position + 8), large >= 16
            else { return nil }
            box.body = position + 16
            box.finish(at: position.advanced(byLength: large), within: end)
        case 2..<8:
            return nil
        default:
            box.finish(at: position + Int64(size), within: end)
        }
        remaining -= 1
        position = box.end
        return box
    }

    /// The first box of that type from here on.
    mutating func first(_ type: FourCC) throws(MediaError) -> Box? {
        while let box = try next() {
            if box.type == type { return box }
        }
        return nil
    }
}

extension Box {
    fileprivate mutating func finish(at declared: Int64?, within limit: Int64) {
        guard let declared, declared <= limit else {
            missing = declared.map { $0 - limit } ?? .max
            return
        }
        end = declared
    }
}

/// What an ISO base media file says it is: its `ftyp` box.
struct FileTypeBox {
    var major: FourCC
    var compatible: Set<FourCC> = []

    /// Reads the `ftyp` box; at most 64 compatible brands are looked at.
    init(_ reader: ByteReader, _ box: Box) throws(MediaError) {
        major = FourCC(try reader.integer(UInt32.self, at: box.body) ?? 0)
        var position = box.body + 8
        while position <= box.end - 4, compatible.count < 64 {
            guard let brand = try reader.integer(UInt32.self, at: position) else { break }
            compatible.insert(FourCC(brand))
            position += 4
        }
    }

    /// Whether this brand is the file's own or one it is compatible with.
    func has(_ brand: FourCC) -> Bool { major == brand || compatible.contains(brand) }
}
