public import Platform

/// The name of a file that belongs to a picture of the same base name beside it.
///
/// Programs have two ways: `IMG_1.xmp` (Lightroom, cameras) and `IMG_1.JPG.xmp` (darktable, digiKam). Google Takeout has
/// `IMG_1.JPG.json`, since 2024 `IMG_1.JPG.supplemental-metadata.json` cut to fit, and numbers the whole of it where the
/// picture is numbered: `IMG_1.JPG(1).json` lies beside `IMG_1(1).JPG`.
public struct SidecarName: Sendable, Hashable {
    public let name: FileName
    /// In lower case.
    let pathExtension: String
    /// What stands before the extension.
    let stem: [UInt8]
    /// The extension as it is written, with its dot.
    private let ending: [UInt8]

    static let extensions: Set<String> = ["xmp", "aae", "thm", "lrv", "wav", "json"]

    /// Nil for a name that no sidecar has.
    public init?(_ name: FileName) {
        let pathExtension = name.lowercasedExtension
        // "._x.xmp" is what macOS keeps beside x.xmp.
        guard Self.extensions.contains(pathExtension), !name.bytes.starts(with: [0x2E, 0x5F]) else { return nil }
        self.name = name
        self.pathExtension = pathExtension
        stem = name.stemAndExtension.stem
        ending = Array(name.bytes[stem.count...])
    }

    /// How a sidecar's name goes with a picture's, the best first.
    enum Tie: Int, Comparable {
        /// The picture's whole name, and an ending.
        case fullName
        /// Takeout's number behind the extension.
        case numbered
        /// Takeout cut the name off.
        case cut
        /// The picture's name without its extension.
        case baseName
        /// A letter of the camera's own: `IMG_E0001.AAE` beside `IMG_0001.HEIC`, `GL010001.LRV` beside `GX010001.MP4`.
        case variant

        static func < (one: Tie, other: Tie) -> Bool { one.rawValue < other.rawValue }
    }

    /// How it goes with a picture of that name; nil where it does not.
    func tie(to picture: FileName) -> Tie? {
        let (pictureStem, pictureExtension) = picture.stemAndExtension
        guard let pictureExtension, !Self.extensions.contains(picture.lowercasedExtension) else { return nil }
        if stem == picture.bytes { return .fullName }
        if pathExtension == "json" {
            if Self.isSupplement(stem, of: picture.bytes) { return .fullName }
            if let (base, number) = Self.number(atEndOf: pictureStem), let (head, own) = Self.number(atEndOf: stem),
                number == own
            {
                let whole = base + [0x2E] + pictureExtension
                if head == whole || Self.isSupplement(head, of: whole) { return .numbered }
            }
            if Self.isCut(stem), picture.bytes.starts(with: stem), picture.bytes.count > stem.count { return .cut }
        }
        if stem == pictureStem { return .baseName }
        return variants.contains(pictureStem) ? .variant : nil
    }

    /// The name that goes with a picture's new name as this one does with its old; nil where there is none.
    func following(_ picture: FileName, to newName: FileName) -> FileName? {
        guard let tie = tie(to: picture) else { return nil }
        if picture == newName { return name }
        let newStem = newName.stemAndExtension.stem
        let bytes: [UInt8]
        switch tie {
        case .fullName: bytes = newName.bytes + name.bytes[picture.bytes.count...]
        case .numbered, .cut: bytes = newName.bytes + ending
        case .baseName: bytes = newStem + ending
        case .variant:
            // Where the new name is of the camera's kind too, the letter finds its place in it.
            guard let index = variants.firstIndex(of: picture.stemAndExtension.stem),
                let variant = Self.variant(of: newStem, like: stem, index: index)
            else { return nil }
            bytes = variant + ending
        }
        return bytes.count <= FileName.limit ? FileName(trusted: bytes) : nil
    }

    // MARK: Takeout

    private static let supplement = Array("supplemental-metadata".utf8)

    /// Whether `bytes` is a picture's whole name with the beginning of Takeout's word behind it.
    private static func isSupplement(_ bytes: [UInt8], of picture: [UInt8]) -> Bool {
        guard bytes.starts(with: picture), bytes.count > picture.count + 1, bytes[picture.count] == 0x2E else {
            return false
        }
        return supplement.starts(with: bytes[(picture.count + 1)...])
    }

    /// Takeout's names have at most 51 UTF-16 units, `.json` included.
    private static let cutLength = 46

    private static func isCut(_ stem: [UInt8]) -> Bool {
        String(decoding: stem, as: UTF8.self).utf16.count == cutLength
    }

    /// What stands before a number in brackets at the end, and the number with its brackets.
    private static func number(atEndOf bytes: [UInt8]) -> (base: [UInt8], number: [UInt8])? {
        guard bytes.last == 0x29, let open = bytes.lastIndex(of: 0x28), open > 0 else { return nil }
        let digits = bytes[(open + 1)...].dropLast()
        guard !digits.isEmpty, digits.count < 6, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return (Array(bytes[..<open]), Array(bytes[open...]))
    }

    // MARK: Cameras' letters

    /// The base names of pictures to which a camera's own letter leads.
    private var variants: [[UInt8]] {
        switch pathExtension {
        case "aae":
            for prefix in ["IMG_E", "IMG_O"] where stem.starts(with: prefix.utf8) {
                return [Array("IMG_".utf8) + stem[prefix.utf8.count...]]
            }
            return []
        case "lrv" where stem.starts(with: "GL".utf8):
            return ["GX", "GH"].map { Array($0.utf8) + stem[2...] }
        default: return []
        }
    }

    private static func variant(of newStem: [UInt8], like stem: [UInt8], index: Int) -> [UInt8]? {
        if stem.starts(with: "IMG_".utf8), newStem.starts(with: "IMG_".utf8) {
            return Array(stem[..<5]) + newStem[4...]
        }
        let prefix = Array(["GX", "GH"][index].utf8)
        if stem.starts(with: "GL".utf8), newStem.starts(with: prefix) { return Array("GL".utf8) + newStem[2...] }
        return nil
    }

    // MARK: Finding

    /// Names that a picture may have to which this sidecar belongs.
    var exactPictures: [FileName] {
        var names = [stem]
        guard pathExtension == "json" else { return [FileName(trusted: stem)] }
        var heads: [(whole: [UInt8], number: [UInt8])] = [(stem, [])]
        if let (base, number) = Self.number(atEndOf: stem) { heads.append((base, number)) }
        for (head, number) in heads {
            var wholes = [head]
            if let dot = head.lastIndex(of: 0x2E), Self.supplement.starts(with: head[(dot + 1)...]) {
                wholes.append(Array(head[..<dot]))
            }
            for whole in wholes {
                guard !number.isEmpty else {
                    names.append(whole)
                    continue
                }
                let (base, pathExtension) = FileName(trusted: whole).stemAndExtension
                if let pathExtension { names.append(base + number + [0x2E] + pathExtension) }
            }
        }
        return names.filter { !$0.isEmpty && $0.count <= FileName.limit }.map { FileName(trusted: $0) }
    }

    /// Ranges of names, the lower end included and the upper not, in which pictures lie to which it may belong.
    var pictureRanges: [(low: [UInt8], high: [UInt8])] {
        var ranges = ([stem] + variants).map { (low: $0 + [0x2E], high: $0 + [0x2F]) }
        if pathExtension == "json", Self.isCut(stem) { ranges.append((low: stem, high: stem + [0xF5])) }
        return ranges
    }

    /// Names that sidecars of a picture have, and a range of further ones.
    static func candidates(for picture: FileName) -> (exact: [[UInt8]], ranges: [(low: [UInt8], high: [UInt8])]) {
        let (stem, pathExtension) = picture.stemAndExtension
        var heads = [stem, picture.bytes]
        if stem.starts(with: "IMG_".utf8) {
            for letter in ["IMG_E", "IMG_O"] { heads.append(Array(letter.utf8) + stem[4...]) }
        }
        if stem.starts(with: "GX".utf8) || stem.starts(with: "GH".utf8) { heads.append(Array("GL".utf8) + stem[2...]) }
        var ranges = [supplements(of: picture.bytes)]
        if let (base, number) = number(atEndOf: stem), let pathExtension {
            let whole = base + [0x2E] + pathExtension
            heads.append(whole + number)
            ranges.append(supplements(of: whole))
        }
        let text = picture.description
        if text.utf16.count > cutLength,
            let end = text.utf16.index(text.startIndex, offsetBy: cutLength).samePosition(in: text)
        {
            heads.append(Array(text[..<end].utf8))
        }
        let endings = extensions.flatMap { [".\($0)", ".\($0.uppercased())"] }
        let exact = heads.flatMap { head in endings.map { head + Array($0.utf8) } }
        return (exact.filter { $0.count <= FileName.limit }, ranges)
    }

    private static func supplements(of picture: [UInt8]) -> (low: [UInt8], high: [UInt8]) {
        (picture + Array(".s".utf8), picture + Array(".t".utf8))
    }

    // MARK: Reading

    /// As what its bytes are read; nil for what is kept only.
    enum Format { case xmp, takeout }

    var format: Format? {
        switch pathExtension {
        case "xmp": .xmp
        case "json": .takeout
        default: nil
        }
    }

    /// Pictures of one base name: a movie's small copy belongs to the movie, all else rather to a still.
    var prefersVideo: Bool { pathExtension == "thm" || pathExtension == "lrv" }
}
