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
        case .type(let type): return sql(type)
        case .camera(let words): return sql("coalesce(a.make, '') || ' ' || coalesce(a.model, '')", holds: words)
        case .lens(let words): return sql("a.lens", holds: words)
        case .days(let days):
            return "a.day BETWEEN \(parameter(.integer(days.lowerBound))) AND \(parameter(.integer(days.upperBound)))"
        case .near(let latitude, let longitude, let metres):
            let place = [latitude, longitude, metres].map { parameter(.real($0)) }.joined(separator: ", ")
            return "is_near(a.latitude, a.longitude, \(place))"
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
        let camera = sql("coalesce(a.make, '') || ' ' || coalesce(a.model, '')", holds: word)
        return "\(names) OR \(sql("n.display_name", holds: word)) OR \(sql("a.caption", holds: word)) OR \(camera)"
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
        case .deleted: "a.trashed_at IS NOT NULL"
        case .pending: "0"
        }
    }
}
