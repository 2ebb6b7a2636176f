extension Location {
    /// A place whose coordinates are on the earth. 0° north 0° east, which devices write that know no place, is none.
    init?(checkedLatitude latitude: Double, longitude: Double, altitude: Double? = nil) {
        guard latitude.isFinite, longitude.isFinite, abs(latitude) <= 90, abs(longitude) <= 180,
            latitude != 0 || longitude != 0
        else { return nil }
        self.init(latitude: latitude, longitude: longitude, altitude: altitude.flatMap { $0.isFinite ? $0 : nil })
    }

    /// Reads `+27.1281+100.2508+0.000/` (ISO 6709, annex H): degrees, degrees and minutes, or degrees, minutes and
    /// seconds, by the number of digits before the point.
    init?(iso6709 text: String) {
        var numbers: [(digits: Int, value: Double)] = []
        var current = ""
        for character in text.utf8.prefix(128) {
            let isSign = character == UInt8(ascii: "+") || character == UInt8(ascii: "-")
            let isPart = (0x30...0x39).contains(character) || character == UInt8(ascii: ".")
            if !isPart, !current.isEmpty {
                guard let value = Double(current) else { return nil }
                numbers.append((current.prefix { $0 != "." }.count - 1, value))
                current = ""
            }
            if isSign || isPart && !current.isEmpty {
                current.unicodeScalars.append(Unicode.Scalar(character))
            } else {
                break
            }
        }
        if !current.isEmpty, let value = Double(current) {
            numbers.append((current.prefix { $0 != "." }.count - 1, value))
        }
        guard numbers.count >= 2 else { return nil }
        self.init(
            checkedLatitude: Self.degrees(numbers[0].value, beyondDegrees: numbers[0].digits - 2),
            longitude: Self.degrees(numbers[1].value, beyondDegrees: numbers[1].digits - 3),
            altitude: numbers.count > 2 ? numbers[2].value : nil)
    }

    private static func degrees(_ value: Double, beyondDegrees digits: Int) -> Double {
        let sign: Double = value < 0 ? -1 : 1
        let size = abs(value)
        switch digits {
        case 2:
            let whole = (size / 100).rounded(.down)
            return sign * (whole + (size - whole * 100) / 60)
        case 4:
            let whole = (size / 10000).rounded(.down)
            let minutes = ((size - whole * 10000) / 100).rounded(.down)
            return sign * (whole + minutes / 60 + (size - whole * 10000 - minutes * 100) / 3600)
        default: return value
        }
    }
}
