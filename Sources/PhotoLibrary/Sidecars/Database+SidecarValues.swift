internal import Media
internal import Platform
internal import SQLite

/// Making an asset what its sidecars say. To be used inside a transaction.
///
/// What a sidecar said last is kept for each asset, and only what is new against that changes the asset: what a person
/// set since stays until the sidecar says something else, and the same bytes written again change nothing.
extension Database {
    func properties(ofSidecar node: UInt64) throws(Errno) -> SidecarProperties {
        try properties("SELECT name, value FROM sidecar_property WHERE node = ?", [.integer(node)])
    }

    private func properties(_ sql: StaticString, _ values: [Value]) throws(Errno) -> SidecarProperties {
        var properties = SidecarProperties()
        try forEach(sql, values) { row in
            if let name = SidecarProperties.Name(rawValue: row.text(0)) { properties.values[name] = row.text(1) }
            return true
        }
        return properties
    }

    func store(_ said: SidecarProperties, ofSidecar node: UInt64) throws(Errno) {
        try run("DELETE FROM sidecar_property WHERE node = ?", [.integer(node)])
        for (name, value) in said.values {
            try run(
                "INSERT INTO sidecar_property (node, name, value) VALUES (?, ?, ?)",
                [.integer(node), .text(name.rawValue), .text(value)])
        }
    }

    /// - Returns: whether the asset changed.
    @discardableResult
    func takeUp(
        _ said: SidecarProperties, in slot: SidecarSlot, for asset: Int64
    ) throws(Errno) -> Bool {
        let before = try properties(
            "SELECT name, value FROM sidecar_value WHERE asset = ? AND slot = ?",
            [.integer(asset), .integer(slot.rawValue)])
        guard said != before else { return false }
        for name in SidecarProperties.Name.allCases where said[name] != before[name] {
            // What an editor wrote on purpose comes before what a service exported, whichever comes first.
            if slot == .takeout, try isSaidByXMP(name, asset) { continue }
            switch name {
            case .caption: try takeUpCaption(said[name], before[name], asset)
            case .rating: try takeUpRating(said[name], before[name], asset)
            case .keywords: try takeUpKeywords(said[name], before[name], asset)
            case .date: try takeUpDate(said[name], slot, asset)
            case .location: try takeUpLocation(said[name], before[name], slot, asset)
            case .favorite: if said[name] == "1" { try set(.favorite, ofAsset: asset, to: true) }
            }
        }
        try run(
            "DELETE FROM sidecar_value WHERE asset = ? AND slot = ?", [.integer(asset), .integer(slot.rawValue)])
        for (name, value) in said.values {
            try run(
                "INSERT INTO sidecar_value (asset, slot, name, value) VALUES (?, ?, ?, ?)",
                [.integer(asset), .integer(slot.rawValue), .text(name.rawValue), .text(value)])
        }
        try run("UPDATE node SET changed = ? WHERE asset = ?", [.integer(Clock.now()), .integer(asset)])
        return true
    }

    private func isSaidByXMP(_ name: SidecarProperties.Name, _ asset: Int64) throws(Errno) -> Bool {
        try first(
            "SELECT 1 FROM sidecar_value WHERE asset = ? AND slot < ? AND name = ?",
            [.integer(asset), .integer(SidecarSlot.takeout.rawValue), .text(name.rawValue)]
        ) { _ in true } ?? false
    }

    /// What a sidecar says no more goes where it is still what the sidecar said.
    private func takeUpCaption(_ said: String?, _ before: String?, _ asset: Int64) throws(Errno) {
        if said == nil, try value(of: .comment, asset: asset) != before.map({ Array($0.utf8) }) { return }
        try set(.comment(said), ofAsset: asset)
    }

    private func takeUpRating(_ said: String?, _ before: String?, _ asset: Int64) throws(Errno) {
        // Two for each star.
        func points(_ text: String?) -> Int? { text.flatMap { Int($0) }.map { $0 * 2 } }
        if said == nil,
            try value(of: .rating, asset: asset) != points(before).map({ Array(String($0).utf8) })
        {
            return
        }
        try set(.rating(points(said)), ofAsset: asset)
    }

    /// New words come, words that it says no more go; what a person gave or took away otherwise stays so.
    private func takeUpKeywords(_ said: String?, _ before: String?, _ asset: Int64) throws(Errno) {
        let words = SidecarProperties.keywords(in: said)
        let old = Set(SidecarProperties.keywords(in: before))
        let gone = old.subtracting(words)
        var names = try all(
            """
            SELECT w.name FROM asset_keyword k JOIN keyword w ON w.id = k.keyword
            WHERE k.asset = ? ORDER BY w.name
            """, [.integer(asset)]
        ) { FileName(trusted: $0.bytes(0)) }.filter { !gone.contains($0) }
        let known = old.union(names)
        names += words.filter { !known.contains($0) }
        try set(.tags(names), ofAsset: asset)
    }

    private func takeUpDate(_ said: String?, _ slot: SidecarSlot, _ asset: Int64) throws(Errno) {
        guard let said, let date = SidecarDate(text: said) else { return }
        let current = try first(
            "SELECT captured, captured_offset, day, captured_source, captured_evidence FROM asset WHERE id = ?",
            [.integer(asset)]
        ) {
            (
                instant: $0.int64(0), offset: $0.int(1), day: $0.int(2),
                source: CaptureDate.Source(rawValue: $0.int(3)),
                hasEvidence: $0.optionalInt64(4) != nil
            )
        }
        guard let current else { return }
        if slot == .takeout, current.hasEvidence || current.source == .explicit { return }
        let second: Int64 = 1_000_000_000
        func isSame(_ one: Int64, _ other: Int64) -> Bool { (one &- other).magnitude < UInt64(second) }
        switch date {
        case .day(let day):
            if day == current.day { return }
            for member in try members(of: asset) { try setCaptureDay(ofFile: member, to: day) }
        case .local(let time):
            // Many programs copy the file's own date and leave its zone out: that says nothing new.
            if isSame(time, current.instant &+ Int64(current.offset) &* second) { return }
            // Of a file whose zone is known the corrected clock is in that zone too.
            let offset = current.hasEvidence ? current.offset : LocalZone.offset(atLocal: time)
            try set(
                .captured(
                    CaptureDate(
                        instant: time &- Int64(offset) &* second, offset: offset, source: .quickTimeKey)),
                ofAsset: asset)
        case .zoned(let instant, let offset):
            if isSame(instant, current.instant), offset == current.offset { return }
            try set(
                .captured(CaptureDate(instant: instant, offset: offset, source: .quickTimeKey)), ofAsset: asset)
        case .instant(let instant):
            let offset = LocalZone.offset(at: instant)
            for member in try members(of: asset) {
                try run(
                    "UPDATE asset SET captured = ?, captured_offset = ?, captured_source = ?, day = ? WHERE id = ?",
                    [
                        .integer(instant), .integer(offset), .integer(CaptureDate.Source.sidecar.rawValue),
                        .integer(CivilTime.localDay(instant: instant, offset: offset)), .integer(member),
                    ])
                try run("UPDATE node SET captured = ? WHERE asset = ?", [.integer(instant), .integer(member)])
            }
        }
    }

    private func takeUpLocation(
        _ said: String?, _ before: String?, _ slot: SidecarSlot, _ asset: Int64
    ) throws(Errno) {
        guard let said, let place = SidecarProperties.location(in: said) else { return }
        if slot == .takeout {
            let current = try first("SELECT latitude, longitude FROM asset WHERE id = ?", [.integer(asset)]) {
                (latitude: $0.optionalDouble(0), longitude: $0.optionalDouble(1))
            }
            let own = before.flatMap { SidecarProperties.location(in: $0) }
            guard current?.latitude == nil || current?.latitude == own?.latitude && current?.longitude == own?.longitude
            else { return }
        }
        try set(
            .location(latitude: place.latitude, longitude: place.longitude, altitude: place.altitude), ofAsset: asset)
    }
}
