internal import CAV
internal import Media
internal import Platform

/// Decodes a picture that is one packet for libavcodec: JPEG, PNG, WebP, TIFF.
enum StillDecoder {
    /// The largest part of a file that is looked at.
    private static let limit: Int64 = 256 << 20
    /// Of a JPEG file: what lies behind is a movie or another picture.
    private static let jpegLimit: Int64 = 128 << 20

    /// Decodes the picture in a part of a file to a small one.
    ///
    /// - Parameter longestSide: of the stored picture in pixels, 0 where that is not known: large JPEG pictures are
    ///   decoded at a half, a quarter or an eighth of their size.
    static func decode(
        _ file: FileDescriptor, _ range: Range<Int64>, kind: MediaKind, longestSide: Int, toFit side: Int
    ) throws(RenderingFailure) -> Bitmap {
        let decoder = try Decoder(identifier(of: kind))
        var range = range
        if kind == .jpeg {
            range = range.lowerBound..<min(range.upperBound, range.lowerBound + jpegLimit)
            while decoder.context.pointee.lowres < 3, longestSide >> (decoder.context.pointee.lowres + 1) >= side * 2 {
                decoder.context.pointee.lowres += 1
            }
        }
        guard !range.isEmpty, range.upperBound - range.lowerBound <= limit else {
            throw RenderingFailure("The file is larger than what is read to make a thumbnail.")
        }
        if kind == .webp, let frame = try WebPAnimation.firstFrame(file, size: range.upperBound) {
            return try decode(packet(holding: frame), decoder, toFit: side)
        }
        return try decode(packet(file, range), decoder, toFit: side)
    }

    /// Decodes one packet, which is freed.
    private static func decode(
        _ packet: UnsafeMutablePointer<AVPacket>, _ decoder: Decoder, toFit side: Int
    ) throws(RenderingFailure) -> Bitmap {
        var owned: UnsafeMutablePointer<AVPacket>? = packet
        defer { av_packet_free(&owned) }
        try decoder.open()
        let sent = decoder.send(packet)
        guard sent >= 0 else { throw decoder.failure(sent) }
        if let frame = try decoder.receive() { return try Bitmap(scaling: frame.planes, toFit: side) }
        _ = decoder.send(nil)
        guard let frame = try decoder.receive() else { throw RenderingFailure("There is no picture in the file.") }
        return try Bitmap(scaling: frame.planes, toFit: side)
    }

    private static func identifier(of kind: MediaKind) throws(RenderingFailure) -> AVCodecID {
        switch kind {
        case .jpeg: AV_CODEC_ID_MJPEG
        case .png: AV_CODEC_ID_PNG
        case .webp: AV_CODEC_ID_WEBP
        case .tiff: AV_CODEC_ID_TIFF
        default: throw RenderingFailure("No thumbnail is made of this kind of picture.")
        }
    }

    /// A packet that shows the file's own pages.
    private static func packet(
        _ file: FileDescriptor, _ range: Range<Int64>
    ) throws(RenderingFailure) -> UnsafeMutablePointer<AVPacket> {
        let mapping = try MappedFile(file, range, padding: CAV_PADDING)
        let retained = Unmanaged.passRetained(mapping)
        let buffer = av_buffer_create(
            mapping.start, mapping.count + CAV_PADDING, release, retained.toOpaque(), AV_BUFFER_FLAG_READONLY)
        guard let buffer else {
            retained.release()
            throw .outOfMemory
        }
        guard let packet = av_packet_alloc() else { throw .outOfMemory }
        packet.pointee.buf = buffer
        packet.pointee.data = mapping.start
        packet.pointee.size = Int32(mapping.count)
        packet.pointee.flags = AV_PKT_FLAG_KEY
        return packet
    }

    /// A packet with a copy of these bytes.
    private static func packet(holding bytes: [UInt8]) throws(RenderingFailure) -> UnsafeMutablePointer<AVPacket> {
        guard let room = av_malloc(bytes.count + CAV_PADDING) else { throw .outOfMemory }
        let raw = UnsafeMutableRawBufferPointer(start: room, count: bytes.count + CAV_PADDING)
        raw.copyBytes(from: bytes)
        raw[bytes.count...].initializeMemory(as: UInt8.self, repeating: 0)
        let data = room.assumingMemoryBound(to: UInt8.self)
        // Without a function of its own it is freed as av_malloc's.
        guard let buffer = av_buffer_create(data, raw.count, nil, nil, 0), let packet = av_packet_alloc() else {
            throw .outOfMemory
        }
        packet.pointee.buf = buffer
        packet.pointee.data = data
        packet.pointee.size = Int32(bytes.count)
        packet.pointee.flags = AV_PKT_FLAG_KEY
        return packet
    }

    private static let release: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?) -> Void = {
        (opaque, _) in
        if let opaque { Unmanaged<MappedFile>.fromOpaque(opaque).release() }
    }
}
