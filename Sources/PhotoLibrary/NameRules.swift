public import Platform

/// What a file's name says about how it is treated in the camera roll.
public enum NameClass: Sendable, Hashable {
    /// Becomes an asset when its bytes are a photo or video.
    case ordinary
    /// A name that well-known writers use until the file is whole; looked at once it is renamed.
    case temporary
    /// A file that tools drop beside photos; kept as it is.
    case plain
}

extension NameClass {
    /// Tells how a file of that name is treated.
    public init(of name: FileName) {
        if Self.isPlain(name) {
            self = .plain
        } else if Self.isTemporary(name) {
            self = .temporary
        } else {
            self = .ordinary
        }
    }

    private static let plainNames: Set<String> = [
        ".ds_store", "thumbs.db", "ehthumbs.db", "desktop.ini", ".nomedia", ".directory", "@eadir", ".hidden",
        ".xdg-volume-info", ".localized", ".picasa.ini", "picasa.ini", ".stfolder", ".stignore",
    ]

    /// Files that belong to the asset of the same base name, and the desktop trash's own records.
    private static let plainExtensions: Set<String> = [
        "trashinfo", "xmp", "aae", "thm", "lrv", "wav", "json",
        // What ExifTool leaves of a sidecar that it changed.
        "xmp_original",
    ]

    private static func isPlain(_ name: FileName) -> Bool {
        // "._x.jpg" holds what macOS keeps beside x.jpg (AppleDouble).
        if name.bytes.starts(with: [0x2E, 0x5F]) { return true }
        let lowercased = name.description.lowercased()
        if plainNames.contains(lowercased) { return true }
        return plainExtensions.contains(name.lowercasedExtension)
    }

    private static let temporaryExtensions: Set<String> = [
        "part", "partial", "tmp", "temp", "crdownload", "download", "filepart", "swp", "swo", "swx", "lock",
    ]

    private static func isTemporary(_ name: FileName) -> Bool {
        let bytes = name.bytes
        if bytes.last == 0x7E { return true }  // "x.jpg~"
        if temporaryExtensions.contains(name.lowercasedExtension) { return true }
        let text = name.description
        if text.hasSuffix("_exiftool_tmp") || text.hasPrefix(".goutputstream-") || text.hasPrefix(".syncthing.") {
            return true
        }
        if text.hasPrefix(".fuse_hidden") || text.hasPrefix(".nfs") || text == "4913" { return true }
        return isRsyncTemporary(bytes) || isSedTemporary(bytes)
    }

    /// `sed -i` writes to `sedXXXXXX`, six letters or digits, and renames.
    private static func isSedTemporary(_ bytes: [UInt8]) -> Bool {
        bytes.count == 9 && bytes.starts(with: "sed".utf8) && areLettersOrDigits(bytes[3...])
    }

    private static func areLettersOrDigits(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        }
    }

    /// rsync writes to `.NAME.XXXXXX`, six letters or digits, and renames.
    private static func isRsyncTemporary(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == 0x2E, let dot = bytes.lastIndex(of: 0x2E), dot > 1, bytes.count - dot == 7 else {
            return false
        }
        return areLettersOrDigits(bytes[(dot + 1)...])
    }
}
