internal import CAV
import Glibc
internal import Media
internal import Platform

/// A movie or an animation that libavformat reads through a descriptor; nothing else is opened for it.
final class MovieFile {
    private let source: Source
    private var format: UnsafeMutablePointer<AVFormatContext>?
    private var io: UnsafeMutablePointer<AVIOContext>?
    private let stream: UnsafeMutablePointer<AVStream>

    /// How many packets are read in search of one that can be shown.
    private static let packetLimit = 2000
    private static let bufferSize: Int32 = 64 << 10

    private final class Source {
        let file: FileDescriptor
        let size: Int64
        var position: Int64 = 0
        init(file: FileDescriptor, size: Int64) {
            self.file = file
            self.size = size
        }
    }

    init(_ file: FileDescriptor, size: Int64, kind: MediaKind) throws(RenderingFailure) {
        source = Source(file: file, size: size)
        guard let demuxer = av_find_input_format(Self.demuxer(of: kind)) else {
            throw RenderingFailure("libavformat on this machine cannot read this kind of movie.")
        }
        guard let buffer = av_malloc(Int(Self.bufferSize)), let context = avformat_alloc_context() else {
            throw .outOfMemory
        }
        let opaque = Unmanaged.passUnretained(source).toOpaque()
        guard
            let io = avio_alloc_context(
                buffer.assumingMemoryBound(to: UInt8.self), Self.bufferSize, 0, opaque, Self.read, nil, Self.seek)
        else { throw .outOfMemory }
        self.io = io
        context.pointee.pb = io
        // A movie may name other files; none is opened.
        context.pointee.io_open = { (_, _, _, _, _) in Int32(CAV_ERROR_ACCESS) }
        context.pointee.probesize = 8 << 20
        context.pointee.max_analyze_duration = 5_000_000
        context.pointee.max_streams = 64
        var opened: UnsafeMutablePointer<AVFormatContext>? = context
        // It frees the context where it fails.
        var result = avformat_open_input(&opened, nil, demuxer, nil)
        guard result >= 0, let opened else {
            Self.free(&self.io)
            throw RenderingFailure(result, "The movie cannot be read")
        }
        format = opened
        result = avformat_find_stream_info(opened, nil)
        let index = av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        guard index >= 0, index < opened.pointee.nb_streams, let stream = opened.pointee.streams[Int(index)] else {
            avformat_close_input(&format)
            Self.free(&self.io)
            throw RenderingFailure(index, "There is no picture in the movie that can be shown")
        }
        self.stream = stream
    }

    deinit {
        avformat_close_input(&format)
        Self.free(&io)
    }

    private static func free(_ io: inout UnsafeMutablePointer<AVIOContext>?) {
        // The buffer may be another than the one it began with.
        if let buffer = io?.pointee.buffer { av_free(buffer) }
        avio_context_free(&io)
    }

    private static func demuxer(of kind: MediaKind) -> String {
        switch kind {
        case .gif: "gif"
        case .avi: "avi"
        case .matroska, .webm: "matroska"
        default: "mov"
        }
    }

    private static let read: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32 = {
        (opaque, buffer, count) in
        guard let opaque, count > 0 else { return Int32(CAV_ERROR_END) }
        let source = Unmanaged<Source>.fromOpaque(opaque).takeUnretainedValue()
        do throws(Errno) {
            let done = try source.file.read(into: .init(start: buffer, count: Int(count)), at: source.position)
            source.position += Int64(done)
            return done == 0 ? Int32(CAV_ERROR_END) : Int32(done)
        } catch { return Int32(CAV_ERROR_INPUT) }
    }

    private static let seek: @convention(c) (UnsafeMutableRawPointer?, Int64, Int32) -> Int64 = {
        (opaque, offset, whence) in
        guard let opaque else { return Int64(CAV_ERROR_INPUT) }
        let source = Unmanaged<Source>.fromOpaque(opaque).takeUnretainedValue()
        let base: Int64
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return source.size
        case SEEK_SET: base = 0
        case SEEK_CUR: base = source.position
        case SEEK_END: base = source.size
        default: return Int64(CAV_ERROR_INPUT)
        }
        let (position, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, position >= 0 else { return Int64(CAV_ERROR_INPUT) }
        source.position = position
        return position
    }

    /// A picture of the movie, upright: the key frame before a tenth of its length, else the first one.
    func poster(toFit side: Int) throws(RenderingFailure) -> Bitmap {
        guard let format, let parameters = stream.pointee.codecpar else { throw .outOfMemory }
        guard Int64(parameters.pointee.width) * Int64(parameters.pointee.height) <= ThumbnailRequest.pixelLimit else {
            throw .tooLarge
        }
        let decoder = try Decoder(parameters.pointee.codec_id)
        let copied = avcodec_parameters_to_context(decoder.context, parameters)
        guard copied >= 0 else { throw decoder.failure(copied) }
        decoder.context.pointee.skip_frame = AVDISCARD_NONKEY
        try decoder.open()
        let length = stream.pointee.duration
        let begin = stream.pointee.start_time == Int64.min ? 0 : stream.pointee.start_time
        let (time, overflow) = begin.addingReportingOverflow(length / 10)
        if length > 0, !overflow { _ = av_seek_frame(format, stream.pointee.index, time, AVSEEK_FLAG_BACKWARD) }
        var frame = try firstFrame(decoder)
        if frame == nil {
            // Streams whose key frames are not marked.
            _ = av_seek_frame(format, stream.pointee.index, begin, AVSEEK_FLAG_BACKWARD)
            avcodec_flush_buffers(decoder.context)
            decoder.context.pointee.skip_frame = AVDISCARD_DEFAULT
            frame = try firstFrame(decoder)
        }
        guard let frame else { throw RenderingFailure("There is no picture in the movie that can be shown.") }
        let ratio = av_guess_sample_aspect_ratio(format, stream, frame.pointer)
        let shape = ratio.num > 0 && ratio.den > 0 ? Double(ratio.num) / Double(ratio.den) : 1
        var bitmap = try Bitmap(scaling: frame.planes, toFit: side, shape: min(max(shape, 0.1), 10))
        bitmap.turn(from: orientation)
        return bitmap
    }

    private func firstFrame(_ decoder: Decoder) throws(RenderingFailure) -> Frame? {
        guard let packet = av_packet_alloc() else { throw .outOfMemory }
        var owned: UnsafeMutablePointer<AVPacket>? = packet
        defer { av_packet_free(&owned) }
        for _ in 0..<Self.packetLimit {
            guard av_read_frame(format, packet) >= 0 else { break }
            defer { av_packet_unref(packet) }
            guard packet.pointee.stream_index == stream.pointee.index else { continue }
            // A packet that is damaged is passed over, as players do.
            guard decoder.send(packet) >= 0 else { continue }
            if let frame = try decoder.receive() { return frame }
        }
        _ = decoder.send(nil)
        return try decoder.receive()
    }

    /// EXIF's number for how the track's matrix turns the picture (ISO/IEC 14496-12, 8.3.2).
    private var orientation: Int {
        var size = 0
        guard let data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= 36 else { return 1 }
        let signs = [0, 1, 3, 4].map { index in
            UnsafeRawPointer(data).loadUnaligned(fromByteOffset: index * 4, as: Int32.self).signum()
        }
        return switch signs {
        case [-1, 0, 0, 1]: 2
        case [-1, 0, 0, -1]: 3
        case [1, 0, 0, -1]: 4
        case [0, 1, 1, 0]: 5
        case [0, 1, -1, 0]: 6
        case [0, -1, -1, 0]: 7
        case [0, -1, 1, 0]: 8
        default: 1
        }
    }
}
