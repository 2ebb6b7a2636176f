internal import CZlib

/// Decompression of small pieces of metadata, by zlib.
enum Inflate {
    /// The first `limit` bytes that zlib data (RFC 1950) decompresses to; nil where it is not readable from the start.
    static func bytes(_ compressed: [UInt8], limit: Int) -> [UInt8]? {
        var stream = z_stream()
        guard czlib_inflate_init(&stream) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var input = compressed
        let output = input.withUnsafeMutableBufferPointer { source in
            [UInt8](unsafeUninitializedCapacity: limit) { target, count in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                _ = inflate(&stream, Z_SYNC_FLUSH)
                count = target.count - Int(stream.avail_out)
            }
        }
        return output.isEmpty ? nil : output
    }
}
