internal import Media
internal import Platform

/// A sidecar's place among those that one asset can have: each is compared with what itself said before.
enum SidecarSlot: Int, CaseIterable {
    case xmp = 1
    /// Beside it, by a program of the other habit of naming.
    case xmpOfFullName = 2
    case takeout = 3

    /// Nil for a sidecar that is kept and not read.
    init?(_ sidecar: SidecarName, beside picture: FileName) {
        switch sidecar.format {
        case .xmp: self = sidecar.tie(to: picture) == .fullName ? .xmpOfFullName : .xmp
        case .takeout: self = .takeout
        case nil: return nil
        }
    }
}

/// What a sidecar says, each thing as a text that is the same whenever it says the same.
struct SidecarProperties: Equatable {
    enum Name: String, CaseIterable {
        case caption, rating, keywords, date, location, favorite
    }

    var values: [Name: String] = [:]

    /// Between keywords: XML cannot hold it, and a keyword that does is none.
    private static let separator: Character = "\u{1F}"

    private static let mostKeywords = 1000

    init() {}

    init(_ contents: SidecarContents) {
        values[.caption] = contents.caption
        values[.rating] = contents.rating.map { String($0) }
        let words = Self.keywords(from: contents.keywords).map(\.description)
        if !words.isEmpty { values[.keywords] = words.joined(separator: String(Self.separator)) }
        values[.date] = contents.date?.text
        values[.location] = contents.location.map { place in
            "\(place.latitude) \(place.longitude)" + (place.altitude.map { " \($0)" } ?? "")
        }
        if contents.isFavorite == true { values[.favorite] = "1" }
    }

    subscript(name: Name) -> String? { values[name] }

    static func keywords(in text: String?) -> [FileName] {
        (text ?? "").split(separator: separator).map { FileName(trusted: Array($0.utf8)) }
    }

    static func location(in text: String) -> Location? {
        let numbers = text.split(separator: " ").map { Double($0) }
        guard (2...3).contains(numbers.count), let latitude = numbers[0], let longitude = numbers[1] else { return nil }
        return Location(
            latitude: latitude, longitude: longitude, altitude: numbers.count == 3 ? numbers[2] : nil)
    }

    /// Keywords as the library has them: directories' names, and commas part them. Of a path the last part counts.
    private static func keywords(from words: [String]) -> [FileName] {
        var names: [FileName] = []
        var known: Set<FileName> = []
        for word in words.lazy.flatMap({ $0.split(separator: ",") }) where names.count < mostKeywords {
            let leaf = word.split(separator: "/").last.map { String($0) } ?? ""
            let trimmed = leaf.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            guard let name = name(String(trimmed)), known.insert(name).inserted else { continue }
            names.append(name)
        }
        return names
    }

    private static func name(_ text: String) -> FileName? {
        guard !text.contains(separator) else { return nil }
        do throws(Errno) { return try FileName(text) } catch { return nil }
    }
}
