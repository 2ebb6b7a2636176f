import Platform
import Support
import Testing

@Suite struct TimeTests {
    static let second: Int64 = 1_000_000_000
    /// 2001-02-03 04:05:06.789 UTC, which no test file says of itself.
    static let old: Int64 = 981_173_106 * second + 789_000_000

    /// What a client sets is kept, over a remount and in every zone.
    @Test func timesThatClientsSet() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.jpg")
            try Generated.photo(at: source, date: "2024:05:17 10:00:00")
            try Files.setTimes(source, to: Self.old)
            try require("cp", "-p", source, roll.dcim + "/cp.jpg")
            try Generated.photo(at: source, date: "2024:05:18 10:00:00")
            try Files.setTimes(source, to: Self.old)
            try require("rsync", "-t", source, roll.dcim + "/rsync.jpg")
            try Generated.photo(at: source, date: "2024:05:19 10:00:00")
            try require("cp", source, roll.dcim + "/touch.jpg")
            try require("touch", "-d", "2001-02-03T04:05:06.789Z", roll.dcim + "/touch.jpg")
            try Files.makeDirectory(roll.dcim + "/directory")
            try require("touch", "-d", "2001-02-03T04:05:06.789Z", roll.dcim + "/directory")

            func check(_ when: String) throws {
                for name in ["cp.jpg", "rsync.jpg", "touch.jpg", "directory"] {
                    let time = try Files.existing("\(roll.dcim)/\(name)").modificationTime
                    #expect(time == Self.old, "\(name) \(when)")
                }
            }
            try check("at once")
            try roll.remount()
            try check("after a remount")
            try roll.remount(zone: "Asia/Tokyo")
            try check("in another zone")
        }
    }

    /// Without a word from the client the modification time is the capture time.
    @Test func captureTimeIsTheDefault() throws {
        try withMountedLibrary(MountOptions(zone: "America/New_York")) { roll in
            let source = roll.place("source.jpg")
            try Generated.photo(at: source, date: "2024:05:17 10:00:00", offset: "+02:00")
            try require("cp", source, roll.dcim + "/zoned.jpg")
            try Generated.photo(at: source, date: "2024:05:17 10:00:00")
            try require("cp", source, roll.dcim + "/local.jpg")
            // 08:00 UTC, and 10:00 in New York's summer, which is 14:00 UTC.
            func check(_ when: String) throws {
                let zoned = try Files.existing(roll.dcim + "/zoned.jpg").modificationTime
                #expect(zoned == 1_715_932_800 * Self.second, "\(when)")
                let local = try Files.existing(roll.dcim + "/local.jpg").modificationTime
                #expect(local == 1_715_954_400 * Self.second, "\(when)")
            }
            try check("at once")
            try roll.remount(zone: "UTC")
            try check("in another zone")
        }
    }

    /// `0000:00:00` and the like are no dates: the file's name is asked next, then its modification time.
    @Test(arguments: ["0000:00:00 00:00:00", "    :  :     :  :  ", "2024:13:45 25:61:61"])
    func impossibleDates(date: String) throws {
        try withMountedLibrary { roll in
            let named = roll.place("IMG_20190704_120102.jpg")
            let plain = roll.place("plain.jpg")
            for path in [named, plain] {
                // Written raw: exiftool does not take such a date.
                let mark = "1999:12:31 23:59:58"
                var bytes = try Generated.photo(at: path, date: mark)
                let pattern = Array(mark.utf8)
                let start = try #require(
                    bytes.indices.first { bytes[$0...].starts(with: pattern) }, "exiftool wrote no date")
                bytes.replaceSubrange(start..<start + pattern.count, with: date.utf8)
                try Files.write(bytes, to: path)
                try Files.setTimes(path, to: Self.old)
                try require("cp", "-p", path, roll.dcim)
            }
            let assets = try roll.assets()
            let byName = try #require(assets.first { $0.name == "IMG_20190704_120102.jpg" })
            #expect(byName.captured?.hasPrefix("2019-07-04T12:01:02") == true, "\(byName.captured ?? "nil")")
            #expect(
                try Files.names(in: roll.root + "/Dates/2019/2019-07/2019-07-04") == ["IMG_20190704_120102.jpg"])
            let byTime = try #require(assets.first { $0.name == "plain.jpg" })
            #expect(byTime.captured?.hasPrefix("2001-02-03T04:05:06") == true, "\(byTime.captured ?? "nil")")
        }
    }

    /// Half an hour before midnight where it was filmed, the next day already in UTC.
    @Test func aLateClipLiesInItsLocalDay() throws {
        try withMountedLibrary { roll in
            let source = roll.place("late.mov")
            try Files.write(try Generated.movie("mov"), to: source)
            try require(
                "exiftool", "-q", "-overwrite_original", "-Keys:CreationDate=2024:05:17 23:30:00-05:00",
                "-QuickTime:CreateDate=2024:05:18 04:30:00", source)
            try require("cp", source, roll.dcim)
            #expect(try Files.names(in: roll.root + "/Dates/2024/2024-05") == ["2024-05-17"])
            #expect(try Files.names(in: roll.root + "/Dates/2024/2024-05/2024-05-17") == ["late.mov"])
            #expect(try roll.assets().first?.captured == "2024-05-17T23:30:00-05:00")
            try roll.remount(zone: "Asia/Tokyo")
            #expect(try Files.names(in: roll.root + "/Dates/2024/2024-05/2024-05-17") == ["late.mov"])
        }
    }
}
