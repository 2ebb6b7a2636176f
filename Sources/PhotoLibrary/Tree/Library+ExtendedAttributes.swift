internal import Media
public import Platform
internal import SQLite

/// Extended attributes: what clients set, and what the library tells of a file under `user.cameraroll.`.
extension Library {
    /// Attributes that the library computes; they are read by name and not listed, so that copying a file with its
    /// attributes does not try to set them elsewhere.
    public static let computedPrefix = "user.cameraroll."

    /// Linux's own bound (`XATTR_SIZE_MAX`).
    private static let largestValue = 65_536
    /// What all attributes of one file may take, in bytes.
    private static let largestTotal = 1 << 20

    /// How setting treats a value that is there or is not (setxattr(2)).
    public enum AttributeRule: Sendable {
        case createOrReplace
        case create
        case replace
    }

    public func extendedAttribute(_ name: String, of id: UInt64) throws(Errno) -> [UInt8] {
        let value: [UInt8]?
        if let attribute = AssetAttribute(rawValue: name), attribute.isListed, let asset = try node(id)?.asset {
            value = try catalog.read { (database) throws(Errno) in try database.value(of: attribute, asset: asset) }
        } else if name.hasPrefix(Self.computedPrefix) {
            value = try computedAttribute(String(name.dropFirst(Self.computedPrefix.count)), of: id)
        } else {
            guard name.hasPrefix("user.") else { throw .notSupported }
            value = try catalog.read { (database) throws(Errno) in
                try database.first(
                    "SELECT value FROM extended_attribute WHERE node = ? AND name = ?",
                    [.integer(id), .text(name)]
                ) { $0.bytes(0) }
            }
        }
        guard let value else { throw .noData }
        return value
    }

    public func extendedAttributeNames(of id: UInt64) throws(Errno) -> [String] {
        try catalog.read { (database) throws(Errno) in
            var names = try database.all(
                "SELECT name FROM extended_attribute WHERE node = ? ORDER BY name", [.integer(id)]
            ) { $0.text(0) }.filter { !$0.hasPrefix(Self.computedPrefix) }
            guard let asset = try database.node(id)?.asset else { return names }
            for attribute in AssetAttribute.allCases where attribute.isListed {
                if try database.value(of: attribute, asset: asset) != nil { names.append(attribute.rawValue) }
            }
            return names
        }
    }

    public func setExtendedAttribute(
        _ name: String, of id: UInt64, to value: [UInt8], rule: AttributeRule
    ) throws(Errno) {
        guard name.hasPrefix("user.") else { throw .notSupported }
        guard name.utf8.count > 5 else { throw .invalid }
        guard name.utf8.count <= 255, value.count <= Self.largestValue else { throw .outOfRange }
        let attribute = AssetAttribute(rawValue: name)
        guard attribute != nil || !name.hasPrefix(Self.computedPrefix) else { throw .notPermitted }
        let meaning = try attribute?.meaning(of: value)
        try catalog.write { (database) throws(Errno) in
            guard let node = try database.node(id) else { throw .stale }
            if let attribute, let meaning, let asset = node.asset {
                let exists = try database.value(of: attribute, asset: asset) != nil
                if exists, rule == .create { throw .exists }
                if !exists, rule == .replace, attribute.isListed { throw .noData }
                try database.set(meaning, ofAsset: asset)
                return try database.run(
                    "UPDATE node SET changed = ? WHERE id = ?", [.integer(Clock.now()), .integer(id)])
            }
            // Of what never becomes an asset nobody reads what the library's own attributes would say.
            if attribute?.isListed == false, node.kind != .pending { throw .notPermitted }
            // Of files and directories only, as the native file systems have it (xattr(7)).
            guard node.kind != .symbolicLink, node.kind != .special else { throw .notPermitted }
            let exists =
                try database.first(
                    "SELECT 1 FROM extended_attribute WHERE node = ? AND name = ?", [.integer(id), .text(name)]
                ) { _ in true } ?? false
            if exists, rule == .create { throw .exists }
            if !exists, rule == .replace { throw .noData }
            let total =
                try database.first(
                    "SELECT sum(length(name) + length(value)) FROM extended_attribute WHERE node = ? AND name <> ?",
                    [.integer(id), .text(name)]
                ) { $0.int(0) } ?? 0
            guard total + value.count + name.utf8.count <= Self.largestTotal else { throw .noSpace }
            try database.run(
                "INSERT OR REPLACE INTO extended_attribute (node, name, value) VALUES (?, ?, ?)",
                [.integer(id), .text(name), .blob(value)])
            try database.run("UPDATE node SET changed = ? WHERE id = ?", [.integer(Clock.now()), .integer(id)])
        }
    }

    public func removeExtendedAttribute(_ name: String, of id: UInt64) throws(Errno) {
        guard name.hasPrefix("user.") else { throw .notSupported }
        let attribute = AssetAttribute(rawValue: name)
        guard attribute != nil || !name.hasPrefix(Self.computedPrefix) else { throw .notPermitted }
        try catalog.write { (database) throws(Errno) in
            if let attribute, let asset = try database.node(id)?.asset {
                if attribute.isListed, try database.value(of: attribute, asset: asset) == nil { throw .noData }
                try database.clear(attribute, ofAsset: asset)
                return try database.run(
                    "UPDATE node SET changed = ? WHERE id = ?", [.integer(Clock.now()), .integer(id)])
            }
            try database.run(
                "DELETE FROM extended_attribute WHERE node = ? AND name = ?", [.integer(id), .text(name)])
            guard database.changedRows > 0 else { throw .noData }
            try database.run("UPDATE node SET changed = ? WHERE id = ?", [.integer(Clock.now()), .integer(id)])
        }
    }

    private func computedAttribute(_ name: String, of id: UInt64) throws(Errno) -> [UInt8]? {
        guard let node = try node(id) else { throw .stale }
        switch (name, node.kind) {
        case ("state", .asset): return Array("asset".utf8)
        case ("state", .pending): return Array("pending".utf8)
        case ("error", .pending): return node.reason.map { Array($0.utf8) }
        case (_, .asset):
            guard let asset = node.asset, let record = try assetRecord(asset) else { return nil }
            return record.attribute(name).map { Array($0.utf8) }
        default: return nil
        }
    }
}
