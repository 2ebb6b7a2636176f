internal import CAV

/// A decoded picture of libav.
final class Frame {
    let pointer: UnsafeMutablePointer<AVFrame>

    init() throws(RenderingFailure) {
        guard let made = av_frame_alloc() else { throw .outOfMemory }
        pointer = made
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }

    /// Its planes, as swscale takes them.
    var planes: PlaneSet {
        let frame = pointer.pointee
        let data = frame.data
        let strides = frame.linesize
        return PlaneSet(
            planes: [data.0, data.1, data.2, data.3].map { plane in plane.map { UnsafePointer($0) } },
            strides: [strides.0, strides.1, strides.2, strides.3],
            width: Int(frame.width), height: Int(frame.height), format: AVPixelFormat(frame.format),
            isFullRange: frame.color_range == AVCOL_RANGE_JPEG, matrix: Int32(bitPattern: frame.colorspace.rawValue))
    }
}

/// Pixels in memory that somebody else owns.
struct PlaneSet {
    var planes: [UnsafePointer<UInt8>?]
    var strides: [Int32]
    var width: Int
    var height: Int
    var format: AVPixelFormat
    /// Of YCbCr: 0...255 instead of 16...235.
    var isFullRange: Bool
    /// Matrix coefficients (ITU-T H.273), which swscale's SWS_CS_* numbers are.
    var matrix: Int32
}
