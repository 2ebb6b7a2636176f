internal import CAV

extension Bitmap {
    /// Writes the picture as a PNG file, eight bits a channel, with opacity.
    func png() throws(RenderingFailure) -> [UInt8] {
        guard let codec = avcodec_find_encoder(AV_CODEC_ID_PNG), let context = avcodec_alloc_context3(codec) else {
            throw RenderingFailure("libavcodec on this machine cannot write PNG pictures.")
        }
        var owned: UnsafeMutablePointer<AVCodecContext>? = context
        defer { avcodec_free_context(&owned) }
        context.pointee.width = Int32(width)
        context.pointee.height = Int32(height)
        context.pointee.pix_fmt = AV_PIX_FMT_RGBA
        context.pointee.time_base = AVRational(num: 1, den: 1)
        context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        context.pointee.thread_count = 1
        let opened = avcodec_open2(context, codec, nil)
        guard opened >= 0 else { throw RenderingFailure(opened, "The thumbnail cannot be encoded") }
        let frame = try Frame()
        frame.pointer.pointee.width = Int32(width)
        frame.pointer.pointee.height = Int32(height)
        frame.pointer.pointee.format = AV_PIX_FMT_RGBA.rawValue
        guard av_frame_get_buffer(frame.pointer, 0) >= 0, let rows = frame.pointer.pointee.data.0 else {
            throw .outOfMemory
        }
        let stride = Int(frame.pointer.pointee.linesize.0)
        pixels.withUnsafeBufferPointer { pixels in
            guard let first = pixels.baseAddress else { return }
            for row in 0..<height { (rows + row * stride).update(from: first + row * width * 4, count: width * 4) }
        }
        return try Self.encode(frame, context)
    }
}
