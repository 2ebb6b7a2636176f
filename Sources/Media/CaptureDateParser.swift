/// Reads dates as cameras write them. Dates that do not exist, zeros and blanks are no date.
public enum CaptureDateParser {
    /// EXIF's `YYYY:MM:DD HH:MM:SS`, with the separators that careless writers use.
    static func exifTime(_ text: String) -> CivilTime? {
        let numbers = self.numbers(in: text, limit: 6)
        guard numbers.count >= 5 else { return nil }
        return CivilTime(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4],
            second: numbers.count > 5 ? numbers[5] : 0)
    }

    /// Seconds east of UTC from `+02:00`, `-0530`, `+2` or `Z`; nil where that is no zone on the earth.
    static func zoneOffset(_ text: String) -> Int? {
        let text = text.trimmed
        if text == "Z" || text == "z" { return 0 }
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        var numbers = self.numbers(in: String(text.dropFirst()), limit: 2)
        guard var hours = numbers.first else { return nil }
        if numbers.count == 1, hours >= 100 { numbers = [hours / 100, hours % 100] }
        hours = numbers[0]
        let minutes = numbers.count > 1 ? numbers[1] : 0
        let seconds = hours * 3600 + minutes * 60
        guard minutes < 60, seconds <= 14 * 3600 else { return nil }
        return sign == "-" ? -seconds : seconds
    }

    /// The date that EXIF's parts come to.
    ///
    /// - Parameters:
    ///   - fraction: the digits after the second's decimal point (SubSecTime).
    ///   - offset: seconds east of UTC, where EXIF says so.
    ///   - satelliteTime: seconds since 1970 UTC by GPS. Where it differs from the local time by a plausible zone, within
    ///     two minutes, it gives the offset; GPS fixes are often older than the picture, so that more is no proof.
    static func exifDate(_ time: CivilTime, fraction: String?, offset: Int?, satelliteTime: Int64?) -> CaptureDate {
        let local = time.secondsSince1970
        let part = fraction.map(nanoseconds) ?? 0
        if let offset {
            return CaptureDate(
                instant: (local - Int64(offset)) * 1_000_000_000 + part, offset: offset, source: .exifWithOffset)
        }
        if let satelliteTime {
            let difference = local - satelliteTime
            let quarters = Int64((Double(difference) / 900).rounded())
            if abs(quarters) <= 56, abs(difference - quarters * 900) < 120 {
                let offset = Int(quarters * 900)
                return CaptureDate(
                    instant: (local - Int64(offset)) * 1_000_000_000 + part, offset: offset, source: .exifLocal)
            }
        }
        return CaptureDate(instant: local * 1_000_000_000 + part, offset: nil, source: .exifLocal)
    }

    /// `2019-02-12T15:27:12+0800` as QuickTime's creation date has it; without a zone it is local time.
    public static func iso8601(_ text: String) -> CaptureDate? {
        let text = text.trimmed
        let head = text.prefix(19)
        guard head.utf8.count == 19, let time = exifTime(String(head)) else { return nil }
        var rest = text.dropFirst(19)
        var part: Int64 = 0
        if rest.first == "." {
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            part = nanoseconds(String(digits))
            rest = rest.dropFirst(1 + digits.count)
        }
        let local = time.secondsSince1970
        guard let offset = zoneOffset(String(rest)) else {
            return rest.isEmpty
                ? CaptureDate(instant: local * 1_000_000_000 + part, offset: nil, source: .quickTimeKey) : nil
        }
        return CaptureDate(
            instant: (local - Int64(offset)) * 1_000_000_000 + part, offset: offset, source: .quickTimeKey)
    }

    /// The date of an AVI movie's `IDIT` chunk, local time: `Sat Mar 12 10:15:21 2005` or EXIF's way to write it.
    static func aviDate(_ text: String) -> CaptureDate? {
        var time = exifTime(text)
        let words = text.split(separator: " ")
        if words.count >= 5, let month = months.firstIndex(of: words[1].uppercased()) {
            let clock = numbers(in: String(words[3]), limit: 3)
            guard clock.count == 3, let day = Int(words[2]), let year = Int(words[4]) else { return nil }
            time = CivilTime(
                year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])
        }
        return time.map {
            CaptureDate(instant: $0.secondsSince1970 * 1_000_000_000, offset: nil, source: .movieHeader)
        }
    }

    private static let months = [
        "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
    ]

    /// The digits behind a decimal point as nanoseconds: `25` is a quarter of a second.
    static func nanoseconds(_ digits: String) -> Int64 {
        var value: Int64 = 0
        var count = 0
        for character in digits.trimmed.utf8 {
            guard (0x30...0x39).contains(character), count < 9 else { break }
            value = value * 10 + Int64(character - 0x30)
            count += 1
        }
        while count < 9 {
            value *= 10
            count += 1
        }
        return value
    }

    /// The first runs of digits of a text as numbers; a run longer than 6 digits ends the list.
    private static func numbers(in text: String, limit: Int) -> [Int] {
        var numbers: [Int] = []
        var current: Int?
        var digits = 0
        for character in text.utf8.prefix(64) {
            if (0x30...0x39).contains(character) {
                current = (current ?? 0) * 10 + Int(character - 0x30)
                digits += 1
                if digits > 6 { return numbers }
            } else if let number = current {
                numbers.append(number)
                if numbers.count == limit { return numbers }
                current = nil
                digits = 0
            }
        }
        if let current { numbers.append(current) }
        return numbers
    }
}
