internal import Media
internal import Platform
internal import SQLite

/// Reading and writing what attributes say of an asset. Writing is to be done inside a transaction.
extension Database {
    /// An attribute's value, nil where the asset has nothing to say.
    func value(of attribute: AssetAttribute, asset: Int64) throws(Errno) -> [UInt8]? {
        switch attribute {
        case .tags:
            let words = try all(
                """
                SELECT w.name FROM asset_keyword k JOIN keyword w ON w.id = k.keyword
                WHERE k.asset = ? ORDER BY w.name
                """, [.integer(asset)]
            ) { $0.text(0) }
            return words.isEmpty ? nil : Array(words.joined(separator: ",").utf8)
        case .comment:
            let caption = try first("SELECT caption FROM asset WHERE id = ?", [.integer(asset)]) { $0.optionalText(0) }
            return caption.flatMap { $0 }.map { Array($0.utf8) }
        case .rating:
            let rating = try first("SELECT rating FROM asset WHERE id = ?", [.integer(asset)]) { $0.optionalInt64(0) }
            return rating.flatMap { $0 }.map { Array(String($0).utf8) }
        case .favorite, .hidden, .captured, .location: return nil
        }
    }

    /// Makes an asset, all its files, what an attribute's value says.
    func set(_ meaning: AssetAttribute.Meaning, ofAsset asset: Int64) throws(Errno) {
        for member in try members(of: asset) { try set(meaning, ofFile: member) }
    }

    private func set(_ meaning: AssetAttribute.Meaning, ofFile asset: Int64) throws(Errno) {
        switch meaning {
        case .tags(let names): try setKeywords(names, ofFile: asset)
        case .comment(let text):
            try run("UPDATE asset SET caption = ? WHERE id = ?", [.text(text), .integer(asset)])
        case .rating(let stars):
            try run("UPDATE asset SET rating = ? WHERE id = ?", [.integer(stars.map { Int64($0) }), .integer(asset)])
        case .favorite(let isSet): try set(.favorite, ofFile: asset, to: isSet)
        case .hidden(let isSet): try set(.hidden, ofFile: asset, to: isSet)
        case .captured(let date): try setCaptureDate(date, ofFile: asset)
        case .location(let latitude, let longitude, let altitude):
            try run(
                "UPDATE asset SET latitude = ?, longitude = ?, altitude = ? WHERE id = ?",
                [.real(latitude), .real(longitude), .real(altitude), .integer(asset)])
        case .noLocation:
            try run(
                "UPDATE asset SET latitude = NULL, longitude = NULL, altitude = NULL WHERE id = ?",
                [.integer(asset)])
        }
        try run("UPDATE asset SET modified_at = ? WHERE id = ?", [.integer(Clock.now()), .integer(asset)])
    }

    /// Takes away what an attribute stands for.
    func clear(_ attribute: AssetAttribute, ofAsset asset: Int64) throws(Errno) {
        switch attribute {
        case .tags: try set(.tags([]), ofAsset: asset)
        case .comment: try set(.comment(nil), ofAsset: asset)
        case .rating: try set(.rating(nil), ofAsset: asset)
        case .favorite: try set(.favorite, ofAsset: asset, to: false)
        case .hidden: try set(.hidden, ofAsset: asset, to: false)
        case .location: try set(.noLocation, ofAsset: asset)
        // Every asset has a date.
        case .captured: throw .notPermitted
        }
    }

    private func setCaptureDate(_ date: CaptureDate, ofFile asset: Int64) throws(Errno) {
        let moment = CaptureMoment(date, name: FileName(trusted: []), modified: 0)
        try run(
            "UPDATE asset SET captured = ?, captured_offset = ?, captured_source = ?, day = ? WHERE id = ?",
            [
                .integer(moment.instant), .integer(moment.offset), .integer(CaptureDate.Source.explicit.rawValue),
                .integer(moment.day), .integer(asset),
            ])
        try run("UPDATE node SET captured = ? WHERE asset = ?", [.integer(moment.instant), .integer(asset)])
    }

    /// Does for a new asset what its writer said of the file while it was none, by attributes set before the close.
    ///
    /// - Parameter isKnown: the bytes are an asset that was there; what was said of that one before stays.
    func settleAttributes(of node: UInt64, asset: Int64, isKnown: Bool) throws(Errno) {
        let found = try all(
            "SELECT name, value FROM extended_attribute WHERE node = ?", [.integer(node)]
        ) { (attribute: AssetAttribute(rawValue: $0.text(0)), value: $0.bytes(1)) }
        for (attribute, value) in found {
            guard let attribute else { continue }
            try run(
                "DELETE FROM extended_attribute WHERE node = ? AND name = ?",
                [.integer(node), .text(attribute.rawValue)])
            guard let meaning = attribute.readable(value) else { continue }
            if isKnown, try self.value(of: attribute, asset: asset) != nil { continue }
            try set(meaning, ofAsset: asset)
        }
    }
}

extension AssetAttribute {
    /// The meaning of a value that was checked when it was set.
    fileprivate func readable(_ value: [UInt8]) -> Meaning? {
        do throws(Errno) { return try meaning(of: value) } catch { return nil }
    }
}
