/// A date and a time of day as a clock on a wall shows them (proleptic Gregorian calendar), without a zone.
public struct CivilTime: Sendable, Hashable {
    public var year: Int
    /// 1...12
    public var month: Int
    /// 1...31
    public var day: Int
    /// 0...23
    public var hour: Int
    public var minute: Int
    /// 0...59; a leap second is read as the second before it.
    public var second: Int

    /// A time that exists; nil for the 30th of February, an hour of 24 and the like, and for years outside
    /// 1800...2261 (nanoseconds in 64 bits reach to 2262; there was no photography before).
    public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard (1800...2261).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.days(in: month, of: year), (0...23).contains(hour), (0...59).contains(minute),
            (0...60).contains(second)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = min(second, 59)
    }

    /// The clock's reading that many seconds after 1970-01-01 00:00:00.
    public init(secondsSince1970 seconds: Int64) {
        let days = seconds.flooredQuotient(by: 86400)
        let rest = Int(seconds - days * 86400)
        let date = Self.date(daysSince1970: days)
        year = date.year
        month = date.month
        day = date.day
        hour = rest / 3600
        minute = rest / 60 % 60
        second = rest % 60
    }

    /// Seconds from 1970-01-01 00:00:00 to this reading of the clock.
    public var secondsSince1970: Int64 {
        Self.daysSince1970(year: year, month: month, day: day) * 86400
            + Int64(hour * 3600 + minute * 60 + second)
    }

    /// The number of days in a month.
    public static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to a date; years are counted from March, so that the leap day is a year's last.
    public static func daysSince1970(year: Int, month: Int, day: Int) -> Int64 {
        let shifted = Int64(month <= 2 ? year - 1 : year)
        let era = shifted.flooredQuotient(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The date that many days after 1970-01-01.
    public static func date(daysSince1970 days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        let year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        return (year, month, Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
    }

    /// The day of an instant in its own local time, as the number yyyymmdd.
    ///
    /// - Parameters:
    ///   - instant: nanoseconds since 1970 UTC.
    ///   - offset: seconds east of UTC.
    public static func localDay(instant: Int64, offset: Int) -> Int {
        let time = CivilTime(instant: instant, offset: offset)
        return time.year * 10000 + time.month * 100 + time.day
    }

    /// The clock's reading at an instant (nanoseconds since 1970 UTC), `offset` seconds east of UTC.
    public init(instant: Int64, offset: Int) {
        self.init(secondsSince1970: instant.flooredQuotient(by: 1_000_000_000) + Int64(offset))
    }

    /// An instant as RFC 3339 writes it, such as `2024-05-17T23:30:00.250+02:00`; no fraction where it is zero, three
    /// digits where they are enough, else nine; `Z` where the offset is 0.
    public static func rfc3339(instant: Int64, offset: Int) -> String {
        let seconds = instant.flooredQuotient(by: 1_000_000_000)
        let nanoseconds = Int(instant - seconds * 1_000_000_000)
        let time = CivilTime(secondsSince1970: seconds + Int64(offset))
        var text = "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))T"
        text += "\(padded(time.hour, 2)):\(padded(time.minute, 2)):\(padded(time.second, 2))"
        if nanoseconds != 0 {
            text +=
                nanoseconds % 1_000_000 == 0 ? ".\(padded(nanoseconds / 1_000_000, 3))" : ".\(padded(nanoseconds, 9))"
        }
        if offset == 0 { return text + "Z" }
        let minutes = abs(offset) / 60
        return text + (offset < 0 ? "-" : "+") + "\(padded(minutes / 60, 2)):\(padded(minutes % 60, 2))"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Int64 {
    /// The quotient rounded down, for negative numbers too.
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
