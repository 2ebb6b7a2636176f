/// Finds single properties in an XMP packet by their text, without building a tree of it.
///
/// Enough for the few flags that phones write, either as attributes (`GCamera:MotionPhoto="1"`) or as elements
/// (`<GCamera:MotionPhoto>1</GCamera:MotionPhoto>`); prefixes are not resolved, since real files do not vary them.
struct XMPScan {
    private let packet: [UInt8]
    /// No tag of interest is longer; keeps the time linear.
    private static let tagLimit = 2048

    init(_ packet: [UInt8]) { self.packet = packet }

    /// The value of the property with that local name, whatever its prefix; at most 128 bytes.
    func value(of name: StaticString) -> String? {
        var position = 0
        while let found = range(of: name, from: position) {
            position = found.upperBound
            if let value = value(after: found) { return value }
        }
        return nil
    }

    /// The property as a whole number that is not negative.
    func number(_ name: StaticString) -> Int64? {
        value(of: name).flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The length in bytes of the container item that has this semantic.
    func itemLength(semantic: StaticString) -> Int64? {
        var position = 0
        while let found = range(of: "Semantic", from: position) {
            position = found.upperBound
            guard let value = value(after: found), value == "\(semantic)" else { continue }
            // All properties of an item are in one tag, or in elements beside each other.
            let earliest = max(0, found.lowerBound - Self.tagLimit)
            let start = packet[earliest..<found.lowerBound].lastIndex(of: UInt8(ascii: "<")) ?? earliest
            let isAttribute = packet[start..<found.lowerBound].contains { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 }
            let latest = min(packet.count, found.upperBound + Self.tagLimit)
            let from = isAttribute ? start : max(0, found.lowerBound - 256)
            let to =
                isAttribute
                ? packet[found.upperBound..<latest].firstIndex(of: UInt8(ascii: ">")) ?? latest
                : min(packet.count, found.upperBound + 256)
            return XMPScan(Array(packet[from..<to])).number("Length")
        }
        return nil
    }

    /// Where a property name stands: behind a colon, with a sign behind it that ends a name.
    private func range(of name: StaticString, from start: Int) -> Range<Int>? {
        var position = start
        while let found = find(name, from: position) {
            let end = found + name.utf8CodeUnitCount
            position = end
            if found > 0, packet[found - 1] == UInt8(ascii: ":"), end < packet.count,
                packet[end] == UInt8(ascii: "=") || packet[end] == UInt8(ascii: ">")
            {
                return found..<end
            }
        }
        return nil
    }

    private func value(after name: Range<Int>) -> String? {
        var start = name.upperBound + 1
        var terminator = UInt8(ascii: "<")
        if packet[name.upperBound] == UInt8(ascii: "=") {
            guard start < packet.count, packet[start] == UInt8(ascii: "\"") || packet[start] == UInt8(ascii: "'")
            else { return nil }
            terminator = packet[start]
            start += 1
        } else if packet[max(0, name.lowerBound - 64)..<name.lowerBound].last(where: {
            $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "/")
        })
            == UInt8(ascii: "/")
        {
            return nil
        }
        let limit = min(packet.count, start + 129)
        guard start < limit, let end = packet[start..<limit].firstIndex(of: terminator) else { return nil }
        return String(decoding: packet[start..<end], as: UTF8.self)
    }

    private func find(_ text: StaticString, from start: Int) -> Int? {
        let count = text.utf8CodeUnitCount
        guard count > 0, start >= 0, packet.count - start >= count else { return nil }
        return packet.withUnsafeBufferPointer { bytes in
            var position = start
            while position <= bytes.count - count {
                var matched = 0
                while matched < count, bytes[position + matched] == text.utf8Start[matched] { matched += 1 }
                if matched == count { return position }
                position += 1
            }
            return nil
        }
    }
}
