internal import CCrypto
public import Platform

/// A SHA-256 digest of bytes that come in pieces (FIPS 180-4), computed by libcrypto.
public struct SHA256Digest: ~Copyable {
    private let context: OpaquePointer
    private static let bufferSize = 512 << 10

    public init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            preconditionFailure("libcrypto has no memory for a SHA-256 digest")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Takes in more bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The digest of all bytes taken in: 32 bytes.
    public consuming func finalize() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        return digest
    }

    /// The digest of a file's first `size` bytes; holes count as the zeros they read as, without being read.
    ///
    /// - Throws: the error of a read; `EIO` where the file ends before `size`.
    public static func of(_ file: FileDescriptor, size: Int64) throws(Errno) -> [UInt8] {
        var digest = SHA256Digest()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 4096)
        defer { buffer.deallocate() }
        try digest.update(with: 0..<size, of: file, through: buffer)
        return digest.finalize()
    }

    /// The digest of ranges of a file, one after the other.
    static func of(_ ranges: [Range<Int64>], of file: FileDescriptor) throws(Errno) -> [UInt8] {
        var digest = SHA256Digest()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 4096)
        defer { buffer.deallocate() }
        for range in ranges { try digest.update(with: range, of: file, through: buffer) }
        return digest.finalize()
    }

    mutating func update(
        with range: Range<Int64>, of file: FileDescriptor, through buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) {
        var position = range.lowerBound
        var dataEnd = position
        while position < range.upperBound {
            if position >= dataEnd {
                let data = try Self.nextData(file, from: position, to: range.upperBound)
                updateWithZeros(data.lowerBound - position)
                position = data.lowerBound
                dataEnd = data.upperBound
                if data.isEmpty { continue }
            }
            let wanted = Int(min(Int64(buffer.count), dataEnd - position))
            let count = try file.readFully(into: .init(rebasing: buffer[..<wanted]), at: position)
            if count == 0 { throw .ioError }
            update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            position += Int64(count)
        }
    }

    /// The next range that is no hole; empty at `end` where only a hole follows. File systems that know no holes,
    /// and descriptors that cannot seek, have data everywhere.
    private static func nextData(_ file: FileDescriptor, from start: Int64, to end: Int64) throws(Errno)
        -> Range<Int64>
    {
        let data: Int64
        do throws(Errno) {
            data = try file.nextData(after: start)
        } catch .noDevice {
            guard try file.status().size >= end else { throw .ioError }
            return end..<end
        } catch {
            return start..<end
        }
        guard data < end else { return end..<end }
        guard let hole = try? file.nextHole(after: data) else { return max(data, start)..<end }
        let stop = min(hole, end)
        return data..<(stop > data ? stop : end)
    }

    private mutating func updateWithZeros(_ count: Int64) {
        guard count > 0 else { return }
        var rest = count
        Zeros.page.withUnsafeBytes { zeros in
            while rest > 0 {
                let step = Int(min(rest, Int64(zeros.count)))
                EVP_DigestUpdate(context, zeros.baseAddress, step)
                rest -= Int64(step)
            }
        }
    }

    private enum Zeros {
        static let page = [UInt8](repeating: 0, count: 64 << 10)
    }
}
