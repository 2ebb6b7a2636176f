internal import CAV

extension Bitmap {
    /// The quantizer scale of libavcodec's encoder that comes nearest to what others call quality 80.
    private static let quantizer: Int32 = 5

    /// Writes the picture as a JPEG file without any metadata. It has to be opaque.
    func jpeg() throws(RenderingFailure) -> [UInt8] {
        guard let codec = avcodec_find_encoder(AV_CODEC_ID_MJPEG), let context = avcodec_alloc_context3(codec) else {
            throw RenderingFailure("libavcodec on this machine cannot write JPEG pictures.")
        }
        var owned: UnsafeMutablePointer<AVCodecContext>? = context
        defer { avcodec_free_context(&owned) }
        let quality = Self.quantizer * Int32(CAV_QUALITY_SCALE)
        context.pointee.width = Int32(width)
        context.pointee.height = Int32(height)
        context.pointee.pix_fmt = AV_PIX_FMT_YUVJ420P
        context.pointee.color_range = AVCOL_RANGE_JPEG
        context.pointee.time_base = AVRational(num: 1, den: 1)
        // Without its own name in a comment.
        context.pointee.flags |= AV_CODEC_FLAG_QSCALE | AV_CODEC_FLAG_BITEXACT
        context.pointee.global_quality = quality
        context.pointee.thread_count = 1
        let opened = avcodec_open2(context, codec, nil)
        guard opened >= 0 else { throw RenderingFailure(opened, "The thumbnail cannot be encoded") }
        let frame = try encodedFrame()
        frame.pointer.pointee.quality = quality
        return try Self.encode(frame, context)
    }

    /// Takes the one picture that an encoder makes of a frame.
    static func encode(
        _ frame: Frame, _ context: UnsafeMutablePointer<AVCodecContext>
    ) throws(RenderingFailure) -> [UInt8] {
        guard let packet = av_packet_alloc() else { throw .outOfMemory }
        var owned: UnsafeMutablePointer<AVPacket>? = packet
        defer { av_packet_free(&owned) }
        var result = avcodec_send_frame(context, frame.pointer)
        if result >= 0 { result = avcodec_receive_packet(context, packet) }
        guard result >= 0, let data = packet.pointee.data, packet.pointee.size > 0 else {
            throw RenderingFailure(result, "The thumbnail cannot be encoded")
        }
        return Array(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)))
    }

    /// The picture in the colours of JFIF: YCbCr by BT.601, full range.
    private func encodedFrame() throws(RenderingFailure) -> Frame {
        let frame = try Frame()
        frame.pointer.pointee.width = Int32(width)
        frame.pointer.pointee.height = Int32(height)
        frame.pointer.pointee.format = AV_PIX_FMT_YUVJ420P.rawValue
        frame.pointer.pointee.color_range = AVCOL_RANGE_JPEG
        guard av_frame_get_buffer(frame.pointer, 0) >= 0 else { throw .outOfMemory }
        guard
            let context = sws_getContext(
                Int32(width), Int32(height), AV_PIX_FMT_RGBA, Int32(width), Int32(height), AV_PIX_FMT_YUVJ420P,
                SWS_BICUBIC | SWS_ACCURATE_RND, nil, nil, nil)
        else { throw .outOfMemory }
        defer { sws_freeContext(context) }
        let matrix = sws_getCoefficients(SWS_CS_DEFAULT)
        _ = sws_setColorspaceDetails(context, matrix, 1, matrix, 1, 0, 1 << 16, 1 << 16)
        let (planes, strides) = (frame.pointer.pointee.data, frame.pointer.pointee.linesize)
        pixels.withUnsafeBufferPointer { buffer in
            _ = sws_scale(
                context, [buffer.baseAddress, nil, nil, nil], [Int32(width * 4), 0, 0, 0], 0, Int32(height),
                [planes.0, planes.1, planes.2, planes.3], [strides.0, strides.1, strides.2, strides.3])
        }
        return frame
    }
}
