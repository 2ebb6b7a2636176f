/// A code of four characters, as ISO base media files, QuickTime and RIFF name their parts.
struct FourCC: Hashable, ExpressibleByStringLiteral {
    /// The characters, the first one in the most significant byte.
    let rawValue: UInt32

    init(_ rawValue: UInt32) { self.rawValue = rawValue }

    init(stringLiteral value: StaticString) {
        var code: UInt32 = 0
        for index in 0..<min(value.utf8CodeUnitCount, 4) { code = code << 8 | UInt32(value.utf8Start[index]) }
        rawValue = code
    }

    /// Whether it is made of letters, digits, spaces and the © that QuickTime uses: what a real code looks like.
    var isPlausible: Bool {
        for shift in [24, 16, 8, 0] as [UInt32] {
            let byte = UInt8(truncatingIfNeeded: rawValue >> shift)
            guard (0x20...0x7E).contains(byte) || byte == 0xA9 else { return false }
        }
        return true
    }
}
