internal import CExpat
internal import Platform

/// Collects the properties of an XMP packet that a catalogue wants, while its bytes stream through expat.
///
/// A document type, and with it every entity of its own, is refused: XMP has none. Depth, text and the number of values
/// are bounded.
final class XMPPropertyParser {
    /// A property, by what it is called in the standards.
    enum Property: String, Hashable {
        case description = "http://purl.org/dc/elements/1.1/ description"
        case subject = "http://purl.org/dc/elements/1.1/ subject"
        case rating = "http://ns.adobe.com/xap/1.0/ Rating"
        case createDate = "http://ns.adobe.com/xap/1.0/ CreateDate"
        case dateCreated = "http://ns.adobe.com/photoshop/1.0/ DateCreated"
        case dateTimeOriginal = "http://ns.adobe.com/exif/1.0/ DateTimeOriginal"
        case latitude = "http://ns.adobe.com/exif/1.0/ GPSLatitude"
        case longitude = "http://ns.adobe.com/exif/1.0/ GPSLongitude"
        case altitude = "http://ns.adobe.com/exif/1.0/ GPSAltitude"
        case altitudeReference = "http://ns.adobe.com/exif/1.0/ GPSAltitudeRef"
    }

    /// A value of a property; of one that is no list there is one.
    struct Value: Equatable {
        var text: String
        /// `xml:lang` of an alternative.
        var language: String?
    }

    private(set) var properties: [Property: [Value]] = [:]

    private static let depthLimit = 64
    /// In bytes, for one value.
    private static let textLimit = 65_536
    private static let valueLimit = 4096

    private static let syntax = "http://www.w3.org/1999/02/22-rdf-syntax-ns# "
    private static let language = "http://www.w3.org/XML/1998/namespace lang"

    private let parser: XML_Parser
    private var depth = 0
    /// How deep `rdf:RDF` lies, while it is open.
    private var rdfDepth: Int?
    private var hasRDF = false
    /// How deep an `rdf:Description` right below it lies, while it is open.
    private var isInDescription = false
    private var property: Property?
    /// The property is a list: its text is in the list's items.
    private var isList = false
    private var text: [UInt8] = []
    private var itemLanguage: String?
    private var refusal: String?

    init() throws(MediaError) {
        guard let parser = XML_ParserCreateNS(nil, 0x20) else { throw .unreadable(.outOfMemory) }
        self.parser = parser
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(parser, Self.startHandler, Self.endHandler)
        XML_SetCharacterDataHandler(parser, Self.textHandler)
        XML_SetStartDoctypeDeclHandler(parser, Self.doctypeHandler)
    }

    deinit { XML_ParserFree(parser) }

    /// Takes the next bytes of the document.
    ///
    /// - Throws: `rejected` for what is no well-formed XML, or has no RDF in it when it ends.
    func parse(_ bytes: [UInt8], isLast: Bool) throws(MediaError) {
        let status = bytes.withUnsafeBytes { buffer in
            XML_Parse(parser, buffer.bindMemory(to: CChar.self).baseAddress, Int32(buffer.count), isLast ? 1 : 0)
        }
        if let refusal { throw .damaged("The XMP sidecar", refusal) }
        guard status == XML_STATUS_OK else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no XML"
            throw .damaged("The XMP sidecar", "line \(XML_GetCurrentLineNumber(parser)): \(reason)")
        }
        if isLast, !hasRDF { throw .rejected(reason: "The file holds no XMP.") }
    }

    private func refuse(_ reason: String) {
        if refusal == nil { refusal = reason }
        XML_StopParser(parser, 0)
    }

    // MARK: Elements

    private func start(_ name: String, _ attributes: Attributes) {
        depth += 1
        guard depth <= Self.depthLimit else { return refuse("nested more than \(Self.depthLimit) deep") }
        guard let rdfDepth else {
            if name == Self.syntax + "RDF" {
                rdfDepth = depth
                hasRDF = true
            }
            return
        }
        switch depth - rdfDepth {
        case 1:
            isInDescription = name == Self.syntax + "Description"
            guard isInDescription else { return }
            attributes.visit { name, value in
                if let property = Property(rawValue: name) { add(value(), nil, to: property) }
            }
        case 2 where isInDescription:
            property = Property(rawValue: name)
            isList = false
            text = []
        case 3 where property != nil:
            isList = true
            text = []
        case 4 where property != nil && name == Self.syntax + "li":
            itemLanguage = nil
            attributes.visit { name, value in
                if name == Self.language { itemLanguage = value() }
            }
            text = []
        default: break
        }
    }

    private func end(_ name: String) {
        if let rdfDepth {
            switch depth - rdfDepth {
            case 0: self.rdfDepth = nil
            case 1: isInDescription = false
            case 2:
                if let property, !isList { add(String(decoding: text, as: UTF8.self), nil, to: property) }
                property = nil
            case 4:
                if let property, name == Self.syntax + "li" {
                    add(String(decoding: text, as: UTF8.self), itemLanguage, to: property)
                }
            default: break
            }
        }
        depth -= 1
    }

    private func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard property != nil, let rdfDepth else { return }
        let level = depth - rdfDepth
        guard level == 4 || level == 2 && !isList else { return }
        text += bytes.prefix(Self.textLimit - min(Self.textLimit, text.count))
    }

    /// The first of several Descriptions that says something wins.
    private func add(_ text: String, _ language: String?, to property: Property) {
        guard properties[property, default: []].count < Self.valueLimit else { return }
        properties[property, default: []].append(Value(text: text.trimmed, language: language))
    }

    // MARK: Handlers

    /// Attributes as expat hands them over: pairs of a name and a value, closed by a null pointer.
    private struct Attributes {
        let list: UnsafeMutablePointer<UnsafePointer<CChar>?>?

        /// Further ones are not looked at.
        private static let limit = 1024

        func visit(_ body: (_ name: String, _ value: () -> String) -> Void) {
            guard let list else { return }
            var place = 0
            while place < 2 * Self.limit, let name = list[place], let value = list[place + 1] {
                body(String(cString: name)) { String(cString: value) }
                place += 2
            }
        }
    }

    private static func me(_ pointer: UnsafeMutableRawPointer?) -> XMPPropertyParser? {
        pointer.map { Unmanaged<XMPPropertyParser>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let startHandler: XML_StartElementHandler = { pointer, name, attributes in
        guard let me = XMPPropertyParser.me(pointer), let name else { return }
        me.start(String(cString: name), Attributes(list: attributes))
    }

    private static let endHandler: XML_EndElementHandler = { pointer, name in
        guard let me = XMPPropertyParser.me(pointer), let name else { return }
        me.end(String(cString: name))
    }

    private static let textHandler: XML_CharacterDataHandler = { pointer, bytes, count in
        guard let me = XMPPropertyParser.me(pointer), let bytes, count > 0 else { return }
        bytes.withMemoryRebound(to: UInt8.self, capacity: Int(count)) { start in
            me.append(UnsafeBufferPointer(start: start, count: Int(count)))
        }
    }

    private static let doctypeHandler: XML_StartDoctypeDeclHandler = { pointer, _, _, _, _ in
        XMPPropertyParser.me(pointer)?.refuse("a document type, which XMP has none of")
    }
}
