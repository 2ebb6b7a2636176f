/// The items of a HEIF file (ISO/IEC 23008-12): the primary picture, what it is made of, and its metadata.
struct HEIFStructure {
    var width = 0
    var height = 0
    /// By the `irot` and `imir` properties of the primary item.
    var orientation = 1
    private var meta: Box
    private var primary: UInt32 = 0
    private var exifItem: UInt32?
    private var xmpItem: UInt32?
    /// The items of these two types, whatever they are for.
    private var metadataItems: Set<UInt32> = []
    private var itemData: Box?
    private var locations: Box?
    /// The places of the items that matter, by item number.
    private var extents: [UInt32: [Range<Int64>]] = [:]
    /// What a derived primary picture is made of, in order.
    private var parts: [UInt32] = []

    private static let what = "The HEIF picture"
    private static let extentLimit = 16384
    private static let metadataItemLimit = 16

    private init(meta: Box) { self.meta = meta }

    /// Reads the file's `meta` box and checks that all items' data lies in the file.
    static func read(_ reader: ByteReader, _ meta: Box) throws(MediaError) -> HEIFStructure {
        var result = HEIFStructure(meta: meta)
        var information: Box?
        var properties: Box?
        var references: Box?
        var boxes = BoxSequence(reader, in: meta, skipping: 4)
        while let box = try boxes.next() {
            guard !box.isCut, box.type.isPlausible else { throw .damaged(what, "its list of items contradicts itself") }
            switch box.type {
            case "pitm":
                let isLong = try reader.byte(at: box.body) != 0
                result.primary =
                    isLong
                    ? try reader.integer(UInt32.self, at: box.body + 4) ?? 0
                    : UInt32(try reader.integer(UInt16.self, at: box.body + 4) ?? 0)
            case "iinf": information = box
            case "iloc": result.locations = box
            case "iprp": properties = box
            case "iref": references = box
            case "idat": result.itemData = box
            default: break
            }
        }
        guard boxes.position >= meta.end - 7 else { throw .damaged(what, "its list of items contradicts itself") }
        guard result.locations != nil, let information else {
            throw .rejected(reason: "The file begins like a HEIF picture, but there is no picture in it.")
        }
        try result.readItems(reader, information)
        if let references { try result.readReferences(reader, references) }
        try result.locate(reader)
        let isThere = result.extents[result.primary] != nil || !result.parts.isEmpty
        guard isThere, result.parts.allSatisfy({ result.extents[$0] != nil }) else {
            throw .damaged(what, "parts of the picture are missing")
        }
        if let properties { try result.readProperties(reader, properties) }
        guard result.width > 0, result.height > 0 else { throw .damaged(what, "its size is missing") }
        return result
    }

    /// Looks for the metadata items (`iinf`).
    private mutating func readItems(_ reader: ByteReader, _ box: Box) throws(MediaError) {
        let isLong = try reader.byte(at: box.body) != 0
        var entries = BoxSequence(reader, in: box, skipping: isLong ? 8 : 6, limit: 65536)
        while let entry = try entries.next() {
            guard !entry.isCut, entry.type == "infe" else {
                throw .damaged(Self.what, "its list of items contradicts itself")
            }
            let version = try reader.byte(at: entry.body) ?? 0
            guard version >= 2 else { continue }
            let wide: Int64 = version == 2 ? 2 : 4
            let number =
                version == 2
                ? UInt32(try reader.integer(UInt16.self, at: entry.body + 4) ?? 0)
                : try reader.integer(UInt32.self, at: entry.body + 4) ?? 0
            let typeAt = entry.body + 4 + wide + 2
            let type = FourCC(try reader.integer(UInt32.self, at: typeAt) ?? 0)
            if type == "Exif" || type == "mime", metadataItems.count <= Self.metadataItemLimit {
                metadataItems.insert(number)
            }
            switch type {
            case "Exif": if exifItem == nil { exifItem = number }
            case "mime":
                // The item's name, then its content type.
                guard xmpItem == nil, let end = try reader.first(0, from: typeAt + 4, before: entry.end),
                    try reader.matches("application/rdf+xml", at: end + 1)
                else { continue }
                xmpItem = number
            default: break
            }
        }
    }

    /// Looks for what a derived primary picture is made of (`iref`, `dimg`).
    private mutating func readReferences(_ reader: ByteReader, _ box: Box) throws(MediaError) {
        let wide: Int64 = try reader.byte(at: box.body) == 0 ? 2 : 4
        func item(at offset: Int64) throws(MediaError) -> UInt32 {
            wide == 2
                ? UInt32(try reader.integer(UInt16.self, at: offset) ?? 0)
                : try reader.integer(UInt32.self, at: offset) ?? 0
        }
        var entries = BoxSequence(reader, in: box, skipping: 4, limit: 65536)
        while let entry = try entries.next() {
            guard entry.type == "dimg", try item(at: entry.body) == primary, parts.isEmpty else { continue }
            let count = Int64(try reader.integer(UInt16.self, at: entry.body + wide) ?? 0)
            let start = entry.body + wide + 2
            guard count <= (entry.end - start) / wide else {
                throw .damaged(Self.what, "its list of parts contradicts itself")
            }
            var seen: Set<UInt32> = []
            for index in 0..<count {
                let part = try item(at: start + index * wide)
                if seen.insert(part).inserted { parts.append(part) }
            }
        }
    }

    /// Finds the items' data (`iloc`) and checks that it is in the file.
    private mutating func locate(_ reader: ByteReader) throws(MediaError) {
        let wanted = metadataItems.union([primary] + parts)
        var found: [UInt32: [Range<Int64>]] = [:]
        var kept = 0
        var current: UInt64?
        try forEachExtent(reader) { extent throws(MediaError) in
            guard let range = extent.range, wanted.contains(extent.item), kept < Self.extentLimit else { return }
            kept += 1
            // The last entry of an item that has several.
            if current == extent.entry { found[extent.item]?.append(range) } else { found[extent.item] = [range] }
            current = extent.entry
        }
        extents = found
    }

    /// One piece of an item's data.
    private struct Extent {
        /// Which of the table's entries it belongs to.
        var entry: UInt64
        var item: UInt32
        /// Its place; nil where it is not in this file.
        var range: Range<Int64>?
        var length: UInt64
        /// Where the table gives the length, in 0, 4 or 8 bytes.
        var lengthField: Range<Int64>
    }

    private func forEachExtent(
        _ reader: ByteReader, _ body: (Extent) throws(MediaError) -> Void
    ) throws(MediaError) {
        guard let box = locations else { return }
        let version = try reader.byte(at: box.body) ?? 0
        let sizes = try reader.integer(UInt16.self, at: box.body + 4) ?? 0
        let offsetSize = Int(sizes >> 12)
        let lengthSize = Int(sizes >> 8 & 15)
        let baseSize = Int(sizes >> 4 & 15)
        let indexSize = version == 0 ? 0 : Int(sizes & 15)
        guard version <= 2, [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ [0, 4, 8].contains($0) }) else {
            throw .damaged(Self.what, "the places of its items are not readable")
        }
        var cursor = FieldCursor(reader, from: box.body + 6, to: box.end)
        let count = try cursor.next(version < 2 ? 2 : 4)
        // Extents without any field take no bytes, so that the box's length does not bound them.
        var remaining: UInt64 = 200_000
        for entry in 0..<count {
            let number = UInt32(truncatingIfNeeded: try cursor.next(version < 2 ? 2 : 4))
            let method = version == 0 ? 0 : try cursor.next(2) & 15
            let isElsewhere = try cursor.next(2) != 0
            let base = try cursor.next(baseSize)
            let extentCount = try cursor.next(2)
            guard extentCount <= remaining else { throw .damaged(Self.what, "it is in too many pieces") }
            remaining -= extentCount
            for _ in 0..<extentCount {
                _ = try cursor.next(indexSize)
                let offset = try cursor.next(offsetSize)
                let field = cursor.position..<cursor.position + Int64(lengthSize)
                let length = try cursor.next(lengthSize)
                let isHere = !isElsewhere && method <= 1
                let range = isHere ? try place(base, offset, length, isInItemData: method == 1, reader) : nil
                try body(Extent(entry: entry, item: number, range: range, length: length, lengthField: field))
            }
        }
    }

    private func place(
        _ base: UInt64, _ offset: UInt64, _ length: UInt64, isInItemData: Bool, _ reader: ByteReader
    ) throws(MediaError) -> Range<Int64> {
        let frame = isInItemData ? (itemData?.body ?? 0) : 0
        let limit = isInItemData ? (itemData?.end ?? 0) : reader.size
        guard let start = frame.advanced(byLength: base)?.advanced(byLength: offset), start <= limit else {
            throw .cutOff(Self.what)
        }
        // A length of 0 means to the end of what it lies in.
        guard length > 0 else { return start..<limit }
        guard let end = start.advanced(byLength: length), end <= limit else { throw .cutOff(Self.what) }
        return start..<end
    }

    /// Reads the primary item's size and turns (`iprp`).
    private mutating func readProperties(_ reader: ByteReader, _ box: Box) throws(MediaError) {
        var boxes = BoxSequence(reader, in: box)
        var container: Box?
        var associations: [Box] = []
        while let child = try boxes.next() {
            if child.type == "ipco" { container = child }
            if child.type == "ipma", associations.count < 16 { associations.append(child) }
        }
        guard let container else { return }
        var indices: [Int] = []
        for box in associations { indices += try associated(reader, box) }
        var children = BoxSequence(reader, in: container, limit: 65536)
        var found: [Int: Box] = [:]
        var index = 0
        while let child = try children.next() {
            index += 1
            if indices.contains(index) { found[index] = child }
        }
        for index in indices {
            guard let property = found[index] else { continue }
            switch property.type {
            case "ispe":
                width = Int(try reader.integer(UInt32.self, at: property.body + 4) ?? 0)
                height = Int(try reader.integer(UInt32.self, at: property.body + 8) ?? 0)
            case "irot": turn(quarters: Int(try reader.byte(at: property.body) ?? 0) & 3)
            case "imir": mirror(axis: Int(try reader.byte(at: property.body) ?? 0) & 1)
            default: break
            }
        }
    }

    /// The numbers of the primary item's properties in one `ipma` box, in order; at most 64.
    private func associated(_ reader: ByteReader, _ box: Box) throws(MediaError) -> [Int] {
        let version = try reader.byte(at: box.body) ?? 0
        let isWide = (try reader.byte(at: box.body + 3) ?? 0) & 1 == 1
        var cursor = FieldCursor(reader, from: box.body + 4, to: box.end)
        let count = try cursor.next(4)
        for _ in 0..<count {
            let item = UInt32(truncatingIfNeeded: try cursor.next(version == 0 ? 2 : 4))
            let number = try cursor.next(1)
            var indices: [Int] = []
            for _ in 0..<number {
                let value = Int(try cursor.next(isWide ? 2 : 1)) & (isWide ? 0x7FFF : 0x7F)
                if indices.count < 64 { indices.append(value) }
            }
            if item == primary { return indices }
        }
        return []
    }

    /// Turns the picture further by quarters against the clock, as `irot` counts.
    private mutating func turn(quarters: Int) {
        let turns = [1: 8, 8: 3, 3: 6, 6: 1, 2: 5, 5: 4, 4: 7, 7: 2]
        for _ in 0..<quarters { orientation = turns[orientation] ?? 1 }
    }

    /// Mirrors the picture: axis 0 top to bottom, axis 1 left to right.
    private mutating func mirror(axis: Int) {
        let sideways = [1: 2, 2: 1, 3: 4, 4: 3, 5: 6, 6: 5, 7: 8, 8: 7]
        let upright = [1: 4, 4: 1, 2: 3, 3: 2, 5: 8, 8: 5, 6: 7, 7: 6]
        orientation = (axis == 1 ? sideways : upright)[orientation] ?? 1
    }

    /// The TIFF block of the Exif item: libheif's, else the one that is found here.
    func exif(_ reader: ByteReader) throws(MediaError) -> [UInt8]? {
        guard exifItem != nil else { return nil }
        if let scope = try libraryScope(reader),
            let item = try HEIFLibrary.exifItem(HEIFLibrary.Source(reader, scope)), let block = Self.block(ofItem: item)
        {
            return block
        }
        return try ownExif(reader)
    }

    /// The TIFF block of the first Exif item, whatever it describes, without libheif.
    func ownExif(_ reader: ByteReader) throws(MediaError) -> [UInt8]? {
        guard let exifItem, let ranges = extents[exifItem] else { return nil }
        return Self.block(ofItem: try gather(reader, ranges))
    }

    /// The TIFF block in an Exif item, which begins with the distance to it.
    static func block(ofItem bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > 8 else { return nil }
        let skip = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard skip <= bytes.count - 4 - 8 else { return nil }
        return Array(bytes[(4 + skip)...]).withoutExifHeader
    }

    /// What libheif needs to see of the file to find its metadata; nil where the file is not one to be given to it.
    func libraryScope(_ reader: ByteReader) throws(MediaError) -> HEIFLibrary.Scope? {
        typealias Scope = HEIFLibrary.Scope
        let pieces = metadataItems.flatMap { extents[$0] ?? [] }
        guard meta.end - meta.start <= Scope.metaLimit, metadataItems.count <= Self.metadataItemLimit,
            pieces.count <= Scope.pieceLimit, pieces.allSatisfy({ $0.upperBound - $0.lowerBound <= Scope.itemLimit }),
            try isSteppedOver(reader), try hasOneTable(reader)
        else { return nil }
        var list = try reader.bytes(at: meta.start, count: meta.end - meta.start)
        guard list.count == Int(meta.end - meta.start) else { return nil }
        try forEachExtent(reader) { extent throws(MediaError) in
            guard !metadataItems.contains(extent.item), extent.length > UInt64(Scope.otherLength) else { return }
            for (index, place) in extent.lengthField.reversed().enumerated() {
                list[Int(place - meta.start)] = index == 0 ? Scope.otherLength : 0
            }
        }
        return Scope(list: list, start: meta.start, pieces: pieces)
    }

    /// Whether libheif does not look into what stands in front of the list of items, but for a small `ftyp`.
    private func isSteppedOver(_ reader: ByteReader) throws(MediaError) -> Bool {
        var boxes = BoxSequence(reader, from: 0, to: meta.start, limit: 64)
        while let box = try boxes.next() {
            switch box.type {
            case "ftyp": guard box.end - box.start <= 4096 else { return false }
            case "mdat", "free", "skip", "wide": break
            default: return false
            }
        }
        return boxes.position == meta.start
    }

    /// Whether there is one table of places only, so that libheif looks at the same as we do.
    private func hasOneTable(_ reader: ByteReader) throws(MediaError) -> Bool {
        var boxes = BoxSequence(reader, in: meta, skipping: 4)
        var count = 0
        while let box = try boxes.next() {
            if box.type == "iloc" { count += 1 }
        }
        return count == 1
    }

    /// The XMP packet.
    func xmp(_ reader: ByteReader) throws(MediaError) -> [UInt8]? {
        guard let xmpItem, let ranges = extents[xmpItem] else { return nil }
        return try gather(reader, ranges)
    }

    private func gather(_ reader: ByteReader, _ ranges: [Range<Int64>]) throws(MediaError) -> [UInt8] {
        var bytes: [UInt8] = []
        for range in ranges where bytes.count < ByteReader.recordLimit {
            bytes += try reader.bytes(at: range.lowerBound, count: range.upperBound - range.lowerBound)
        }
        return bytes
    }

    /// The data of the primary picture, in the order it is shown in.
    var essence: [Range<Int64>] { ([primary] + parts).flatMap { extents[$0] ?? [] } }
}

/// Reads fields of varying width that follow each other.
private struct FieldCursor {
    let reader: ByteReader
    var position: Int64
    let end: Int64

    init(_ reader: ByteReader, from start: Int64, to end: Int64) {
        self.reader = reader
        position = start
        self.end = end
    }

    /// The next field of 0, 1, 2, 4 or 8 bytes; a field of no bytes is 0.
    mutating func next(_ size: Int) throws(MediaError) -> UInt64 {
        guard position <= end - Int64(size) else {
            throw .damaged("The HEIF picture", "a table of its items ends too early")
        }
        defer { position += Int64(size) }
        switch size {
        case 1: return UInt64(try reader.byte(at: position) ?? 0)
        case 2: return UInt64(try reader.integer(UInt16.self, at: position) ?? 0)
        case 4: return UInt64(try reader.integer(UInt32.self, at: position) ?? 0)
        case 8: return try reader.integer(UInt64.self, at: position) ?? 0
        default: return 0
        }
    }
}
