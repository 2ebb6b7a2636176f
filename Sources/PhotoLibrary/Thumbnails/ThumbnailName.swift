internal import Platform

/// The names of thumbnails: an asset's own where that is a JPEG file's, else with `.jpg` behind it.
enum ThumbnailName {
    private static let suffix = Array(".jpg".utf8)

    /// - Parameters:
    ///   - node: the asset's, whose number makes a name where the other is taken or too long.
    ///   - isTaken: something else in the directory has the name that would be made of this one.
    static func name(of name: FileName, node: UInt64, isTaken: Bool) -> FileName {
        if isJPEG(name.bytes) { return name }
        if !isTaken, let regular = regular(name) { return regular }
        return FileName(trusted: Array("~\(node).jpg".utf8))
    }

    static func isJPEG(_ name: [UInt8]) -> Bool {
        let lower = String(decoding: name.suffix(5), as: UTF8.self).lowercased()
        return lower.hasSuffix(".jpg") || lower.hasSuffix(".jpeg")
    }

    /// The name with `.jpg` behind it; nil where that is too long.
    static func regular(_ name: FileName) -> FileName? {
        name.bytes.count + suffix.count <= FileName.limit ? FileName(trusted: name.bytes + suffix) : nil
    }

    /// The asset's name that a thumbnail's name was made of; nil where it is the same, or made of a number.
    static func base(of name: FileName) -> FileName? {
        guard name.bytes.count > suffix.count, name.bytes.suffix(4).elementsEqual(suffix) else { return nil }
        let base = Array(name.bytes.dropLast(4))
        return isJPEG(base) ? nil : FileName(trusted: base)
    }

    /// The node whose number the name is made of.
    static func node(of name: FileName) -> UInt64? {
        guard name.bytes.first == UInt8(ascii: "~"), name.bytes.suffix(4).elementsEqual(suffix) else { return nil }
        let digits = name.bytes.dropFirst().dropLast(4)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != 0x30 else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }
}
