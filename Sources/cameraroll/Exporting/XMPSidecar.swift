import PhotoLibrary

/// What the library says of an asset and the asset's file does not, as an XMP packet (ISO 16684-1).
///
/// The file is `NAME.JPG.xmp`: darktable and digiKam look for that name, it tells IMG_1.JPG's from IMG_1.MOV's, and
/// exiftool reads it under any.
struct XMPSidecar {
    var keywords: [String] = []
    var caption: String?
    /// 0 to 10, two for each star.
    var rating: Int?
    /// RFC 3339.
    var captured: String?
    /// Degrees north and east, and metres.
    var place: (latitude: Double, longitude: Double, altitude: Double?)?

    /// Nothing that would be worth a file.
    var isEmpty: Bool {
        keywords.isEmpty && caption == nil && rating == nil && captured == nil && place == nil
    }

    /// The packet.
    var text: String {
        var properties = ""
        if let captured {
            properties += element("exif:DateTimeOriginal", captured) + element("photoshop:DateCreated", captured)
        }
        if let place {
            properties += element("exif:GPSVersionID", "2.3.0.0")
            properties += element("exif:GPSLatitude", Self.degrees(place.latitude, "N", "S"))
            properties += element("exif:GPSLongitude", Self.degrees(place.longitude, "E", "W"))
            if let altitude = place.altitude, abs(altitude) < 1e6 {
                properties += element("exif:GPSAltitude", "\(Int((abs(altitude) * 1000).rounded()))/1000")
                properties += element("exif:GPSAltitudeRef", altitude < 0 ? "1" : "0")
            }
        }
        // Whole stars are all that programs agree on; half a star counts as one.
        if let rating { properties += element("xmp:Rating", "\((min(max(rating, 0), 10) + 1) / 2)") }
        if let caption {
            properties +=
                "   <dc:description><rdf:Alt><rdf:li xml:lang=\"x-default\">\(Self.escaped(caption))</rdf:li></rdf:Alt>"
                + "</dc:description>\n"
        }
        if !keywords.isEmpty {
            properties += "   <dc:subject>\n    <rdf:Bag>\n"
            for word in keywords { properties += "     <rdf:li>\(Self.escaped(word))</rdf:li>\n" }
            properties += "    </rdf:Bag>\n   </dc:subject>\n"
        }
        return """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="cameraroll \(Version.current)">
             <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
              <rdf:Description rdf:about=""
                xmlns:dc="http://purl.org/dc/elements/1.1/"
                xmlns:exif="http://ns.adobe.com/exif/1.0/"
                xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
                xmlns:xmp="http://ns.adobe.com/xap/1.0/">
            \(properties)  </rdf:Description>
             </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end="w"?>

            """
    }

    private func element(_ name: String, _ text: String) -> String {
        "   <\(name)>\(Self.escaped(text))</\(name)>\n"
    }

    /// Text as XML holds it: what XML 1.0 has no place for is left out.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // A reader would make a line feed of it.
            case "\r": result += "&#xD;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            default:
                if scalar.value >= 0x20, scalar.value & 0xFFFE != 0xFFFE { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }

    /// `48,51.50400000N`: degrees, minutes and the direction.
    private static func degrees(_ value: Double, _ positive: String, _ negative: String) -> String {
        let unit = 100_000_000
        let total = Int((min(abs(value), 180) * 60 * Double(unit)).rounded())
        let (minutes, fraction) = total.quotientAndRemainder(dividingBy: unit)
        let digits = String(fraction)
        let padding = String(repeating: "0", count: 8 - digits.count)
        return "\(minutes / 60),\(minutes % 60).\(padding)\(digits)\(value < 0 ? negative : positive)"
    }
}
