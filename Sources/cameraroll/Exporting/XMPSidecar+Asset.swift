import Media
import PhotoLibrary
import Platform

extension XMPSidecar {
    /// What there is to say of an asset beside its file.
    ///
    /// - Parameter file: as it is exported; what it says itself needs no saying.
    init(of asset: AssetRecord, beside file: FileDescriptor, in library: Library) throws(Errno) {
        keywords = try library.keywords(of: asset.id)
        caption = try Self.attribute("user.xdg.comment", asset, library)
        rating = try Self.attribute("user.baloo.rating", asset, library).flatMap { Int($0) }
        // Set by somebody; a date from a file's name or time comes along as that.
        if asset.capturedSource == "explicit" { captured = asset.capturedText }
        guard let latitude = asset.latitude, let longitude = asset.longitude else { return }
        let own = try Self.location(in: file, of: asset)
        let isKnown = own.map { abs($0.latitude - latitude) < 1e-6 && abs($0.longitude - longitude) < 1e-6 } ?? false
        if !isKnown { place = (latitude, longitude, asset.altitude) }
    }

    private static func attribute(
        _ name: String, _ asset: AssetRecord, _ library: Library
    ) throws(Errno) -> String? {
        do throws(Errno) {
            return String(decoding: try library.extendedAttribute(name, of: asset.node.id), as: UTF8.self)
        } catch .noData { return nil }
    }

    private static func location(in file: FileDescriptor, of asset: AssetRecord) throws(Errno) -> Location? {
        let size = try file.status().size
        do throws(MediaError) {
            return try MediaInspector.inspect(file, size: size, name: asset.node.displayName?.description ?? "")
                .location
        } catch { return nil }
    }
}
