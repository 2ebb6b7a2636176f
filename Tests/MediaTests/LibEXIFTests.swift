import CExif
import Platform
import Testing

@testable import Media

/// libexif is a second judge of the EXIF reader. It is none of the product: it reads nothing more from any of these
/// files, knows neither TIFF-like RAW files nor Apple's maker note, and parses maker notes that the product needs not.
@Suite("libexif reads the same from EXIF blocks", .enabled(if: Samples.areThere, "needs the sample files"))
struct LibEXIFTests {
    static let pictures = (Samples.accepted).filter {
        ($0.hasSuffix(".jpg") || $0.hasSuffix(".jpeg")) && $0 != SampleTests.withoutPicture
            // Its EXIF pointer is a text; we see no pointer in it, like exiftool, libexif takes it all the same.
            && $0 != "awkward/30-type_error.jpg"
    }

    @Test("Make, model, lens, date, orientation", arguments: pictures)
    func agrees(_ name: String) throws {
        let file = try FileDescriptor.open(Samples.path(name), .readOnly)
        let structure = try JPEGStructure.read(ByteReader(file, size: try file.status().size))
        guard let block = structure.exif else { return }
        let ours = try EXIFMetadata.read(block)

        let data = try #require(exif_data_new())
        defer { exif_data_unref(data) }
        // Else it "repairs" what it reads, and invents dates.
        exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION)
        exif_data_unset_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS)
        let whole = Array("Exif\0\0".utf8) + block
        exif_data_load_data(data, whole, UInt32(whole.count))
        func entry(_ directory: UnsafeMutablePointer<ExifContent>?, _ tag: UInt32) -> ExifEntry? {
            exif_content_get_entry(directory, ExifTag(rawValue: tag)).map { $0.pointee }
        }
        func text(_ entry: ExifEntry?) -> String? {
            guard let entry, let bytes = entry.data else { return nil }
            let buffer = UnsafeBufferPointer(start: bytes, count: Int(entry.size))
            return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self).trimmed.nilIfEmpty
        }
        let image = data.pointee.ifd.0
        let exif = data.pointee.ifd.2
        #expect(ours.make == text(entry(image, 0x010F)))
        #expect(ours.model == text(entry(image, 0x0110)))
        #expect(ours.lensModel == text(entry(exif, 0xA434)))
        let time = text(entry(exif, 0x9003)).flatMap(CaptureDateParser.exifTime)
        let date = ours.captureDate.map { CivilTime(instant: $0.instant, offset: $0.offset ?? 0) }
        #expect(date == time)
        if let orientation = entry(image, 0x0112), let bytes = orientation.data {
            #expect(ours.orientation == Int(exif_get_short(bytes, exif_data_get_byte_order(data))))
        } else {
            #expect(ours.orientation == nil)
        }
    }
}
