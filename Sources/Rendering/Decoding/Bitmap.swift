internal import CAV

/// A small picture of four bytes a pixel: red, green, blue, opacity.
struct Bitmap {
    private(set) var width: Int
    private(set) var height: Int
    private(set) var pixels: [UInt8]

    /// Scales a picture down so that no side is longer than `side`.
    ///
    /// - Parameter shape: how wide a pixel is for its height; not 1 in some movies.
    init(scaling source: PlaneSet, toFit side: Int, shape: Double = 1) throws(RenderingFailure) {
        guard source.width > 0, source.height > 0 else { throw RenderingFailure("The picture is empty.") }
        let shown = (width: Double(source.width) * shape, height: Double(source.height))
        let scale = min(1, Double(side) / max(shown.width, shown.height))
        width = min(side, max(1, Int((shown.width * scale).rounded())))
        height = min(side, max(1, Int((shown.height * scale).rounded())))
        pixels = [UInt8](repeating: 0, count: width * height * 4)
        let context = try Self.context(source, width, height)
        defer { sws_freeContext(context) }
        let (rows, stride) = (Int32(source.height), [Int32(width * 4), 0, 0, 0])
        var done: Int32 = 0
        pixels.withUnsafeMutableBufferPointer { buffer in
            let target = [buffer.baseAddress, nil, nil, nil]
            done = sws_scale(context, source.planes, source.strides, 0, rows, target, stride)
        }
        guard done > 0 else { throw RenderingFailure("The picture could not be made smaller.") }
    }

    private static func context(
        _ source: PlaneSet, _ width: Int, _ height: Int
    ) throws(RenderingFailure) -> OpaquePointer {
        // What scales well has a limit for how much; beyond that the picture is a line anyway.
        for method in [SWS_AREA | SWS_ACCURATE_RND, SWS_POINT] {
            guard
                let context = sws_getContext(
                    Int32(source.width), Int32(source.height), source.format, Int32(width), Int32(height),
                    AV_PIX_FMT_RGBA, method, nil, nil, nil)
            else { continue }
            // Refused for pictures that are not YCbCr, which need no matrix.
            _ = sws_setColorspaceDetails(
                context, sws_getCoefficients(matrix(of: source)), source.isFullRange ? 1 : 0,
                sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16)
            return context
        }
        throw RenderingFailure("The picture's pixels are of a kind that cannot be scaled.")
    }

    /// The matrix that a picture names, else that of high definition for large movies, as players do.
    private static func matrix(of source: PlaneSet) -> Int32 {
        switch source.matrix {
        case 1, 4, 5, 6, 7, 9, 10: source.matrix
        default: source.isFullRange || source.height < 720 ? SWS_CS_DEFAULT : SWS_CS_ITU709
        }
    }

    /// Puts the picture on white where it is transparent.
    mutating func flatten() {
        pixels.withUnsafeMutableBufferPointer { pixels in
            var index = 0
            while index + 3 < pixels.count {
                let opacity = Int(pixels[index + 3])
                if opacity < 255 {
                    for channel in index..<index + 3 {
                        pixels[channel] = UInt8((Int(pixels[channel]) * opacity + 255 * (255 - opacity) + 127) / 255)
                    }
                    pixels[index + 3] = 255
                }
                index += 4
            }
        }
    }

    /// Turns the picture upright.
    ///
    /// - Parameter orientation: EXIF's, 1...8: where the first row and column are (Exif 2.32, table 6).
    mutating func turn(from orientation: Int) {
        guard (2...8).contains(orientation) else { return }
        let (width, height) = (width, height)
        let isSideways = orientation >= 5
        let turned = (width: isSideways ? height : width, height: isSideways ? width : height)
        var result = [UInt8](repeating: 0, count: pixels.count)
        result.withUnsafeMutableBytes { result in
            pixels.withUnsafeBytes { pixels in
                for y in 0..<turned.height {
                    for x in 0..<turned.width {
                        let source: (x: Int, y: Int) =
                            switch orientation {
                            case 2: (width - 1 - x, y)
                            case 3: (width - 1 - x, height - 1 - y)
                            case 4: (x, height - 1 - y)
                            case 5: (y, x)
                            case 6: (y, height - 1 - x)
                            case 7: (width - 1 - y, height - 1 - x)
                            default: (width - 1 - y, x)
                            }
                        let pixel = pixels.loadUnaligned(
                            fromByteOffset: (source.y * width + source.x) * 4, as: UInt32.self)
                        result.storeBytes(of: pixel, toByteOffset: (y * turned.width + x) * 4, as: UInt32.self)
                    }
                }
            }
        }
        pixels = result
        (self.width, self.height) = turned
    }
}
