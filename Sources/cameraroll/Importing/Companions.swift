import Platform

/// Which files of a folder came into the library and where, so that sidecars go beside them.
struct Companions {
    private struct Landed {
        /// The file's name in the folder.
        var name: FileName
        /// Its directory below the camera roll, and its name there.
        var directories: [FileName]
        var target: FileName
    }

    private var folder = ""
    private var landed: [String: Landed] = [:]

    /// Notes that a file is in the library now.
    ///
    /// - Parameter path: below the root.
    mutating func note(_ name: FileName, in folder: String, at path: String) {
        if folder != self.folder {
            self.folder = folder
            landed.removeAll()
        }
        let parts = PathName.components(of: path)
        guard parts.first == "DCIM", let last = parts.last, parts.count > 1 else { return }
        let names = parts.map { FileName(trusted: Array($0.utf8)) }
        let entry = Landed(
            name: name, directories: Array(names[1..<(names.count - 1)]),
            target: FileName(trusted: Array(last.utf8)))
        landed[Self.key(name.bytes)] = entry
        // Of two with one base name the first has the sidecar.
        let stem = Self.key(name.stemAndExtension.stem)
        if landed[stem] == nil { landed[stem] = entry }
    }

    /// Where a sidecar belongs: `IMG_1.xmp`, `IMG_1.JPG.xmp` and `IMG_1.JPG.supplemental-metadata.json` beside
    /// `IMG_1.JPG`, with the name that this one got. Nil where nothing like it came from that folder.
    func place(of sidecar: FileName, in folder: String) -> (directories: [FileName], name: FileName)? {
        guard folder == self.folder else { return nil }
        var head = sidecar.bytes
        while let dot = head.lastIndex(of: 0x2E), dot > 0 {
            head = Array(head[..<dot])
            guard let entry = landed[Self.key(head)] else { continue }
            let isWhole = Self.key(head) == Self.key(entry.name.bytes)
            let base = isWhole ? entry.target.bytes : entry.target.stemAndExtension.stem
            let name = FileName(trusted: base + sidecar.bytes[head.count...])
            return name.bytes.count <= FileName.limit ? (entry.directories, name) : nil
        }
        return nil
    }

    private static func key(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).lowercased() }
}
