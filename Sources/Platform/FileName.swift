/// One component of a path: 1 to 255 bytes of UTF-8 without `/` and NUL.
///
/// Compared byte by byte, as the kernel does: the composed and the decomposed form of one word are two names,
/// which Swift's `String` would call equal.
public struct FileName: Hashable, Sendable, CustomStringConvertible {
    /// The name's UTF-8 bytes, without a terminator.
    public let bytes: [UInt8]

    /// Takes a name from outside.
    ///
    /// - Throws: `ENAMETOOLONG` over 255 bytes; `EILSEQ` for what is not UTF-8; `EINVAL` for an empty name, `.`,
    ///   `..`, and names that hold `/`, NUL or a control character other than tab and line feed, which real names do hold.
    public init(validating bytes: some Collection<UInt8>) throws(Errno) {
        guard bytes.count <= Self.limit else { throw .nameTooLong }
        let copy = Array(bytes)
        guard !copy.isEmpty, copy != [0x2E], copy != [0x2E, 0x2E] else { throw .invalid }
        for byte in copy where byte == 0x2F || byte == 0x7F || (byte < 0x20 && byte != 0x09 && byte != 0x0A) {
            throw .invalid
        }
        guard String(validating: copy, as: UTF8.self) != nil else { throw .illegalSequence }
        self.bytes = copy
    }

    /// Takes a name from text, under the same rules.
    public init(_ text: String) throws(Errno) { try self.init(validating: Array(text.utf8)) }

    /// Takes bytes that this library wrote itself.
    public init(trusted bytes: [UInt8]) { self.bytes = bytes }

    /// The longest name, in bytes (`NAME_MAX`).
    public static let limit = 255

    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The name cut before its last dot, and what follows that dot. A leading dot begins no extension.
    public var stemAndExtension: (stem: [UInt8], pathExtension: [UInt8]?) {
        guard let dot = bytes.lastIndex(of: 0x2E), dot > 0 else { return (bytes, nil) }
        return (Array(bytes[..<dot]), Array(bytes[(dot + 1)...]))
    }

    /// The extension in lower case ASCII, empty where there is none.
    public var lowercasedExtension: String {
        String(decoding: stemAndExtension.pathExtension ?? [], as: UTF8.self).lowercased()
    }

    /// This name with `suffix` put before the extension, the stem cut at a character's border so that it fits.
    public func inserting(_ suffix: String) -> FileName {
        var (stem, pathExtension) = stemAndExtension
        // What follows a dot and leaves no room is no extension.
        if let long = pathExtension, long.count + suffix.utf8.count + 2 > Self.limit {
            (stem, pathExtension) = (bytes, nil)
        }
        let tail = Array(suffix.utf8) + (pathExtension.map { [0x2E] + $0 } ?? [])
        var head = stem[...]
        while head.count + tail.count > Self.limit, !head.isEmpty {
            head = head.dropLast()
            while let last = head.last, last & 0xC0 == 0x80 { head = head.dropLast() }
            if let last = head.last, last >= 0xC0 { head = head.dropLast() }
        }
        return FileName(trusted: Array(head) + tail)
    }
}
