import Testing

@testable import Media

@Suite("Dates")
struct DateTests {
    @Test("Civil time there and back, against the calendar's known days")
    func civilTime() throws {
        #expect(CivilTime.daysSince1970(year: 1970, month: 1, day: 1) == 0)
        #expect(CivilTime.daysSince1970(year: 2000, month: 3, day: 1) == 11017)
        #expect(CivilTime.daysSince1970(year: 1904, month: 1, day: 1) * 86400 == -2_082_844_800)
        for day in stride(from: Int64(-60000), through: 100_000, by: 1) {
            let date = CivilTime.date(daysSince1970: day)
            #expect(CivilTime.daysSince1970(year: date.year, month: date.month, day: date.day) == day)
        }
        let time = CivilTime(secondsSince1970: 1_715_981_400)
        #expect(time == CivilTime(year: 2024, month: 5, day: 17, hour: 21, minute: 30, second: 0))
        #expect(time.secondsSince1970 == 1_715_981_400)
    }

    @Test("The day is that of the local time")
    func localDay() {
        let instant: Int64 = 1_715_981_400_000_000_000  // 2024-05-17T21:30:00Z
        #expect(CivilTime.localDay(instant: instant, offset: 0) == 20_240_517)
        #expect(CivilTime.localDay(instant: instant, offset: 3 * 3600) == 20_240_518)
        #expect(CivilTime.localDay(instant: -1, offset: 0) == 19_691_231)
    }

    @Test(
        "RFC 3339",
        arguments: [
            (1_715_981_400_000_000_000, 0, "2024-05-17T21:30:00Z"),
            (1_715_981_400_250_000_000, 7200, "2024-05-17T23:30:00.250+02:00"),
            (1_715_981_400_000_000_001, -19800, "2024-05-17T16:00:00.000000001-05:30"),
            (-1, 0, "1969-12-31T23:59:59.999999999Z"),
        ] as [(Int64, Int, String)])
    func rfc3339(_ instant: Int64, _ offset: Int, _ text: String) {
        #expect(CivilTime.rfc3339(instant: instant, offset: offset) == text)
    }

    @Test(
        "Dates in file names",
        arguments: [
            ("IMG_20240517_233000.jpg", "2024-05-17T23:30:00Z"),
            ("VID_20240517_233000_HDR.mp4", "2024-05-17T23:30:00Z"),
            ("20240517_233000.jpg", "2024-05-17T23:30:00Z"),
            ("IMG-20240517-233000.jpg", "2024-05-17T23:30:00Z"),
            ("PXL_20200710_061629144.MP.jpg", "2020-07-10T06:16:29.144Z"),
            ("VID-20190101-WA0001.mp4", "2019-01-01T12:00:00Z"),
            ("IMG-20190101-WA0001.jpg", "2019-01-01T12:00:00Z"),
            ("Screenshot_2020-01-02-03-04-05.png", "2020-01-02T03:04:05Z"),
            ("Screenshot_2020-01-02-03-04-05-123_com.app.png", "2020-01-02T03:04:05Z"),
            ("Screenshot_20200102-030405.png", "2020-01-02T03:04:05Z"),
            ("Screenshot 2020-01-02 at 03.04.05.png", "2020-01-02T03:04:05Z"),
            ("2024-05-17 23.30.12.jpg", "2024-05-17T23:30:12Z"),
            ("WhatsApp Image 2020-01-02 at 03.04.05.jpeg", "2020-01-02T03:04:05Z"),
            ("WhatsApp Video 2020-01-02 at 03.04.05 (1).mp4", "2020-01-02T03:04:05Z"),
            ("signal-2021-05-17-123456.jpg", "2021-05-17T12:34:56Z"),
            ("signal-2021-05-17-12-34-56-789.jpg", "2021-05-17T12:34:56Z"),
            ("2024-05-17T23:30:12.heic", "2024-05-17T23:30:12Z"),
            ("20240517233012.jpg", "2024-05-17T23:30:12Z"),
            ("Screenshot 2024-05-17 at 11.30.12 PM.png", "2024-05-17T23:30:12Z"),
            ("Screenshot 2024-05-17 at 12.30.12\u{202F}AM.png", "2024-05-17T00:30:12Z"),
            ("photo_2020-01-02_03-04-05.jpg", "2020-01-02T03:04:05Z"),
            ("DJI_20240517233000_0001_D.MP4", "2024-05-17T23:30:00Z"),
            ("holiday 2024-05-17.jpg", "2024-05-17T12:00:00Z"),
            ("IMG_20240517.jpg", "2024-05-17T12:00:00Z"),
            ("a/b/IMG_20240517_233000.jpg", "2024-05-17T23:30:00Z"),
            ("IMG_20240517_253000.jpg", "2024-05-17T12:00:00Z"),
            ("2024-02-29 10.00.00.jpg", "2024-02-29T10:00:00Z"),
        ])
    func fileName(_ name: String, _ expected: String) throws {
        let date = try #require(CaptureDateParser.captureDate(fromFileName: name))
        #expect(CivilTime.rfc3339(instant: date.instant, offset: 0) == expected)
        #expect(date.source == .fileName)
        #expect(date.offset == (name.hasPrefix("PXL_") ? 0 : nil))
    }

    @Test(
        "Names without a date, or with one that does not exist",
        arguments: [
            "IMG_0001.JPG", "DSC01234.ARW", "2023-02-30 10.00.00.jpg", "IMG_20231301_101010.jpg", "", ".",
            "123456789012345678.jpg", "FB_IMG_1589741234567.jpg", "IMG_00000000_000000.jpg", "2024.jpg",
            "2024-05.jpg", "18991231.jpg", "call 02024051712.jpg", "202405171.jpg", "20240517123.jpg",
        ])
    func noDateInName(_ name: String) {
        #expect(CaptureDateParser.captureDate(fromFileName: name) == nil)
    }

    @Test(
        "EXIF dates that are none",
        arguments: [
            "0000:00:00 00:00:00", "    :  :     :  :  ", "", "2023:02:30 10:00:00",
            "2023:13:01 10:00:00", "2023:01:01 25:00:00", "2023:01:01", "garbage", "99999999:01:01 00:00:00",
        ])
    func noEXIFDate(_ text: String) {
        #expect(CaptureDateParser.exifTime(text) == nil)
    }

    @Test(
        "Zones",
        arguments: [
            ("+02:00", 7200), ("-05:30", -19800), ("Z", 0), ("+0800", 28800), ("-3", -10800), ("+14:00", 50400),
        ])
    func zone(_ text: String, _ seconds: Int) {
        #expect(CaptureDateParser.zoneOffset(text) == seconds)
    }

    @Test("Zones that are none", arguments: ["", "   :  ", "+15:00", "+02:75", "02:00", "abc", "+", "-99999999999"])
    func noZone(_ text: String) {
        #expect(CaptureDateParser.zoneOffset(text) == nil)
    }

    @Test("EXIF date with fraction and offset")
    func exifOffset() throws {
        let time = try #require(CaptureDateParser.exifTime("2024:05:17 23:30:00"))
        let date = CaptureDateParser.exifDate(time, fraction: "25 ", offset: 7200, satelliteTime: nil)
        #expect(date == CaptureDate(instant: 1_715_981_400_250_000_000, offset: 7200, source: .exifWithOffset))
    }

    @Test(
        "GPS time gives the zone where it comes near enough",
        arguments: [(0, 7200), (90, 7200), (-119, 7200), (121, nil), (-400, nil), (15 * 3600, nil), (900, 6300)]
            as [(Int64, Int?)])
    func satelliteTime(_ deviation: Int64, _ offset: Int?) throws {
        let time = try #require(CaptureDateParser.exifTime("2024:05:17 23:30:00"))
        let utc = time.secondsSince1970 - 7200 + deviation
        let shifted = deviation == 15 * 3600 ? time.secondsSince1970 + 15 * 3600 : utc
        let date = CaptureDateParser.exifDate(time, fraction: nil, offset: nil, satelliteTime: shifted)
        #expect(date.offset == offset)
        #expect(date.source == .exifLocal)
        #expect(date.instant == (time.secondsSince1970 - Int64(offset ?? 0)) * 1_000_000_000)
    }

    @Test("QuickTime creation dates")
    func quickTime() {
        let date = CaptureDateParser.iso8601("2019-02-12T15:27:12+0800")
        #expect(date == CaptureDate(instant: 1_549_956_432_000_000_000, offset: 28800, source: .quickTimeKey))
        #expect(CaptureDateParser.iso8601("2019-02-12T15:27:12.5Z")?.instant == 1_549_985_232_500_000_000)
        #expect(CaptureDateParser.iso8601("2019-02-30T15:27:12Z") == nil)
        #expect(CaptureDateParser.iso8601("2019") == nil)
    }

    @Test("Movie header dates: zero, both epochs and clocks that were never set are none")
    func movieHeader() {
        #expect(MovieStructure.date(0) == nil)
        #expect(MovieStructure.date(2_082_844_800) == nil)
        #expect(MovieStructure.date(2_082_844_801) == nil)
        #expect(MovieStructure.date(3600) == nil)
        #expect(MovieStructure.date(.max) == nil)
        #expect(MovieStructure.date(1 << 34) == nil)
        #expect(MovieStructure.date(2_082_844_800 + 1_700_000_000) == 1_700_000_000)
        #expect(MovieStructure.date(1_700_000_000) == 1_700_000_000)
    }

    @Test(
        "Places as ISO 6709 writes them",
        arguments: [
            ("+27.1281+100.2508+000.000/", 27.1281, 100.2508), ("+4041.34-07402.67/", 40.689, -74.0445),
            ("-334512.5+1511205/", -33.753472, 151.201389), ("+48.8577+002.295/", 48.8577, 2.295),
        ])
    func iso6709(_ text: String, _ latitude: Double, _ longitude: Double) throws {
        let place = try #require(Location(iso6709: text))
        #expect(abs(place.latitude - latitude) < 1e-5 && abs(place.longitude - longitude) < 1e-5)
    }

    @Test("Places that are none", arguments: ["", "+", "+91+000/", "+0+0/", "abc", "+10.5", "+1.2.3+4/", "+10+181/"])
    func noPlace(_ text: String) {
        #expect(Location(iso6709: text) == nil)
    }

    @Test("AVI dates", arguments: ["Sat Mar 12 10:15:21 2005", "2005:03:12 10:15:21", "SAT MAR 12 10:15:21 2005"])
    func avi(_ text: String) {
        #expect(CaptureDateParser.aviDate(text)?.instant == 1_110_622_521_000_000_000)
    }
}
