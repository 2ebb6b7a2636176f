internal import CAV

/// Why a picture could not be decoded or encoded; a sentence for a person.
struct RenderingFailure: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }

    /// What a function of libav returned.
    init(_ number: Int32, _ what: String) {
        var text = [CChar](repeating: 0, count: 128)
        _ = av_strerror(number, &text, text.count)
        let detail = text.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        reason = "\(what) (\(detail))."
    }

    static let outOfMemory = RenderingFailure("The picture needs more memory than making a thumbnail may take.")
    static let tooLarge = RenderingFailure("The picture has more than 200 million pixels: no thumbnail is made of it.")
}
