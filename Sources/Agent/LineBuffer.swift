/// Bytes that come in pieces, taken out line by line. It never holds more than one line and one piece.
struct LineBuffer {
    private var bytes: [UInt8] = []
    private let limit: Int

    /// - Parameter limit: the longest line, in bytes, its line feed included.
    init(limit: Int) { self.limit = limit }

    mutating func append(_ piece: [UInt8]) { bytes += piece }

    /// The next whole line without its line feed; nil where the rest of it has not come yet.
    mutating func next() -> [UInt8]? {
        guard let end = bytes.firstIndex(of: 0x0A), end < limit else { return nil }
        let line = Array(bytes[..<end])
        bytes.removeFirst(end + 1)
        return line
    }

    /// A line is longer than it may be. To be asked when there is no next one.
    var isOverlong: Bool { bytes.count >= limit }
}
