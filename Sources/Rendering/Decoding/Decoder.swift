internal import CAV

/// A decoder of libavcodec, for one thread.
final class Decoder {
    let context: UnsafeMutablePointer<AVCodecContext>
    private let codec: UnsafePointer<AVCodec>

    init(_ identifier: AVCodecID) throws(RenderingFailure) {
        guard let codec = avcodec_find_decoder(identifier), let made = avcodec_alloc_context3(codec) else {
            throw RenderingFailure("libavcodec on this machine has no decoder for this kind of picture.")
        }
        self.codec = codec
        context = made
        context.pointee.thread_count = 1
        // Looked at before memory is taken for a picture.
        context.pointee.max_pixels = ThumbnailRequest.pixelLimit
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    func open() throws(RenderingFailure) {
        let result = avcodec_open2(context, codec, nil)
        guard result >= 0 else { throw RenderingFailure(result, "The picture cannot be decoded") }
    }

    /// Gives a packet to the decoder; nil tells that none follows.
    ///
    /// - Returns: what libavcodec thought of it; negative is an error.
    func send(_ packet: UnsafePointer<AVPacket>?) -> Int32 { avcodec_send_packet(context, packet) }

    /// The next picture; nil where the decoder wants more packets, or has none left.
    func receive() throws(RenderingFailure) -> Frame? {
        let frame = try Frame()
        let result = avcodec_receive_frame(context, frame.pointer)
        if result == Int32(CAV_ERROR_AGAIN) || result == Int32(CAV_ERROR_END) { return nil }
        guard result >= 0 else { throw failure(result) }
        return frame
    }

    func failure(_ number: Int32) -> RenderingFailure {
        if number == Int32(CAV_ERROR_MEMORY) { return .outOfMemory }
        return RenderingFailure(number, "The picture cannot be decoded")
    }
}
