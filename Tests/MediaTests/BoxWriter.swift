/// Writes ISO base media boxes.
struct BoxWriter {
    var bytes: [UInt8] = []

    mutating func box(_ type: String, _ contents: (inout BoxWriter) -> Void) {
        var inner = BoxWriter()
        contents(&inner)
        add32(UInt32(inner.bytes.count + 8))
        bytes += Array(type.utf8)
        bytes += inner.bytes
    }

    mutating func add32(_ values: UInt32...) {
        for value in values { bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    }

    mutating func add64(_ value: UInt64) {
        add32(UInt32(value >> 32), UInt32(truncatingIfNeeded: value))
    }

    /// A movie's index with one video track of one-sample chunks.
    static func index(offsets: [UInt64], sampleSize: UInt32, created: UInt32 = 0, width: UInt32 = 1920) -> [UInt8] {
        var writer = BoxWriter()
        writer.box("moov") { moov in
            moov.box("mvhd") {
                $0.add32(0, created, 0, 1000, 5000)
                $0.bytes += [UInt8](repeating: 0, count: 80)
            }
            moov.box("trak") { trak in
                trak.box("tkhd") {
                    $0.add32(1, 0, 0, 1, 0, 5000, 0, 0, 0, 0)
                    $0.add32(0, 0x10000, 0, UInt32(bitPattern: -0x10000), 0, 0, 0, 0, 0x4000_0000)
                    $0.add32(width << 16, 1080 << 16)
                }
                trak.box("mdia") { mdia in
                    mdia.box("mdhd") { $0.add32(0, 0, 0, 600, 3000, 0) }
                    mdia.box("hdlr") {
                        $0.add32(0, 0)
                        $0.bytes += Array("vide".utf8)
                        $0.add32(0, 0, 0, 0)
                    }
                    mdia.box("minf") { minf in
                        minf.box("stbl") { stbl in
                            stbl.box("stts") { $0.add32(0, 1, UInt32(offsets.count), 20) }
                            stbl.box("stsc") { $0.add32(0, 1, 1, 1, 1) }
                            stbl.box("stsz") { $0.add32(0, sampleSize, UInt32(offsets.count)) }
                            stbl.box("co64") { co64 in
                                co64.add32(0, UInt32(offsets.count))
                                for offset in offsets { co64.add64(offset) }
                            }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }
}

extension BoxWriter {
    /// A HEIF file with one picture item, and metadata items whose data stands behind that of the picture.
    ///
    /// - Parameters:
    ///   - items: each one's type, whether it says that it describes the picture, and where in the data it lies.
    ///   - data: what stands behind the picture's 100 bytes.
    ///   - filler: bytes in a box of no meaning in the list of items.
    ///   - extraTable: the table of places is there twice.
    static func heif(
        items: [(type: String, describes: Bool, range: Range<Int>)], data: [UInt8], filler: Int = 0,
        extraTable: Bool = false
    ) -> [UInt8] {
        var head = BoxWriter()
        head.box("ftyp") { $0.bytes += Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8) }
        func meta(_ start: Int) -> [UInt8] {
            var inner = BoxWriter()
            inner.box("meta") { meta in
                meta.add32(0)
                meta.box("hdlr") {
                    $0.bytes += [UInt8](repeating: 0, count: 8) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13)
                }
                meta.box("pitm") { $0.bytes += [0, 0, 0, 0, 0, 1] }
                meta.box("iinf") { list in
                    list.bytes += [0, 0, 0, 0] + short(items.count + 1)
                    for (index, type) in (["hvc1"] + items.map(\.type)).enumerated() {
                        list.box("infe") {
                            $0.bytes += [2, 0, 0, 0] + short(index + 1) + [0, 0] + Array(type.utf8) + [0]
                        }
                    }
                }
                meta.box("iref") { references in
                    references.add32(0)
                    for (index, item) in items.enumerated() where item.describes {
                        references.box("cdsc") { $0.bytes += short(index + 2) + [0, 1, 0, 1] }
                    }
                }
                for _ in 0..<(extraTable ? 2 : 1) {
                    meta.box("iloc") { places in
                        places.bytes += [0, 0, 0, 0, 0x44, 0] + short(items.count + 1)
                        for (index, range) in ([0..<100] + items.map { $0.range }).enumerated() {
                            places.bytes += short(index + 1) + [0, 0, 0, 1]
                            places.add32(UInt32(start + range.lowerBound), UInt32(range.count))
                        }
                    }
                }
                meta.box("iprp") { properties in
                    properties.box("ipco") { container in
                        container.box("ispe") { $0.add32(0, 640, 480) }
                        container.box("hvcC") {
                            $0.bytes += [
                                1, 1, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 90, 0xF0, 0, 0xFC, 0xFD, 0xF8, 0xF8, 0, 0, 15,
                                0,
                            ]
                        }
                    }
                    properties.box("ipma") { $0.bytes += [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 1, 2] }
                }
                if filler > 0 { meta.box("free") { $0.bytes += [UInt8](repeating: 0, count: filler) } }
            }
            return inner.bytes
        }
        let start = head.bytes.count + meta(0).count + 8
        head.bytes += meta(start)
        head.box("mdat") { $0.bytes += [UInt8](repeating: 0x55, count: 100) + data }
        return head.bytes
    }

    private static func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }

    /// A HEIF file with one picture item and these properties, in order.
    static func heif(properties: [(type: String, bytes: [UInt8])], brand: String = "heic") -> [UInt8] {
        var writer = BoxWriter()
        writer.box("ftyp") {
            $0.bytes += Array(brand.utf8)
            $0.add32(0)
            $0.bytes += Array("mif1".utf8)
        }
        func meta(dataOffset: UInt32) -> [UInt8] {
            var inner = BoxWriter()
            inner.box("meta") { meta in
                meta.add32(0)
                meta.box("hdlr") {
                    $0.add32(0, 0)
                    $0.bytes += Array("pict".utf8)
                    $0.add32(0, 0, 0, 0)
                }
                meta.box("pitm") { $0.bytes += [0, 0, 0, 0, 0, 1] }
                meta.box("iinf") { iinf in
                    iinf.bytes += [0, 0, 0, 0, 0, 1]
                    iinf.box("infe") {
                        $0.bytes += [2, 0, 0, 0, 0, 1, 0, 0] + Array("hvc1".utf8) + [0]
                    }
                }
                meta.box("iloc") {
                    $0.bytes += [0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1]
                    $0.add32(dataOffset, 100)
                }
                meta.box("iprp") { iprp in
                    iprp.box("ipco") { ipco in
                        ipco.box("ispe") { $0.add32(0, 640, 480) }
                        for property in properties { ipco.box(property.type) { $0.bytes += property.bytes } }
                    }
                    iprp.box("ipma") {
                        $0.add32(0, 1)
                        $0.bytes += [0, 1, UInt8(properties.count + 1)] + (1...UInt8(properties.count + 1))
                    }
                }
            }
            return inner.bytes
        }
        let head = writer.bytes.count + meta(dataOffset: 0).count
        writer.bytes += meta(dataOffset: UInt32(head + 8))
        writer.box("mdat") { $0.bytes += [UInt8](repeating: 0x55, count: 100) }
        return writer.bytes
    }
}
