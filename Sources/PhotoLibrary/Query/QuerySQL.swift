import Glibc
internal import Media
internal import Platform
internal import SQLite

/// A query as a condition in SQL. What a person typed stands in its parameters alone.
struct QuerySQL {
    /// What the rows are that are tested.
    enum Rows {
        /// Of `asset a`, its `node n`, and its current version `resource r`.
        case assets
        /// Of `node n`: pending files, of which nothing but their names is known.
        case pendingFiles
    }

    private(set) var condition = ""
    private(set) var values: [Value] = []
    private let rows: Rows

    init(_ query: Query, rows: Rows) {
        self.rows = rows
        var parts = query.conditions.map { alternatives in
            "(" + alternatives.terms.map { self.sql($0) }.joined(separator: " OR ") + ")"
        }
        if rows == .assets {
            // Deleted and hidden assets show where the query speaks of them.
            if !query.mentions(.deleted) { parts.append("a.trashed_at IS NULL") }
            if !query.mentions(.hidden) { parts.append("a.hidden = 0") }
        }
        condition = parts.isEmpty ? "1" : parts.joined(separator: " AND ")
    }

    private mutating func parameter(_ value: Value) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    private mutating func sql(_ term: Query.Term) -> String {
        // What is unknown (null) does not hold, so that its negation does.
        let test = "coalesce(\(sql(term.test)), 0)"
        return term.isNegated ? "NOT \(test)" : test
    }

    private mutating func sql(_ test: Query.Test) -> String {
        if case .word(let word) = test { return sql(word: word) }
        if rows == .pendingFiles { return test == .state(.pending) ? "1" : "0" }
        switch test {
        case .word(let word): return sql(word: word)
        case .album(let words):
            return """
                EXISTS (WITH RECURSIVE up (id) AS (
                    SELECT album FROM album_entry WHERE asset = a.id
                    UNION SELECT l.parent FROM up JOIN album l ON l.id = up.id)
                    SELECT 1 FROM up JOIN album l ON l.id = up.id WHERE \(sql("l.name", holds: words)))
                """
        case .keyword(let word):
            return """
                EXISTS (SELECT 1 FROM asset_keyword k JOIN keyword w ON w.id = k.keyword
                    WHERE k.asset = a.id AND is_word(w.name, \(parameter(.text(word)))))
                """
        case .type(let type): return sql(type)
        case .camera(let words): return sql("coalesce(a.make, '') || ' ' || coalesce(a.model, '')", holds: words)
        case .lens(let words): return sql("a.lens", holds: words)
        case .days(let days):
            return "a.day BETWEEN \(parameter(.integer(days.lowerBound))) AND \(parameter(.integer(days.upperBound)))"
        case .near(let latitude, let longitude, let metres):
            let place = [latitude, longitude, metres].map { parameter(.real($0)) }.joined(separator: ", ")
            // The index knows rectangles; the distance is measured for what lies in them.
            let boxes = Self.boxes(latitude, longitude, metres).map { box in
                let edges = [box.south, box.north, box.west, box.east].map { parameter(.real($0)) }
                return "north >= \(edges[0]) AND south <= \(edges[1]) AND east >= \(edges[2]) AND west <= \(edges[3])"
            }
            return """
                a.id IN (SELECT id FROM asset_place WHERE \(boxes.joined(separator: " OR ")))
                AND is_near(a.latitude, a.longitude, \(place))
                """
        case .rating(let comparison, let stars):
            return "a.rating \(comparison.rawValue) \(parameter(.integer(stars)))"
        case .state(let state): return sql(state)
        case .size(let comparison, let bytes): return "r.size \(comparison.rawValue) \(parameter(.integer(bytes)))"
        case .duration(let comparison, let milliseconds):
            return "a.duration \(comparison.rawValue) \(parameter(.integer(milliseconds)))"
        }
    }

    private mutating func sql(word: String) -> String {
        let names = "EXISTS (SELECT 1 FROM dentry d WHERE d.node = n.id AND \(sql("d.name", holds: word)))"
        if rows == .pendingFiles { return names }
        return "a.id IN (SELECT rowid FROM asset_text WHERE \(textTest(word)))"
    }

    /// Three letters and more are found by the index, fewer by looking at every text.
    private mutating func textTest(_ word: String) -> String {
        let word = Library.searchText(word)
        if word.unicodeScalars.count < 3 { return sql("text", holds: word) }
        let quoted =
            "\"" + word.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        return "asset_text MATCH \(parameter(.text(quoted)))"
    }

    private struct Box {
        var south, north, west, east: Double
    }

    /// Rectangles that together hold all within a distance of a place; two where they cross the 180th meridian.
    private static func boxes(_ latitude: Double, _ longitude: Double, _ metres: Double) -> [Box] {
        // A degree of latitude is at least this long on the sphere that distances are measured on.
        let height = metres / 111_100
        let south = max(-90, latitude - height)
        let north = min(90, latitude + height)
        let widest = cos(max(abs(south), abs(north)) * Double.pi / 180)
        let width = widest > 0.001 ? height / widest : 360
        guard width < 180, south > -89.9, north < 89.9 else {
            return [Box(south: south, north: north, west: -180, east: 180)]
        }
        let (west, east) = (longitude - width, longitude + width)
        if west < -180 {
            return [
                Box(south: south, north: north, west: -180, east: east),
                Box(south: south, north: north, west: west + 360, east: 180),
            ]
        }
        if east > 180 {
            return [
                Box(south: south, north: north, west: west, east: 180),
                Box(south: south, north: north, west: -180, east: east - 360),
            ]
        }
        return [Box(south: south, north: north, west: west, east: east)]
    }

    private mutating func sql(_ column: String, holds word: String) -> String {
        // For ASCII, SQLite's own search tells the same and is quicker.
        if word.utf8.allSatisfy({ $0 < 0x80 }) {
            return "\(column) LIKE \(parameter(.text(Self.pattern(word)))) ESCAPE '\\'"
        }
        return "holds_word(\(column), \(parameter(.text(word))))"
    }

    /// A pattern for texts that hold the word, its own `%` and `_` standing for themselves.
    private static func pattern(_ word: String) -> String {
        var pattern = "%"
        for scalar in word.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { pattern += "\\" }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern + "%"
    }

    private mutating func sql(_ type: Query.AssetType) -> String {
        switch type {
        case .photo: "a.media_type = \(MediaKind.MediaType.image.rawValue)"
        case .video: "a.media_type = \(MediaKind.MediaType.video.rawValue)"
        case .subtype(let bits): "a.subtypes & \(parameter(.integer(bits))) <> 0"
        case .kind(let name): "r.kind = \(parameter(.text(name)))"
        }
    }

    private func sql(_ state: Query.State) -> String {
        switch state {
        case .favorite: "a.favorite <> 0"
        case .hidden: "a.hidden <> 0"
        case .edited: "r.version > 0"
        case .live: "a.subtypes & \(MediaSubtypes.live.union(.motionPhoto).rawValue) <> 0"
        case .raw: "a.subtypes & \(MediaSubtypes.raw.rawValue) <> 0"
        case .unfiled: "NOT EXISTS (SELECT 1 FROM album_entry e WHERE e.asset = a.id)"
        case .deleted: "a.trashed_at IS NOT NULL"
        case .pending: "0"
        }
    }
}
