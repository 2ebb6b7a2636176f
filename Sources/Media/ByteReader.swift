import Glibc
import Platform

/// Reads numbers and records of a file through one window of bounded size.
///
/// Every read names its offset; what lies outside the file is nil, never a trap. A jump reads little, reading on
/// from the window's end reads twice as much each time, so that headers cost one small read and scans run at the
/// speed of the page cache. Not shared between threads.
final class ByteReader {
    /// The number of bytes that may be read.
    let size: Int64
    private let file: FileDescriptor?
    private let window: UnsafeMutableRawBufferPointer
    private var windowStart: Int64 = 0
    private var windowCount = 0
    private var fillSize: Int

    private static let jumpSize = 16 << 10
    /// The most that `bytes(at:count:)` gives, whatever a file's header asks for.
    static let recordLimit = 1 << 20

    /// Reads a file of `size` bytes through a window of at most `capacity` bytes.
    init(_ file: FileDescriptor, size: Int64, capacity: Int = 256 << 10) {
        self.file = file
        self.size = max(size, 0)
        window = .allocate(byteCount: capacity, alignment: 16)
        fillSize = min(Self.jumpSize, capacity)
    }

    /// Reads bytes that are in memory already.
    init(_ bytes: [UInt8]) {
        file = nil
        size = Int64(bytes.count)
        window = .allocate(byteCount: max(bytes.count, 1), alignment: 16)
        window.copyBytes(from: bytes)
        windowCount = bytes.count
        fillSize = 0
    }

    deinit { window.deallocate() }

    /// A second reader of the same file with a window of its own, for tables that are read side by side.
    func another(capacity: Int) -> ByteReader? {
        guard let file else { return nil }
        return ByteReader(file, size: size, capacity: capacity)
    }

    /// Makes the window hold `count` bytes at `offset` and says where in the window they begin.
    @inline(__always)
    private func position(of offset: Int64, count: Int) throws(MediaError) -> Int? {
        let relative = offset &- windowStart
        if offset >= windowStart, relative <= Int64(windowCount &- count) { return Int(relative) }
        return try refill(at: offset, count: count)
    }

    private func refill(at offset: Int64, count: Int) throws(MediaError) -> Int? {
        guard let file, offset >= 0, offset <= size - Int64(count) else { return nil }
        let windowEnd = windowStart + Int64(windowCount)
        let isSequential = windowCount > 0 && offset > windowStart && offset <= windowEnd
        fillSize = isSequential ? min(fillSize * 2, window.count) : min(Self.jumpSize, window.count)
        let wanted = Int(min(Int64(max(fillSize, count)), size - offset))
        windowCount = 0
        windowStart = offset
        do throws(Errno) {
            windowCount = try file.readFully(into: .init(rebasing: window[..<wanted]), at: offset)
        } catch {
            throw .unreadable(error)
        }
        return windowCount >= count ? 0 : nil
    }

    /// The byte at `offset`, nil outside the file.
    @inline(__always)
    func byte(at offset: Int64) throws(MediaError) -> UInt8? {
        guard let position = try position(of: offset, count: 1) else { return nil }
        return window[position]
    }

    /// The number at `offset` in the given byte order, nil where it does not lie wholly in the file.
    @inline(__always)
    func integer<Number: FixedWidthInteger>(
        _ type: Number.Type, at offset: Int64, bigEndian: Bool = true
    ) throws(MediaError) -> Number? {
        guard let position = try position(of: offset, count: MemoryLayout<Number>.size) else { return nil }
        let value = window.loadUnaligned(fromByteOffset: position, as: Number.self)
        return bigEndian ? Number(bigEndian: value) : Number(littleEndian: value)
    }

    /// The bytes at `offset`: fewer than `count` at the end of the file, and never more than `recordLimit`.
    func bytes(at offset: Int64, count: Int64) throws(MediaError) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        let wanted = Int(min(count, size - offset, Int64(Self.recordLimit)))
        let relative = offset - windowStart
        if relative >= 0, relative <= Int64(windowCount) - Int64(wanted) {
            return Array(window[Int(relative)..<Int(relative) + wanted])
        }
        guard let file else { return [] }
        do throws(Errno) {
            return try file.readBytes(wanted, at: offset)
        } catch {
            throw .unreadable(error)
        }
    }

    /// Copies bytes from `offset` on to a buffer; returns how many, fewer than fit only at the end of the file.
    func copy(to buffer: UnsafeMutableRawBufferPointer, from offset: Int64) throws(MediaError) -> Int {
        guard offset >= 0, offset < size else { return 0 }
        let count = Int(min(Int64(buffer.count), size - offset))
        if let file, count > Self.jumpSize {
            do throws(Errno) {
                return try file.readFully(into: .init(rebasing: buffer[..<count]), at: offset)
            } catch {
                throw .unreadable(error)
            }
        }
        guard count > 0, let position = try position(of: offset, count: count) else { return 0 }
        buffer.copyMemory(from: .init(rebasing: window[position..<position + count]))
        return count
    }

    /// Whether these ASCII characters stand at `offset`.
    func matches(_ text: StaticString, at offset: Int64) throws(MediaError) -> Bool {
        for index in 0..<text.utf8CodeUnitCount {
            guard try byte(at: offset &+ Int64(index)) == text.utf8Start[index] else { return false }
        }
        return true
    }

    /// Where `value` first occurs at or after `offset` and before `limit`.
    func first(_ value: UInt8, from offset: Int64, before limit: Int64) throws(MediaError) -> Int64? {
        var offset = offset
        while offset < limit {
            guard let position = try position(of: offset, count: 1), let base = window.baseAddress else { return nil }
            let count = Int(min(Int64(windowCount - position), limit - offset))
            if let found = memchr(base + position, Int32(value), count) {
                return offset + Int64(UnsafeRawPointer(found) - UnsafeRawPointer(base + position))
            }
            offset += Int64(count)
        }
        return nil
    }
}

extension Int64 {
    /// This offset moved on by a length that a file gives; nil where that leaves the range of offsets.
    func advanced(byLength length: UInt64) -> Int64? {
        guard let length = Int64(exactly: length) else { return nil }
        let (sum, overflow) = addingReportingOverflow(length)
        return overflow ? nil : sum
    }
}
