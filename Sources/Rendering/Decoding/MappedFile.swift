import Glibc
internal import Platform

/// A part of a file in memory, with the zeros behind it that libav's decoders read past the end.
///
/// Nothing is copied: pages come from the kernel's cache. A file that is cut off meanwhile ends the process (SIGBUS).
final class MappedFile: @unchecked Sendable {
    // Sendable: never changed, and not written to.
    let start: UnsafeMutablePointer<UInt8>
    let count: Int
    private let base: UnsafeMutableRawPointer
    private let length: Int

    init(_ file: FileDescriptor, _ range: Range<Int64>, padding: Int) throws(RenderingFailure) {
        let page = Int64(sysconf(Int32(_SC_PAGESIZE)))
        let first = range.lowerBound / page * page
        let mapped = Int(range.upperBound - first)
        let rounded = (mapped + padding + Int(page) - 1) / Int(page) * Int(page)
        let access = (read: PROT_READ, write: PROT_READ | PROT_WRITE)
        guard
            let room = mmap(nil, rounded, access.write, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
            room != MAP_FAILED
        else { throw .outOfMemory }
        base = room
        length = rounded
        guard let contents = mmap(room, mapped, access.read, MAP_PRIVATE | MAP_FIXED, file.rawValue, off_t(first)),
            contents != MAP_FAILED
        else {
            munmap(room, rounded)
            throw RenderingFailure("The file cannot be read: \(Errno.current).")
        }
        let offset = Int(range.lowerBound - first)
        start = room.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
        count = mapped - offset
    }

    deinit { munmap(base, length) }
}
