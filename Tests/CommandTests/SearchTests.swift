import PhotoLibrary
import Platform
import SQLite
import Support
import Testing

/// Queries against a library of known assets.
@Suite(.serialized) struct SearchTests {
    private func names(_ query: String, in library: Library) throws -> [String] {
        var found: [String] = []
        try library.forEachMatch(of: try Query(query), mapping: failure) {
            (match) throws(HarnessError) in
            found.append(PathName.components(of: match.paths.first ?? "").last ?? "-")
            return true
        }
        return found
    }

    private func failure(_ error: Errno) -> HarnessError { HarnessError("\(error)") }

    private func expect(_ query: String, _ expected: [String], in library: Library) throws {
        #expect(try names(query, in: library) == expected, "\(query)")
    }

    @Test func everyKindOfTerm() throws {
        try withTestLibrary { test in
            let library = test.library
            try test.addPhoto(
                "trip/IMG_0001.JPG", date: "2024:05:17 23:30:00", offset: "+02:00", make: "Canon", model: "EOS 40D",
                more: [
                    "-LensModel=EF 50mm f/1.8", "-GPSLatitude=48.8584", "-GPSLatitudeRef=N", "-GPSLongitude=2.2945",
                    "-GPSLongitudeRef=E",
                ])
            try test.addPhoto(
                "100%_Über.jpg", date: "2023:12:31 12:00:00", make: "NIKON", model: "D90",
                more: ["-GPSLatitude=48.8530", "-GPSLatitudeRef=N", "-GPSLongitude=2.3499", "-GPSLongitudeRef=E"])
            try test.add(try Generated.movie(), "clip.mp4")
            // The decomposed form of "é".
            try test.addPhoto("Cafe\u{301} or bar.jpg", date: "2024:05:01 00:00:00", make: "Acme", model: "Roll 9")
            try test.addPhoto("gone.jpg", date: "2022:02:02 02:02:02")
            try test.remove("gone.jpg")
            try test.add(Array("no picture".utf8), "bad.jpg")

            let (first, umlaut, clip, cafe) = ("IMG_0001.JPG", "100%_Über.jpg", "clip.mp4", "Cafe\u{301} or bar.jpg")
            let all = [first, umlaut, clip, cafe]
            for (query, expected) in [
                ("", all), ("img_0001", [first]), ("IMG.0001", []), ("g_0", [first]), ("0%_", [umlaut]),
                ("%", [umlaut]),
                ("_", [first, umlaut]), ("über", [umlaut]), ("ÜBER", [umlaut]), ("café", [cafe]),
                ("CAFE\u{301}", [cafe]),
                ("-café", [first, umlaut, clip]), ("canon", [first]), ("\"canon eos\"", [first]), ("canon nikon", []),
                ("canon or nikon", [first, umlaut]), ("jpg canon or nikon", [first, umlaut]),
                ("-canon -nikon", [clip, cafe]), ("\"or\"", [cafe]), ("trip", []),
                ("type:photo", [first, umlaut, cafe]), ("type:video", [clip]), ("-type:video", [first, umlaut, cafe]),
                ("type:jpeg", [first, umlaut, cafe]), ("type:mp4", [clip]), ("type:raw", []), ("-type:live", all),
                ("camera:canon", [first]), ("camera:\"EOS 40\"", [first]),
                ("camera:d90 or camera:roll", [umlaut, cafe]),
                ("lens:50MM", [first]), ("-lens:50mm", [umlaut, clip, cafe]),
                // The day is the capture's own: 23:30 in +02:00 is 21:30 UTC of that day.
                ("on:2024-05-17", [first]), ("on:2024-05", [first, cafe]), ("on:2023", [umlaut]),
                ("before:2024", [umlaut]), ("before:2023-12-31", []), ("after:2024-05-16 before:2024-05-18", [first]),
                ("after:2024-05-01 type:photo", [first]), ("after:2023 before:2024", []),
                ("after:2024-05 type:photo", []),
                ("near:48.8584,2.2945,1km", [first]), ("near:48.8584,2.2945,5km", [first, umlaut]),
                ("near:48.8584,2.2945,100m", [first]), ("-near:48.8584,2.2945,1km", [umlaut, clip, cafe]),
                ("near:-48.8584,2.2945,100km", []), ("near:90,0,20000km", [first, umlaut]),
                ("size:>0", all), ("size:>1GB", []), ("-size:<1GB", []), ("duration:<5s", [clip]),
                ("duration:>=1h", []), ("-duration:>0s", [first, umlaut, cafe]), ("rating:>=1", []),
                ("-rating:>=1", all),
                ("is:favorite", []), ("-is:favorite", all), ("is:edited", []), ("is:hidden", []), ("is:pending", []),
                ("is:deleted", ["-"]), ("gone", []), ("gone is:deleted", ["-"]),
            ] as [(String, [String])] {
                try expect(query, expected, in: library)
            }
        }
    }

    /// A range and what lies outside of it make the whole, whatever the period.
    @Test(arguments: ["2024", "2024-05", "2024-05-17", "2023-12-31", "1999"])
    func periodsArePartitions(period: String) throws {
        try withTestLibrary { test in
            for day in [
                "2023:12:31", "2024:01:01", "2024:05:16", "2024:05:17", "2024:05:31", "2024:06:01", "2025:01:01",
            ] {
                try test.addPhoto("\(day.replacing(":", with: "-")).jpg", date: "\(day) 12:00:00")
            }
            let parts = try ["before:\(period)", "on:\(period)", "after:\(period)"].map {
                try names($0, in: test.library)
            }
            #expect(parts.flatMap(\.self).sorted() == (try names("", in: test.library)).sorted())
            for name in parts[1] { #expect(name.hasPrefix(period)) }
            for name in parts[0] { #expect(name < period) }
        }
    }

    /// What a person typed never becomes part of the statement.
    @Test(arguments: [
        "'", "\"';--\"", "\"' OR '1'='1\"", "camera:\"'); DROP TABLE asset; --\"", "lens:'", "\"\\\"", "\\", "%\\_",
        "?1",
        "camera:?2", "type:jpeg'",
    ])
    func injection(text: String) throws {
        try withTestLibrary { test in
            try test.add(Generated.jpeg(), "a.jpg")
            if let query = try? Query(text) {
                var count = 0
                try test.library.forEachMatch(of: query, mapping: failure) {
                    (_) throws(HarnessError) in
                    count += 1
                    return true
                }
                #expect(count == 0)
            }
            #expect(try names("", in: test.library) == ["a.jpg"])
        }
    }

    /// More matches than one page holds come once each, in order, while others come and go.
    @Test func manyPages() throws {
        try withTestLibrary { test in
            for number in 0..<600 { try test.add(Generated.jpeg(), "n\(1000 + number).jpg") }
            var found: [String] = []
            var removed = 0
            try test.library.forEachMatch(of: try Query("type:photo"), mapping: failure) {
                (match) throws(HarnessError) in
                let name = PathName.components(of: match.paths[0])[1]
                if found.isEmpty {
                    // Of this page one that comes later, and one of a later page.
                    for name in ["n1000.jpg", "n1599.jpg"] where (try? test.remove(name)) != nil { removed += 1 }
                }
                found.append(name)
                return true
            }
            #expect(removed == 2)
            #expect(found == (0..<599).map { "n\(1000 + $0).jpg" })
        }
    }

    @Test func pendingFiles() throws {
        try withTestLibrary { test in
            try test.add(Array("no picture".utf8), "bad.jpg")
            try test.add(Generated.jpeg(), "a.jpg")
            try test.add(Generated.jpeg(), "b.jpg.part")
            try test.add([], "sub/empty.jpg")
            func list(_ query: Query) throws -> [String] {
                var found: [String] = []
                try test.library.forEachPending(matching: query, mapping: failure) {
                    (file) throws(HarnessError) in
                    found.append("\(file.path) \(file.state) \(file.size > 0) \(file.reason.isEmpty)")
                    return true
                }
                return found
            }
            #expect(
                try list(.everything) == [
                    "DCIM/bad.jpg refused true false", "DCIM/b.jpg.part temporary true true",
                    "DCIM/sub/empty.jpg empty false true",
                ])
            #expect(try list(Query("is:pending bad")).count == 1)
            #expect(try list(Query("is:pending -bad")).count == 2)
            #expect(try list(Query("type:photo is:pending")).isEmpty)
            #expect(try list(Query("is:pending or canon")).count == 3)

            let library = test.library
            #expect(throws: Errno.noEntry) { try library.discardPending(atPath: "DCIM/none") }
            #expect(throws: Errno.noEntry) { try library.discardPending(atPath: "") }
            #expect(throws: Errno.invalid) { try library.discardPending(atPath: "DCIM/a.jpg") }
            #expect(throws: Errno.invalid) { try library.discardPending(atPath: "DCIM/sub") }
            #expect(throws: Errno.invalid) { try library.discardPending(atPath: "DCIM") }
            #expect(throws: Errno.invalid) { try library.discardPending(atPath: "DCIM/..") }
            try library.discardPending(atPath: "DCIM/bad.jpg")
            #expect(try list(.everything).count == 2)
            #expect(try library.statistics().pending == 2)
            #expect(try Files.names(in: test.path + "/staging").count == 2)
        }
    }

    @Test func statistics() throws {
        try withTestLibrary { test in
            let picture = Generated.jpeg()
            try test.add(picture, "a.jpg")
            try test.add(picture, "again.jpg")
            let movie = try Generated.movie()
            try test.add(movie, "m.mp4")
            let other = Generated.jpeg()
            try test.add(other, "gone.jpg")
            try test.remove("gone.jpg")
            try test.add(Array("x".utf8), "bad.jpg")
            var expected = Library.Statistics()
            (expected.photos, expected.videos, expected.pending, expected.refused, expected.trash) = (1, 1, 1, 1, 1)
            expected.bytes = Int64(picture.count + movie.count + other.count)
            #expect(try test.library.statistics() == expected)
        }
    }
}
