import PhotoLibrary
import Platform

/// One asset, or a pending file among assets, as commands print it.
enum AssetText {
    /// Writes an asset as an object; the keys are the same for every asset.
    static func write(_ asset: AssetRecord, paths: [String], _ json: inout JSONWriter) throws(CommandFailure) {
        try json.beginObject()
        try json.member("id", asset.identifier)
        try json.member("name", name(of: asset, paths))
        try json.member("path", path(of: asset, paths))
        try json.member("paths", paths)
        try json.member("type", asset.isVideo ? "video" : "photo")
        try json.member("uti", asset.uniformType)
        try json.member("width", Int64(asset.width))
        try json.member("height", Int64(asset.height))
        try json.member("orientation", Int64(asset.orientation))
        try json.member("captured", asset.capturedText)
        try json.member("captured_source", asset.capturedSource)
        try json.member("latitude", asset.latitude)
        try json.member("longitude", asset.longitude)
        try json.member("altitude", asset.altitude)
        try json.member("make", asset.make)
        try json.member("model", asset.model)
        try json.member("lens", asset.lens)
        try json.member("duration", asset.duration.map { Double($0) / 1000 })
        try json.member("size", Int64(asset.size))
        try json.member("sha256", asset.digestText)
        try json.member("added", TimeText.utc(asset.added))
        try json.member("deleted", asset.deleted.map { TimeText.utc($0) })
        try json.member("favorite", asset.isFavorite)
        try json.member("hidden", asset.isHidden)
        try json.member("edited", asset.isEdited)
        try json.member("links", Int64(asset.node.links))
        try json.endObject()
    }

    /// Writes a pending file under the same keys; what is known of assets alone is null.
    static func write(_ file: Library.PendingFile, _ json: inout JSONWriter) throws(CommandFailure) {
        try json.beginObject()
        try json.member("id", nil as String?)
        try json.member("name", PathName.components(of: file.path).last)
        try json.member("path", file.path)
        try json.member("paths", [file.path])
        for key in [
            "type", "uti", "width", "height", "orientation", "captured", "captured_source", "latitude", "longitude",
            "altitude", "make", "model", "lens", "duration",
        ] {
            try json.member(key, nil as String?)
        }
        try json.member("size", file.size)
        for key in ["sha256", "added", "deleted"] { try json.member(key, nil as String?) }
        for key in ["favorite", "hidden", "edited"] { try json.member(key, false) }
        try json.member("links", Int64(file.node.links))
        try json.endObject()
    }

    /// Its first path in the camera roll; of a deleted asset the one in Recently Deleted.
    static func path(of asset: AssetRecord, _ paths: [String]) -> String {
        paths.first ?? "Recently Deleted/\(asset.node.displayName?.description ?? asset.identifier)"
    }

    /// Its file name in the camera roll, else the one that it has in views.
    static func name(of asset: AssetRecord, _ paths: [String]) -> String {
        paths.first.flatMap { PathName.components(of: $0).last } ?? asset.node.displayName?.description ?? ""
    }

    /// Aligned lines for a person.
    static func lines(_ asset: AssetRecord, paths: [String]) -> String {
        var rows: [(String, String)] = [("name", DisplayText.name(name(of: asset, paths)))]
        for path in paths.isEmpty ? [path(of: asset, paths)] : paths { rows.append(("path", DisplayText.name(path))) }
        rows.append(("type", "\(asset.isVideo ? "video" : "photo") (\(asset.uniformType))"))
        rows.append(("size", DisplayText.byteCount(asset.size)))
        rows.append(("pixels", "\(asset.width) × \(asset.height), orientation \(asset.orientation)"))
        if let duration = asset.duration {
            rows.append(("duration", "\(Double(duration) / 1000) s"))
        }
        rows.append(("captured", "\(asset.capturedText) (\(asset.capturedSource))"))
        if let latitude = asset.latitude, let longitude = asset.longitude {
            let altitude = asset.altitude.map { ", \($0) m" } ?? ""
            rows.append(("location", "\(latitude), \(longitude)\(altitude)"))
        }
        let camera = [asset.make, asset.model].compactMap { $0 }.joined(separator: " ")
        if !camera.isEmpty { rows.append(("camera", DisplayText.singleLine(camera))) }
        if let lens = asset.lens { rows.append(("lens", DisplayText.singleLine(lens))) }
        rows.append(("added", TimeText.local(asset.added)))
        if let deleted = asset.deleted { rows.append(("deleted", TimeText.local(deleted))) }
        let marks = [
            asset.isFavorite ? "favorite" : nil, asset.isHidden ? "hidden" : nil, asset.isEdited ? "edited" : nil,
        ].compactMap { $0 }
        if !marks.isEmpty { rows.append(("marks", marks.joined(separator: ", "))) }
        rows.append(("id", asset.identifier))
        rows.append(("sha256", asset.digestText))
        return Columns.aligned(rows)
    }
}
