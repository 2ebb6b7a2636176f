internal import CAV
internal import CHEIF
internal import Platform

/// Decodes HEIC and AVIF pictures with libheif, which turns them upright by the file's own word.
enum HEIFDecoder {
    /// The shortest long side of a thumbnail in the file that is used instead of the picture.
    private static let thumbnailSide: Int32 = 256

    private static let functions = heif_reader(
        reader_api_version: 1,
        get_position: { Source.of($0)?.position ?? 0 },
        read: { (data, count, pointer) in
            guard let source = Source.of(pointer), let data else { return 1 }
            return source.read(into: UnsafeMutableRawBufferPointer(start: data, count: count)) ? 0 : 1
        },
        seek: { (position, pointer) in
            Source.of(pointer)?.position = position
            return 0
        },
        wait_for_file_size: { (size, pointer) in
            guard let source = Source.of(pointer), size <= source.size else {
                return heif_reader_grow_status_size_beyond_eof
            }
            return heif_reader_grow_status_size_reached
        })

    private final class Source {
        let file: FileDescriptor
        let size: Int64
        var position: Int64 = 0

        init(_ file: FileDescriptor, _ size: Int64) {
            self.file = file
            self.size = size
        }

        static func of(_ pointer: UnsafeMutableRawPointer?) -> Source? {
            pointer.map { Unmanaged<Source>.fromOpaque($0).takeUnretainedValue() }
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
            guard position >= 0 else { return false }
            do throws(Errno) {
                let count = try file.readFully(into: buffer, at: position)
                position += Int64(count)
                return count == buffer.count
            } catch { return false }
        }
    }

    /// Decodes the primary picture, or a thumbnail of it that is large enough, to a small one.
    static func decode(_ file: FileDescriptor, size: Int64, toFit side: Int) throws(RenderingFailure) -> Bitmap {
        let source = Source(file, size)
        let opaque = Unmanaged.passUnretained(source).toOpaque()
        let result = withUnsafePointer(to: functions) { functions in
            withExtendedLifetime(source) { () -> Result<Bitmap, RenderingFailure> in
                do throws(RenderingFailure) { return .success(try decode(functions, opaque, side)) } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    private static func decode(
        _ functions: UnsafePointer<heif_reader>, _ opaque: UnsafeMutableRawPointer, _ side: Int
    ) throws(RenderingFailure) -> Bitmap {
        guard let context = heif_context_alloc() else { throw .outOfMemory }
        defer { heif_context_free(context) }
        heif_context_set_maximum_image_size_limit(context, 32768)
        heif_context_set_max_decoding_threads(context, 0)
        try check(heif_context_read_from_reader(context, functions, opaque, nil))
        var handle: OpaquePointer?
        try check(heif_context_get_primary_image_handle(context, &handle))
        defer { heif_image_handle_release(handle) }
        let (width, height) = (heif_image_handle_get_width(handle), heif_image_handle_get_height(handle))
        guard width > 0, height > 0 else { throw RenderingFailure("The picture is empty.") }
        guard Int64(width) * Int64(height) <= ThumbnailRequest.pixelLimit else { throw .tooLarge }
        if let bitmap = thumbnail(of: handle, width, height, side) { return bitmap }
        return try decode(handle, side)
    }

    /// The largest thumbnail in the file, where it shows the picture in its shape.
    private static func thumbnail(of handle: OpaquePointer?, _ width: Int32, _ height: Int32, _ side: Int) -> Bitmap? {
        var identifiers = [heif_item_id](repeating: 0, count: 8)
        let count = heif_image_handle_get_list_of_thumbnail_IDs(handle, &identifiers, 8)
        var best: Bitmap?
        for identifier in identifiers.prefix(Int(max(0, min(count, 8)))) {
            var thumbnail: OpaquePointer?
            guard heif_image_handle_get_thumbnail(handle, identifier, &thumbnail).code == heif_error_Ok else {
                continue
            }
            defer { heif_image_handle_release(thumbnail) }
            let size = (heif_image_handle_get_width(thumbnail), heif_image_handle_get_height(thumbnail))
            guard max(size.0, size.1) >= thumbnailSide,
                Int(max(size.0, size.1)) > max(best?.width ?? 0, best?.height ?? 0),
                Shape.isSame((Int(width), Int(height)), (Int(size.0), Int(size.1)))
            else { continue }
            do throws(RenderingFailure) { best = try decode(thumbnail, side) } catch { continue }
        }
        return best
    }

    private static func decode(_ handle: OpaquePointer?, _ side: Int) throws(RenderingFailure) -> Bitmap {
        var image: OpaquePointer?
        let isPlain = heif_image_handle_has_alpha_channel(handle) == 0
        var decoded = heif_decode_image(
            handle, &image, isPlain ? heif_colorspace_undefined : heif_colorspace_RGB,
            isPlain ? heif_chroma_undefined : heif_chroma_interleaved_RGBA, nil)
        try check(decoded)
        if let planes = planes(of: image, handle) {
            defer { heif_image_release(image) }
            return try Bitmap(scaling: planes, toFit: side)
        }
        heif_image_release(image)
        image = nil
        decoded = heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, nil)
        try check(decoded)
        defer { heif_image_release(image) }
        guard let planes = planes(of: image, handle) else {
            throw RenderingFailure("The picture's pixels are of a kind that cannot be scaled.")
        }
        return try Bitmap(scaling: planes, toFit: side)
    }

    /// The pixels as swscale takes them; nil for a layout that it does not know.
    private static func planes(of image: OpaquePointer?, _ handle: OpaquePointer?) -> PlaneSet? {
        let chroma = heif_image_get_chroma_format(image)
        let isInterleaved = chroma == heif_chroma_interleaved_RGBA
        let channels: [heif_channel] =
            isInterleaved
            ? [heif_channel_interleaved]
            : chroma == heif_chroma_monochrome
                ? [heif_channel_Y] : [heif_channel_Y, heif_channel_Cb, heif_channel_Cr]
        let depth = heif_image_get_bits_per_pixel_range(image, channels[0])
        guard let format = format(chroma, depth) else { return nil }
        var set = PlaneSet(
            planes: [nil, nil, nil, nil], strides: [0, 0, 0, 0],
            width: Int(heif_image_get_width(image, channels[0])),
            height: Int(heif_image_get_height(image, channels[0])),
            format: format, isFullRange: true, matrix: 6)
        for (index, channel) in channels.enumerated() {
            guard let plane = heif_image_get_plane_readonly(image, channel, &set.strides[index]) else { return nil }
            set.planes[index] = plane
        }
        var profile: UnsafeMutablePointer<heif_color_profile_nclx>?
        if heif_image_get_nclx_color_profile(image, &profile).code == heif_error_Ok
            || heif_image_handle_get_nclx_color_profile(handle, &profile).code == heif_error_Ok, let profile
        {
            set.isFullRange = profile.pointee.full_range_flag != 0
            set.matrix = Int32(bitPattern: profile.pointee.matrix_coefficients.rawValue)
            heif_nclx_color_profile_free(profile)
            // RGB in planes named YCbCr.
            if set.matrix == 0, !isInterleaved, channels.count == 3 { return nil }
        }
        return set
    }

    private static func format(_ chroma: heif_chroma, _ depth: Int32) -> AVPixelFormat? {
        switch (chroma, depth) {
        case (heif_chroma_interleaved_RGBA, 8): AV_PIX_FMT_RGBA
        case (heif_chroma_monochrome, 8): AV_PIX_FMT_GRAY8
        case (heif_chroma_monochrome, 10): AV_PIX_FMT_GRAY10LE
        case (heif_chroma_monochrome, 12): AV_PIX_FMT_GRAY12LE
        case (heif_chroma_420, 8): AV_PIX_FMT_YUV420P
        case (heif_chroma_420, 10): AV_PIX_FMT_YUV420P10LE
        case (heif_chroma_420, 12): AV_PIX_FMT_YUV420P12LE
        case (heif_chroma_422, 8): AV_PIX_FMT_YUV422P
        case (heif_chroma_422, 10): AV_PIX_FMT_YUV422P10LE
        case (heif_chroma_422, 12): AV_PIX_FMT_YUV422P12LE
        case (heif_chroma_444, 8): AV_PIX_FMT_YUV444P
        case (heif_chroma_444, 10): AV_PIX_FMT_YUV444P10LE
        case (heif_chroma_444, 12): AV_PIX_FMT_YUV444P12LE
        default: nil
        }
    }

    private static func check(_ error: heif_error) throws(RenderingFailure) {
        guard error.code != heif_error_Ok else { return }
        if error.code == heif_error_Memory_allocation_error { throw .outOfMemory }
        let text = error.message.map { String(cString: $0) } ?? "unknown error"
        throw RenderingFailure("The picture cannot be decoded (\(text)).")
    }
}
