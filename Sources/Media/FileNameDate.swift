extension CaptureDateParser {
    /// The date that phones and messengers put into a file's name.
    ///
    /// Known are `IMG_20240517_233000.jpg`, `PXL_20200710_061629144.jpg` (UTC), `VID-20190101-WA0001.mp4` (a day only:
    /// noon), `Screenshot_2020-01-02-03-04-05.png`, `2024-05-17 23.30.12.jpg`, `WhatsApp Image 2020-01-02 at
    /// 03.04.05.jpeg`, `signal-2021-05-17-123456.jpg` and what is built alike: eight digits, or four, two and two, for
    /// the day; then six digits, or three times two, for the time.
    ///
    /// - Returns: local time (`offset` nil) but for `PXL_` names; nil where the name has no date that exists between
    ///   1970 and 2099.
    public static func captureDate(fromFileName name: String) -> CaptureDate? {
        let base = name.split(separator: "/").last.map(String.init) ?? name
        let bytes = Array(base.utf8.prefix(255))
        var position = 0
        while position < bytes.count {
            // Only the start of a run of digits can be a year: 15 digits of a serial number hold many "dates".
            if bytes[position].isDigit, position == 0 || !bytes[position - 1].isDigit {
                if let date = date(in: bytes, at: position) {
                    return base.hasPrefix("PXL_")
                        ? CaptureDate(instant: date.instant, offset: 0, source: .fileName) : date
                }
            }
            position += 1
        }
        return nil
    }

    private static func date(in bytes: [UInt8], at start: Int) -> CaptureDate? {
        var scanner = DigitScanner(bytes: bytes, position: start)
        guard let year = scanner.digits(4), (1970...2099).contains(year) else { return nil }
        let daySeparator = scanner.separator([UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")])
        guard let month = scanner.digits(2) else { return nil }
        guard scanner.separator(daySeparator.map { [$0] } ?? []) == daySeparator, let day = scanner.digits(2) else {
            return nil
        }
        guard let noon = CivilTime(year: year, month: month, day: day, hour: 12) else { return nil }
        let dayEnd = scanner.position
        if let time = timeOfDay(&scanner, isJoined: daySeparator == nil),
            let exact = CivilTime(
                year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
        {
            return CaptureDate(
                instant: exact.secondsSince1970 * 1_000_000_000 + time.nanoseconds, offset: nil, source: .fileName)
        }
        // A run of digits that goes on is no date but a number.
        if dayEnd < bytes.count, bytes[dayEnd].isDigit { return nil }
        return CaptureDate(instant: noon.secondsSince1970 * 1_000_000_000, offset: nil, source: .fileName)
    }

    private static func timeOfDay(_ scanner: inout DigitScanner, isJoined: Bool)
        -> (hour: Int, minute: Int, second: Int, nanoseconds: Int64)?
    {
        let hadSeparator = scanner.skipTimeSeparator()
        // Without anything between day and time, both must be one run of exactly 14 digits.
        if !hadSeparator, !isJoined { return nil }
        guard let hour = scanner.digits(2) else { return nil }
        let separator = scanner.separator(
            [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "h")])
        guard let minute = scanner.digits(2) else { return nil }
        let second: Int
        if separator == nil {
            guard let digits = scanner.digits(2) else { return nil }
            second = digits
        } else {
            var ahead = scanner
            if ahead.separator([
                UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "m"),
            ]) != nil,
                let digits = ahead.digits(2)
            {
                second = digits
                scanner = ahead
            } else {
                second = 0
            }
        }
        var nanoseconds: Int64 = 0
        if scanner.isAtDigit {
            // Milliseconds, as Pixel phones write them; any other number of digits means that this is no time.
            guard hadSeparator, separator == nil, let milliseconds = scanner.digits(3), !scanner.isAtDigit
            else { return nil }
            nanoseconds = Int64(milliseconds) * 1_000_000
        }
        guard let hour = scanner.halfDay(hour) else { return nil }
        return (hour, minute, second, nanoseconds)
    }
}

/// Reads digits and separators of a name from left to right.
private struct DigitScanner {
    let bytes: [UInt8]
    var position: Int

    var isAtDigit: Bool { position < bytes.count && bytes[position].isDigit }

    /// The next `count` digits as a number; nil, without moving, where there are fewer.
    mutating func digits(_ count: Int) -> Int? {
        guard position + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<position + count] {
            guard byte.isDigit else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        position += count
        return value
    }

    /// Steps over one of these bytes where one stands here; returns which.
    mutating func separator(_ allowed: [UInt8]) -> UInt8? {
        guard position < bytes.count, allowed.contains(bytes[position]) else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// The hour of the day, by an `AM` or `PM` behind the time, as desktops write it (after a narrow space, too).
    func halfDay(_ hour: Int) -> Int? {
        var rest = bytes[position...]
        for space in [[0x20], [0xE2, 0x80, 0xAF]] as [[UInt8]] where rest.starts(with: space) {
            rest = rest.dropFirst(space.count)
            break
        }
        let word = rest.prefix(3).map { $0 | 0x20 }
        guard word.starts(with: "am".utf8) || word.starts(with: "pm".utf8),
            word.count < 3 || !(0x61...0x7A).contains(word[2])
        else { return hour }
        guard (1...12).contains(hour) else { return nil }
        return hour % 12 + (word[0] == UInt8(ascii: "p") ? 12 : 0)
    }

    /// Steps over what stands between a day and a time: ` at `, `, `, `_`, `-`, `T` and the like.
    mutating func skipTimeSeparator() -> Bool {
        let start = position
        for words in [" at ", " um ", " à ", " - ", ", ", "--"] where bytes[position...].starts(with: words.utf8) {
            position += words.utf8.count
            return true
        }
        _ = separator([
            0x20, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "T"), UInt8(ascii: "t"),
        ])
        return position > start
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}
