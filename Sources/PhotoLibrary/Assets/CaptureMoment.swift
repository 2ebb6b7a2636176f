internal import Media
internal import Platform

/// When an asset was taken, settled from what the file, its name and its times say.
struct CaptureMoment: Sendable, Equatable {
    /// Nanoseconds since 1970 UTC.
    var instant: Int64
    /// Seconds east of UTC.
    var offset: Int
    var source: CaptureDate.Source
    /// The camera's local time by the file's own word, read as if it were UTC; nil where the file has no date.
    var evidence: Int64?

    /// The day in the capture's own local time, as yyyymmdd.
    var day: Int { CivilTime.localDay(instant: instant, offset: offset) }

    /// - Parameter modified: the file's modification time, for files that carry no date and whose name has none.
    init(_ date: CaptureDate?, name: FileName, modified: Int64) {
        if let date {
            self.init(date)
            evidence = date.instant &+ Int64(date.offset ?? 0) &* 1_000_000_000
        } else if let date = CaptureDateParser.captureDate(fromFileName: name.description) {
            self.init(date)
        } else {
            self.init(CaptureDate(instant: modified, offset: 0, source: .modificationTime))
        }
    }

    private init(_ date: CaptureDate) {
        source = date.source
        if let offset = date.offset {
            instant = date.instant
            // A movie's header, a name in UTC and a file's time tell the moment but not the place's clock.
            let tellsZone = date.source == .exifWithOffset || date.source == .quickTimeKey || offset != 0
            self.offset = tellsZone ? offset : LocalZone.offset(at: date.instant)
        } else {
            offset = LocalZone.offset(atLocal: date.instant)
            instant = date.instant &- Int64(offset) &* 1_000_000_000
        }
    }
}
