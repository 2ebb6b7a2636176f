import Glibc
import Platform
import Testing

/// The zone is the whole process's, so these run one after the other.
@Suite(.serialized) struct LocalZoneTests {
    struct Moment: Sendable, CustomTestStringConvertible {
        var zone: String
        /// Local time, seconds since 1970 read as if it were UTC.
        var local: Int64
        /// Seconds east of UTC.
        var offset: Int
        var testDescription: String { "\(zone) at \(local)" }
    }

    @Test(arguments: [
        // Winter and summer.
        Moment(zone: "Europe/Berlin", local: 1_705_320_000, offset: 3600),
        Moment(zone: "Europe/Berlin", local: 1_721_044_800, offset: 7200),
        // 2024-03-31 01:59:59, 02:30 (skipped: the clock then shows 03:30), 03:00.
        Moment(zone: "Europe/Berlin", local: 1_711_850_399, offset: 3600),
        Moment(zone: "Europe/Berlin", local: 1_711_852_200, offset: 3600),
        Moment(zone: "Europe/Berlin", local: 1_711_854_000, offset: 7200),
        // 2024-10-27 01:59, 02:30 (twice: the earlier one is summer time), 03:00.
        Moment(zone: "Europe/Berlin", local: 1_729_994_340, offset: 7200),
        Moment(zone: "Europe/Berlin", local: 1_729_996_200, offset: 7200),
        Moment(zone: "Europe/Berlin", local: 1_729_998_000, offset: 3600),
        // West of Greenwich: 2024-03-10 02:30 is skipped, 2024-11-03 01:30 comes twice.
        Moment(zone: "America/New_York", local: 1_710_037_800, offset: -18_000),
        Moment(zone: "America/New_York", local: 1_730_597_400, offset: -14_400),
        Moment(zone: "Asia/Kathmandu", local: 1_705_320_000, offset: 20_700),
        Moment(zone: "Pacific/Kiritimati", local: 1_705_320_000, offset: 50_400),
        Moment(zone: "Pacific/Pago_Pago", local: 1_705_320_000, offset: -39_600),
        Moment(zone: "UTC", local: 0, offset: 0),
        // Samoa left out 2011-12-30: noon of that day is after the gap.
        Moment(zone: "Pacific/Apia", local: 1_325_246_400, offset: -36_000),
        Moment(zone: "Pacific/Apia", local: 1_325_332_800, offset: 50_400),
    ])
    func offsetAtLocalTime(moment: Moment) {
        inZone(moment.zone) {
            #expect(LocalZone.offset(atLocal: moment.local * 1_000_000_000) == moment.offset)
        }
    }

    @Test func offsetAtMoment() {
        inZone("Europe/Berlin") {
            #expect(LocalZone.offset(at: 1_711_846_799 * 1_000_000_000) == 3600)
            #expect(LocalZone.offset(at: 1_711_846_800 * 1_000_000_000) == 7200)
            #expect(LocalZone.offset(at: 1_711_846_800 * 1_000_000_000 - 1) == 3600)
            // No moment, however far, ends the process.
            _ = LocalZone.offset(atLocal: .min)
            _ = LocalZone.offset(atLocal: .max)
            _ = LocalZone.offset(at: .min)
        }
    }

    private func inZone(_ zone: String, _ body: () -> Void) {
        let before = getenv("TZ").map { String(cString: $0) }
        setenv("TZ", zone, 1)
        tzset()
        body()
        if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
        tzset()
    }
}
