/// Pictures that Python writes for tests.
public enum GeneratedPictures {
    /// A PNG of equal pixels, which take next to nothing in the file.
    ///
    /// - Parameters:
    ///   - color: PNG's colour type: 0 grey, 2 RGB, 6 RGB with opacity.
    ///   - rows: how many rows are really there.
    public static func png(
        _ path: String, _ width: Int, _ height: Int, color: Int, depth: Int = 8, rows: Int? = nil, value: Int = 0
    ) throws {
        let script = """
            import sys, zlib, struct
            path, width, height, color, depth, rows, value = sys.argv[1], *map(int, sys.argv[2:])
            def chunk(name, body):
                return struct.pack('>I', len(body)) + name + body + struct.pack('>I', zlib.crc32(name + body))
            size = 1 + width * {0: 1, 2: 3, 6: 4}[color] * depth // 8
            packer = zlib.compressobj(1)
            row = b'\\0' + bytes([value]) * (size - 1)
            data = b''.join(packer.compress(row) for _ in range(rows)) + packer.flush()
            with open(path, 'wb') as file:
                file.write(b'\\x89PNG\\r\\n\\x1a\\n')
                file.write(chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, color, 0, 0, 0)))
                file.write(chunk(b'IDAT', data) + chunk(b'IEND', b''))
            """
        try require(
            "python3", "-c", script, path, "\(width)", "\(height)", "\(color)", "\(depth)", "\(rows ?? height)",
            "\(value)")
    }

    /// A picture that takes a second or more to decode.
    public static func slow(_ path: String) throws { try png(path, 13_000, 13_000, color: 0) }
}
