internal import CFuse
import Glibc
public import Platform

/// The entries of one answer to a directory read, in the kernel's own layout.
///
/// A page with attributes (readdirplus) gives the kernel a lookup reference for each entry added with its `Entry`, as
/// a lookup does; `.`, `..` and entries added by inode alone give none.
public struct DirectoryPage: ~Copyable {
    /// The kernel asked for attributes with the names; entries added without them are looked up when needed.
    public let wantsAttributes: Bool
    private let buffer: UnsafeMutableRawBufferPointer
    private var used = 0
    /// Makes of an entry what the kernel may keep of it.
    var keeping: ((Entry, FileName) -> Entry)?

    /// Makes an empty page of `capacity` bytes.
    public init(capacity: Int, wantsAttributes: Bool) {
        buffer = .allocate(byteCount: max(capacity, 0), alignment: 8)
        self.wantsAttributes = wantsAttributes
    }

    deinit { buffer.deallocate() }

    /// The two names that every directory holds and that are no `FileName`.
    public enum Dot: Sendable, Hashable {
        /// `.`
        case this
        /// `..`
        case parent
    }

    /// Adds `.` or `..`.
    ///
    /// - Parameter cookie: where a later read goes on after this entry, 1 to `Int64.max`.
    /// - Returns: false where the page is full and the entry was not added.
    public mutating func add(_ dot: Dot, inode: UInt64, cookie: UInt64) -> Bool {
        let name: [UInt8] = dot == .this ? [0x2E] : [0x2E, 0x2E]
        return add(name, Attributes(inode: inode, mode: FileKind.directory.rawValue), reference: nil, cookie: cookie)
    }

    /// Adds a name of which only inode and kind (`S_IFMT` of `mode`) are told.
    ///
    /// - Parameter cookie: where a later read goes on after this entry, 1 to `Int64.max`.
    /// - Returns: false where the page is full and the entry was not added.
    public mutating func add(_ name: FileName, inode: UInt64, mode: UInt32, cookie: UInt64) -> Bool {
        add(name.bytes, Attributes(inode: inode, mode: mode), reference: nil, cookie: cookie)
    }

    /// Adds a name with its attributes, which a page without attributes leaves out.
    ///
    /// - Parameter cookie: where a later read goes on after this entry, 1 to `Int64.max`.
    /// - Returns: false where the page is full: the entry was not added and no reference was given.
    public mutating func add(_ name: FileName, entry: Entry, cookie: UInt64) -> Bool {
        add(name.bytes, entry.attributes, reference: keeping?(entry, name) ?? entry, cookie: cookie)
    }

    private mutating func add(
        _ name: [UInt8], _ attributes: Attributes, reference: Entry?, cookie: UInt64
    ) -> Bool {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[used...])
        let space = rest.baseAddress?.assumingMemoryBound(to: CChar.self)
        let offset = off_t(truncatingIfNeeded: cookie)
        let needed = withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) { text in
            for (index, byte) in name.enumerated() { text[index] = CChar(bitPattern: byte) }
            text[name.count] = 0
            if wantsAttributes {
                var parameters = fuse_entry_param(reference, attributes)
                return fuse_add_direntry_plus(nil, space, rest.count, text.baseAddress, &parameters, offset)
            }
            var status = stat(attributes)
            return fuse_add_direntry(nil, space, rest.count, text.baseAddress, &status, offset)
        }
        guard needed <= rest.count else { return false }
        used += needed
        return true
    }

    /// Calls `body` with the page's bytes as the kernel takes them.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(rebasing: buffer[..<used]))
    }
}

extension DirectoryPage {
    /// One entry of a page, as the kernel reads it.
    public struct Item: Sendable, Hashable {
        public var name: [UInt8]
        public var inode: UInt64
        /// The kind, as the bits of `S_IFMT`.
        public var kind: UInt32
        public var cookie: UInt64
        /// The entry gives the kernel a lookup reference to its inode.
        public var isReference: Bool
    }

    /// What was added, in order.
    public var items: [Item] {
        withBytes { bytes in
            var items: [Item] = []
            var position = 0
            while let item = Self.item(in: bytes, at: &position, withAttributes: wantsAttributes) {
                items.append(item)
            }
            return items
        }
    }

    /// Reads `struct fuse_dirent` or `struct fuse_direntplus` (linux/fuse.h), native byte order, padded to 8 bytes.
    private static func item(
        in bytes: UnsafeRawBufferPointer, at position: inout Int, withAttributes: Bool
    ) -> Item? {
        let entrySize = withAttributes ? 128 : 0
        let headerSize = 24
        let start = position + entrySize
        guard start + headerSize <= bytes.count else { return nil }
        let length = Int(bytes.loadUnaligned(fromByteOffset: start + 16, as: UInt32.self))
        guard length <= bytes.count - start - headerSize else { return nil }
        let node = withAttributes ? bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) : 0
        let nameStart = start + headerSize
        position = (nameStart + length + 7) & ~7
        return Item(
            name: Array(bytes[nameStart..<(nameStart + length)]),
            inode: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self),
            kind: bytes.loadUnaligned(fromByteOffset: start + 20, as: UInt32.self) << 12,
            cookie: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self),
            isReference: node != 0)
    }
}

extension DirectoryPage {
    /// Gives back the references of a page that the kernel did not get.
    func forgetReferences(in fileSystem: any FileSystem) {
        guard wantsAttributes else { return }
        for item in items where item.isReference { fileSystem.forget(item.inode, count: 1) }
    }
}
