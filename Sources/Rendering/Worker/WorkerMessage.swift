internal import Media

/// What the service and its workers say to each other. Numbers are little-endian; both are the same program.
///
/// A request is 20 bytes, sent with the picture's descriptor; the answer is 8 bytes and what follows them.
enum WorkerMessage {
    static let requestSize = 20
    static let answerHeaderSize = 8
    /// The most bytes that follow an answer's header.
    static let answerLimit = 4 << 20
    private static let mark = Array("CRT1".utf8)

    /// What an answer's bytes are.
    enum Outcome: UInt8 {
        /// A JPEG or PNG file.
        case thumbnail = 0
        /// Why nothing can be made of the picture.
        case refusal = 1
        /// Why this machine can make none.
        case failure = 2
    }

    static func encode(_ request: ThumbnailRequest) -> [UInt8] {
        let kind = MediaKind.allCases.firstIndex(of: request.kind) ?? 0
        return mark + [UInt8(clamping: kind), UInt8(clamping: request.orientation)]
            + bytes(UInt16(clamping: request.maximumSide)) + bytes(UInt32(clamping: request.width))
            + bytes(UInt32(clamping: request.height)) + bytes(UInt32(request.format.rawValue))
    }

    static func decodeRequest(_ message: [UInt8]) -> ThumbnailRequest? {
        guard message.count == requestSize, message.starts(with: mark), MediaKind.allCases.indices ~= Int(message[4])
        else { return nil }
        guard let format = ThumbnailRequest.Format(rawValue: message[16]) else { return nil }
        let side = Int(number(UInt16.self, message, 6))
        var request = ThumbnailRequest(
            kind: MediaKind.allCases[Int(message[4])], orientation: Int(message[5]),
            width: Int(number(UInt32.self, message, 8)), height: Int(number(UInt32.self, message, 12)),
            maximumSide: min(max(side, 16), ThumbnailRequest.sideLimit))
        request.format = format
        return request
    }

    static func answer(_ outcome: Outcome, _ bytes: [UInt8]) -> [UInt8] {
        [outcome.rawValue, 0, 0, 0] + self.bytes(UInt32(clamping: bytes.count)) + bytes
    }

    /// - Returns: nil for what no worker says.
    static func decodeAnswer(_ header: some Collection<UInt8>) -> (outcome: Outcome, count: Int)? {
        let header = Array(header)
        guard header.count == answerHeaderSize, let outcome = Outcome(rawValue: header[0]) else { return nil }
        let count = Int(number(UInt32.self, header, 4))
        return count <= answerLimit ? (outcome, count) : nil
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static func number<Number: FixedWidthInteger>(_ type: Number.Type, _ bytes: [UInt8], _ offset: Int)
        -> Number
    {
        Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) })
    }
}
