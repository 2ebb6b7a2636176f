import Platform
import Testing

@testable import FUSE

struct DirectoryPageTests {
    @Test(arguments: [false, true]) func holdsWhatWasAdded(withAttributes: Bool) throws {
        var page = DirectoryPage(capacity: 4096, wantsAttributes: withAttributes)
        let name = try FileName("IMG_0001.JPG")
        let entry = Entry(Attributes(inode: 9, mode: 0o100644), attributeTimeout: 1, entryTimeout: 1)
        let added = [
            page.add(.this, inode: 1, cookie: 1),
            page.add(.parent, inode: 2, cookie: 2),
            page.add(name, inode: 8, mode: 0o040755, cookie: 77),
            page.add(name, entry: entry, cookie: UInt64(Int64.max)),
        ]
        let items = page.items
        #expect(added == [true, true, true, true])
        let bytes = name.bytes
        let directory: UInt32 = 0o040000
        #expect(
            items == [
                .init(name: [0x2E], inode: 1, kind: directory, cookie: 1, isReference: false),
                .init(name: [0x2E, 0x2E], inode: 2, kind: directory, cookie: 2, isReference: false),
                .init(name: bytes, inode: 8, kind: directory, cookie: 77, isReference: false),
                .init(
                    name: bytes, inode: 9, kind: 0o100000, cookie: UInt64(Int64.max), isReference: withAttributes),
            ])
    }

    @Test(arguments: [false, true]) func takesNoMoreThanFits(withAttributes: Bool) throws {
        for capacity in [0, 1, 31, 32, 100, 500, 4096] {
            var page = DirectoryPage(capacity: capacity, wantsAttributes: withAttributes)
            let entry = Entry(Attributes(inode: 9, mode: 0o100644), attributeTimeout: 1, entryTimeout: 1)
            var count = 0
            while page.add(try FileName(String(repeating: "n", count: 1 + count % 255)), entry: entry, cookie: 5) {
                count += 1
            }
            let header = withAttributes ? 152 : 24
            var used = 0
            let items = page.items
            for item in items { used += (header + item.name.count + 7) / 8 * 8 }
            #expect(items.count == count)
            #expect(used <= capacity)
            #expect(used + (header + 1 + count % 255 + 7) / 8 * 8 > capacity)
        }
    }
}
