import Platform
import Testing

@Suite struct FileNameTests {
    @Test(
        arguments: [
            ([0x61], nil), (Array("IMG_0001.JPG".utf8), nil), (Array("ß 写真 📷.heic".utf8), nil),
            (Array("tab\there".utf8), nil), (Array("line\nfeed".utf8), nil), (Array("...".utf8), nil),
            ([UInt8](repeating: 0x61, count: 255), nil),
            ([UInt8](repeating: 0x61, count: 256), .nameTooLong),
            ([], .invalid), ([0x2E], .invalid), ([0x2E, 0x2E], .invalid), (Array("a/b".utf8), .invalid),
            ([0x61, 0], .invalid), ([0x1B, 0x5B], .invalid), ([0x7F], .invalid), ([0x0D], .invalid),
            ([0xFF], .illegalSequence), ([0xC3], .illegalSequence), ([0xC0, 0xAF], .illegalSequence),
            ([0xED, 0xA0, 0x80], .illegalSequence), ([0xF4, 0x90, 0x80, 0x80], .illegalSequence),
        ] as [([UInt8], Errno?)])
    func validation(bytes: [UInt8], expected: Errno?) {
        let made = Result { () throws(Errno) in try FileName(validating: bytes) }
        switch made {
        case .success(let name): #expect(expected == nil && name.bytes == bytes)
        case .failure(let error): #expect(error == expected)
        }
    }

    @Test func composedAndDecomposedAreTwoNames() throws {
        let composed = try FileName("caf\u{E9}.jpg")
        let decomposed = try FileName("cafe\u{301}.jpg")
        #expect(composed.description == decomposed.description)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test(arguments: [
        ("IMG.JPG", "IMG~1.JPG"), ("IMG", "IMG~1"), (".hidden", ".hidden~1"), ("a.b.c", "a.b~1.c"), ("x.", "x~1."),
    ])
    func insertingKeepsTheExtension(name: String, expected: String) throws {
        #expect(try FileName(name).inserting("~1").description == expected)
    }

    @Test(arguments: ["a", "é", "写", "📷", "a📷", "é写"], ["", ".jpg", ".写真", "." + String(repeating: "x", count: 252)])
    func insertingFits(character: String, pathExtension: String) throws {
        for count in [1, 62, 63, 64, 84, 85, 126, 127, 251, 253, 254] {
            var stem = String(repeating: character, count: count)
            while stem.utf8.count + pathExtension.utf8.count > 255, !stem.isEmpty { stem.removeLast() }
            if stem.isEmpty { continue }
            let name = try FileName(stem + pathExtension)
            for suffix in ["~1", "~10000", "~01234567-89AB-CDEF-0123-456789ABCDEF"] {
                let longer = name.inserting(suffix)
                #expect(longer.bytes.count <= 255)
                #expect(String(validating: longer.bytes, as: UTF8.self) != nil)
                #expect(longer.description.contains(suffix))
                if pathExtension.utf8.count < 100 { #expect(longer.description.hasSuffix(pathExtension)) }
                #expect(longer != name.inserting(suffix + "0"))
            }
        }
    }

    @Test func extensionIsLowercased() throws {
        #expect(try FileName("A.JpEg").lowercasedExtension == "jpeg")
        #expect(try FileName(".jpg").lowercasedExtension == "")
        #expect(try FileName("noext").lowercasedExtension == "")
    }
}
