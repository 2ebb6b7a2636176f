import Glibc
internal import SQLite

/// What a query asks that SQL alone does not answer.
enum QueryFunctions {
    /// Makes `holds_word(text, word)`, `is_word(text, word)` and `is_near(latitude, longitude, …)` known to a connection.
    static func add(to connection: Connection) throws(SQLError) {
        try connection.addPredicate("holds_word", arguments: 2) { arguments in
            guard case .text(let text) = arguments[0], case .text(let word) = arguments[1] else { return false }
            return holds(text, word: word)
        }
        try connection.addPredicate("is_word", arguments: 2) { arguments in
            guard case .text(let text) = arguments[0], case .text(let word) = arguments[1] else { return false }
            return String(decoding: text, as: UTF8.self).lowercased()
                == String(decoding: word, as: UTF8.self).lowercased()
        }
        try connection.addPredicate("is_near", arguments: 5) { arguments in
            let numbers = arguments.compactMap { if case .number(let number) = $0 { number } else { nil } }
            // An asset without a place is near nothing.
            guard numbers.count == 5 else { return false }
            return distance(numbers[0], numbers[1], numbers[2], numbers[3]) <= numbers[4]
        }
    }

    /// Whether a text holds a word, whatever the case of letters, and whether accents are composed or not.
    static func holds(_ text: [UInt8], word: [UInt8]) -> Bool {
        let text = String(decoding: text, as: UTF8.self).lowercased()
        let word = String(decoding: word, as: UTF8.self).lowercased()
        // Characters, not bytes: Swift compares them by canonical equivalence.
        let characters = Array(text)
        let sought = Array(word)
        guard let first = sought.first, characters.count >= sought.count else { return sought.isEmpty }
        return (0...(characters.count - sought.count)).contains { start in
            characters[start] == first && characters[start..<(start + sought.count)].elementsEqual(sought)
        }
    }

    /// Metres between two places on a sphere of the earth's mean radius (the haversine formula).
    static func distance(_ north: Double, _ east: Double, _ otherNorth: Double, _ otherEast: Double) -> Double {
        let radian = Double.pi / 180
        let sine = sin((otherNorth - north) * radian / 2)
        let otherSine = sin((otherEast - east) * radian / 2)
        let square = sine * sine + cos(north * radian) * cos(otherNorth * radian) * otherSine * otherSine
        return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
    }
}
