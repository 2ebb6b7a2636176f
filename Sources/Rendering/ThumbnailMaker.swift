internal import CAV
internal import CHEIF
internal import Media
internal import Platform

/// Makes a thumbnail of a picture, in this process: to be called in one that can be lost.
enum ThumbnailMaker {
    /// An embedded picture is taken instead of the picture where its long side has so many pixels.
    private static let goodSide = 256
    /// It is taken for want of anything better where its long side has so many.
    private static let leastSide = 120

    /// Loads the libraries. To be called once, before anything is made.
    static func prepare() throws(RenderingFailure) {
        if let problem = cav_load() {
            throw RenderingFailure(
                "The libraries that decode pictures cannot be loaded (\(String(cString: problem))). Install ffmpeg's libraries."
            )
        }
        av_log_set_level(AV_LOG_QUIET)
        // It may load decoders from files of their own.
        _ = heif_init(nil)
    }

    /// - Returns: an upright picture without metadata.
    static func make(_ request: ThumbnailRequest, from file: FileDescriptor) throws(RenderingFailure) -> [UInt8] {
        let pixels = Int64(request.width).multipliedReportingOverflow(by: Int64(request.height))
        guard !pixels.overflow, pixels.partialValue <= ThumbnailRequest.pixelLimit else { throw .tooLarge }
        let size: Int64
        do throws(Errno) { size = try file.status().size } catch {
            throw RenderingFailure("The file cannot be read: \(error).")
        }
        var bitmap = try picture(request, file, size)
        if request.format == .png { return try bitmap.png() }
        bitmap.flatten()
        return try bitmap.jpeg()
    }

    private static func picture(
        _ request: ThumbnailRequest, _ file: FileDescriptor, _ size: Int64
    ) throws(RenderingFailure) -> Bitmap {
        let side = request.maximumSide
        switch request.kind {
        case .jpeg: return try jpeg(request, file, size)
        case .png, .webp, .tiff:
            var bitmap = try StillDecoder.decode(file, 0..<size, kind: request.kind, longestSide: 0, toFit: side)
            bitmap.turn(from: request.orientation)
            return bitmap
        case .heic, .avif:
            do throws(RenderingFailure) { return try HEIFDecoder.decode(file, size: size, toFit: side) } catch {
                let failure = error
                // A sequence of pictures is a movie.
                do throws(RenderingFailure) {
                    return try MovieFile(file, size: size, kind: .mp4).poster(toFit: side)
                } catch { throw failure }
            }
        case .dng, .nef, .arw, .cr2, .orf, .rw2, .cr3, .raf: return try raw(request, file, size)
        case .gif, .quickTime, .mp4, .m4v, .threeGP, .avi, .matroska, .webm:
            return try MovieFile(file, size: size, kind: request.kind).poster(toFit: side)
        }
    }

    /// EXIF's thumbnail where it is large enough and shows the picture in its shape, else the picture, else the thumbnail.
    private static func jpeg(
        _ request: ThumbnailRequest, _ file: FileDescriptor, _ size: Int64
    ) throws(RenderingFailure) -> Bitmap {
        let picture = (width: request.width, height: request.height)
        let embedded = embedded(request, file, size).first {
            max($0.width, $0.height) >= leastSide
                && (picture.width == 0 || Shape.isSame(picture, ($0.width, $0.height)))
        }
        if let embedded, max(embedded.width, embedded.height) >= min(goodSide, request.maximumSide) {
            do throws(RenderingFailure) { return try decode(embedded, request, file) } catch {
                // The picture itself is there.
            }
        }
        do throws(RenderingFailure) {
            var bitmap = try StillDecoder.decode(
                file, 0..<size, kind: .jpeg, longestSide: max(picture.width, picture.height), toFit: request.maximumSide
            )
            bitmap.turn(from: request.orientation)
            return bitmap
        } catch {
            guard let embedded else { throw error }
            return try decode(embedded, request, file)
        }
    }

    /// The smallest preview that is large enough, else the largest that can be decoded.
    private static func raw(
        _ request: ThumbnailRequest, _ file: FileDescriptor, _ size: Int64
    ) throws(RenderingFailure) -> Bitmap {
        let all = embedded(request, file, size)
        let enough = all.filter { max($0.width, $0.height) >= request.maximumSide }
        let order = enough.reversed() + all.filter { max($0.width, $0.height) < request.maximumSide }
        var failure = RenderingFailure("There is no preview in the RAW picture that can be shown.")
        for picture in order.prefix(8) {
            do throws(RenderingFailure) { return try decode(picture, request, file) } catch { failure = error }
        }
        throw failure
    }

    private static func embedded(
        _ request: ThumbnailRequest, _ file: FileDescriptor, _ size: Int64
    ) -> [EmbeddedPicture] {
        do throws(MediaError) {
            return try MediaInspector.embeddedPictures(in: file, size: size, kind: request.kind)
        } catch { return [] }
    }

    private static func decode(
        _ picture: EmbeddedPicture, _ request: ThumbnailRequest, _ file: FileDescriptor
    ) throws(RenderingFailure) -> Bitmap {
        var bitmap = try StillDecoder.decode(
            file, picture.range, kind: .jpeg, longestSide: max(picture.width, picture.height),
            toFit: request.maximumSide)
        bitmap.turn(from: request.orientation)
        return bitmap
    }
}
