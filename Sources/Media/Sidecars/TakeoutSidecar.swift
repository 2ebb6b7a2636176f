internal import Platform

/// What Google Takeout's JSON files say of the picture beside which they lie.
enum TakeoutSidecar {
    /// Nil for JSON of another kind.
    static func contents(of document: JSONValue) -> SidecarContents? {
        // Every one has a title (the picture's name) and one of these.
        guard document["title"]?.text != nil,
            document["photoTakenTime"] != nil || document["geoData"] != nil || document["creationTime"] != nil
        else { return nil }
        var contents = SidecarContents()
        if let caption = document["description"]?.text { contents.setCaption(caption) }
        if let seconds = seconds(document["photoTakenTime"]?["timestamp"]) {
            contents.date = .instant(seconds * 1_000_000_000)
        }
        contents.isFavorite = document["favorited"]?.boolean
        // What people set in Google Photos, then what the file said.
        for key in ["geoData", "geoDataExif"] where contents.location == nil {
            guard let place = document[key], let latitude = number(place["latitude"]),
                let longitude = number(place["longitude"])
            else { continue }
            let altitude = number(place["altitude"])
            // 0 stands for a height that nobody knows.
            contents.setLocation(latitude: latitude, longitude: longitude, altitude: altitude == 0 ? nil : altitude)
        }
        return contents
    }

    /// Seconds since 1970 UTC, within what nanoseconds can count; 0 is no date.
    private static func seconds(_ value: JSONValue?) -> Int64? {
        guard let value, let seconds = value.integer ?? value.text.flatMap({ Int64($0) }), seconds != 0,
            (-5_364_662_400...9_214_646_400).contains(seconds)
        else { return nil }
        return seconds
    }

    private static func number(_ value: JSONValue?) -> Double? {
        switch value?.content {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
