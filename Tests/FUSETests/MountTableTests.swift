import Platform
import Testing

@testable import FUSE

struct MountTableTests {
    @Test func readsLines() throws {
        let text = """
            36 35 98:0 / /mnt/with\\040space rw,noatime master:1 shared:2 - fuse.camera\\134roll a\\011b rw,user_id=0
            37 35 0:52 / /mnt/x ro - ext4 /dev/sda1 rw
            38 35 0:53 / /mnt/x rw - tmpfs none rw
            nonsense
            39 35 0:54 / /mnt/y rw master:1

            """
        let table = MountTable(parsing: Array(text.utf8))
        #expect(table.mounts.count == 3)
        let first = try #require(table.mount(at: "/mnt/with space"))
        #expect(first.identifier == 36)
        #expect(first.device == "98:0")
        #expect(first.options == ["rw", "noatime"])
        #expect(first.type == "fuse.camera\\roll")
        #expect(first.source == "a\tb")
        #expect(table.mount(at: "/mnt/x")?.type == "tmpfs")
        #expect(table.mount(at: "/mnt") == nil)
    }

    @Test func readsTheSystemsTable() throws {
        let table = try MountTable()
        #expect(table.mount(at: "/proc")?.type == "proc")
    }
}
