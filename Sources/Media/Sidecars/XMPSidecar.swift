/// What the properties of an XMP sidecar mean.
enum XMPSidecar {
    typealias Properties = [XMPPropertyParser.Property: [XMPPropertyParser.Value]]

    static func contents(of properties: Properties) -> SidecarContents {
        var contents = SidecarContents()
        let captions = properties[.description] ?? []
        let caption = captions.first { $0.language == "x-default" } ?? captions.first
        if let caption { contents.setCaption(caption.text) }
        // -1 is a picture that was rejected.
        if let rating = first(.rating, properties).flatMap({ Double($0) }), (1..<6).contains(rating) {
            contents.rating = Int(rating)
        }
        var keywords: [String] = []
        for word in (properties[.subject] ?? []).prefix(SidecarContents.keywordLimit) where !word.text.isEmpty {
            keywords.append(word.text)
        }
        contents.keywords = keywords
        for property: XMPPropertyParser.Property in [.dateTimeOriginal, .dateCreated, .createDate] {
            guard let date = first(property, properties).flatMap(self.date) else { continue }
            contents.date = date
            break
        }
        if let latitude = first(.latitude, properties).flatMap({ coordinate($0, "N", "S") }),
            let longitude = first(.longitude, properties).flatMap({ coordinate($0, "E", "W") })
        {
            contents.setLocation(latitude: latitude, longitude: longitude, altitude: altitude(properties))
        }
        return contents
    }

    private static func first(_ property: XMPPropertyParser.Property, _ properties: Properties) -> String? {
        properties[property]?.first { !$0.text.isEmpty }?.text
    }

    /// A date of XMP (ISO 8601, cut anywhere behind the year), or EXIF's way to write one, which some programs put here.
    /// A month or a year alone is no date.
    static func date(_ text: String) -> SidecarDate? {
        let bytes = Array(text.utf8.prefix(40))
        guard bytes.count >= 10 else { return nil }
        let digits = String(decoding: bytes.prefix(10), as: UTF8.self)
        let parts = digits.split { $0 == "-" || $0 == ":" }.map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
            let date = CivilTime(year: year, month: month, day: day)
        else { return nil }
        if bytes.count == 10 { return .day(date.year * 10_000 + date.month * 100 + date.day) }
        guard bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " ") else { return nil }
        let rest = bytes[11...]
        let clock = rest.prefix { (0x30...0x3A).contains($0) }
        let numbers = String(decoding: clock, as: UTF8.self).split(separator: ":").map { Int($0) }
        guard numbers.count == 2 || numbers.count == 3, let hour = numbers[0], let minute = numbers[1],
            let second = numbers.count == 3 ? numbers[2] : 0,
            let time = CivilTime(
                year: date.year, month: date.month, day: date.day, hour: hour, minute: minute, second: second)
        else { return nil }
        var tail = rest.dropFirst(clock.count)
        var fraction: Int64 = 0
        if tail.first == UInt8(ascii: ".") {
            let digits = tail.dropFirst().prefix { (0x30...0x39).contains($0) }
            fraction = CaptureDateParser.nanoseconds(String(decoding: digits, as: UTF8.self))
            tail = tail.dropFirst(1 + digits.count)
        }
        let local = time.secondsSince1970 * 1_000_000_000 + fraction
        if tail.isEmpty { return .local(local) }
        guard let offset = CaptureDateParser.zoneOffset(String(decoding: tail, as: UTF8.self)) else { return nil }
        return .zoned(local - Int64(offset) * 1_000_000_000, offset: offset)
    }

    /// Degrees from `48,51.50N`, `48,51,30N` (XMP specification, part 2: GPSCoordinate) or a decimal number with a sign
    /// or a letter.
    static func coordinate(_ text: String, _ positive: Character, _ negative: Character) -> Double? {
        guard text.utf8.count <= 64 else { return nil }
        var text = Substring(text)
        var sign = 1.0
        if let last = text.last, let letter = last.uppercased().first, letter == positive || letter == negative {
            if letter == negative { sign = -1 }
            text = text.dropLast()
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard (1...3).contains(parts.count), let degrees = parts[0], degrees.isFinite else { return nil }
        var value = degrees.magnitude
        if degrees.sign == .minus { sign = -sign }
        for (part, unit) in zip(parts.dropFirst(), [60.0, 3600.0]) {
            guard let part, (0..<60.0001).contains(part) else { return nil }
            value += part / unit
        }
        return value.isFinite ? sign * value : nil
    }

    /// Metres, from a number or a fraction; below the sea where the reference is 1.
    private static func altitude(_ properties: Properties) -> Double? {
        guard let text = first(.altitude, properties) else { return nil }
        let parts = text.split(separator: "/").map { Double($0) }
        guard let numerator = parts.first ?? nil else { return nil }
        var value = numerator
        if parts.count == 2 {
            guard let denominator = parts[1], denominator != 0 else { return nil }
            value /= denominator
        }
        return first(.altitudeReference, properties) == "1" ? -value : value
    }
}
