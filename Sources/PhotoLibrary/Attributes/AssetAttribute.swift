internal import Media
internal import Platform

/// An extended attribute by which clients say something about an asset that the catalogue knows.
enum AssetAttribute: String, CaseIterable {
    /// Keywords, separated by commas, as Dolphin and other file managers write them.
    case tags = "user.xdg.tags"
    case comment = "user.xdg.comment"
    /// 0 to 10, two for each star.
    case rating = "user.baloo.rating"
    case favorite = "user.cameraroll.favorite"
    case hidden = "user.cameraroll.hidden"
    case captured = "user.cameraroll.captured"
    case location = "user.cameraroll.location"

    /// What is listed, and copied along by programs that copy attributes.
    var isListed: Bool { !rawValue.hasPrefix(Library.computedPrefix) }

    /// What a value says.
    enum Meaning: Equatable {
        case tags([FileName])
        /// Nil for no comment.
        case comment(String?)
        case rating(Int?)
        case favorite(Bool)
        case hidden(Bool)
        case captured(CaptureDate)
        /// Degrees, and metres.
        case location(latitude: Double, longitude: Double, altitude: Double?)
        case noLocation
    }

    private static let longestComment = 65_536
    private static let mostTags = 1000

    /// Reads a value from outside.
    ///
    /// - Throws: `EINVAL` for what it cannot mean.
    func meaning(of value: [UInt8]) throws(Errno) -> Meaning {
        guard let text = String(validating: value, as: UTF8.self), !value.contains(0) else { throw .invalid }
        switch self {
        case .tags: return .tags(try Self.tags(text))
        case .comment:
            guard value.count <= Self.longestComment else { throw .invalid }
            return .comment(text.isEmpty ? nil : text)
        case .rating:
            guard let number = Int(text), (0...10).contains(number) else { throw .invalid }
            return .rating(number == 0 ? nil : number)
        case .favorite: return .favorite(try Self.truth(text))
        case .hidden: return .hidden(try Self.truth(text))
        case .captured:
            guard let date = CaptureDateParser.iso8601(text) else { throw .invalid }
            return .captured(date)
        case .location: return try Self.location(text)
        }
    }

    private static func tags(_ text: String) throws(Errno) -> [FileName] {
        var names: [FileName] = []
        for word in text.split(separator: ",") {
            let trimmed = word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            if trimmed.isEmpty { continue }
            let name = try keyword(String(trimmed))
            if !names.contains(name) { names.append(name) }
        }
        guard names.count <= mostTags else { throw .invalid }
        return names
    }

    /// A keyword is a directory's name too.
    private static func keyword(_ text: String) throws(Errno) -> FileName {
        do throws(Errno) { return try FileName(text) } catch { throw .invalid }
    }

    private static func truth(_ text: String) throws(Errno) -> Bool {
        switch text {
        case "1", "true", "yes": return true
        case "0", "false", "no": return false
        default: throw .invalid
        }
    }

    /// A `geo:` address (RFC 5870) on the earth: `geo:LATITUDE,LONGITUDE[,ALTITUDE]`; nothing for no place.
    private static func location(_ text: String) throws(Errno) -> Meaning {
        if text.isEmpty { return .noLocation }
        guard text.lowercased().hasPrefix("geo:") else { throw .invalid }
        let place = text.dropFirst(4).prefix { $0 != ";" }
        let numbers = place.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard (2...3).contains(numbers.count), let latitude = numbers[0], let longitude = numbers[1],
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { throw .invalid }
        if numbers.count == 2 { return .location(latitude: latitude, longitude: longitude, altitude: nil) }
        guard let altitude = numbers[2], altitude.isFinite else { throw .invalid }
        return .location(latitude: latitude, longitude: longitude, altitude: altitude)
    }
}
