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
