import FUSE
import Glibc
import PhotoLibrary
import Platform
import RollFS
import Support
import Testing

@Suite struct ListingTests {
    @Test func dotsAndNames() throws {
        try withRoll { roll in
            try roll.add("DCIM/a.jpg", Picture.jpeg(1))
            let items = try roll.list(Roll.dcim)
            #expect(items.map { String(decoding: $0.name, as: UTF8.self) } == [".", "..", "a.jpg"])
            #expect(items[0].inode == Roll.dcim)
            #expect(items[1].inode == Library.rootNode)
            let root = try roll.list(Library.rootNode, attributes: true)
            #expect(Set(root.map(\.cookie)).count == root.count)
            #expect(root.filter(\.isReference).count == root.count - 2)
        }
    }

    /// Makes many names at once, straight in the catalogue.
    private func fill(_ roll: Roll, _ count: Int) throws {
        let sql = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO node (kind, room, mode, uid, gid, links, changed, target)
            SELECT 5, 1, 41471, 0, 0, 1, 0, 'x' FROM n;
            INSERT INTO dentry (parent, name, node) SELECT 2, 'name' || id, id FROM node WHERE kind = 5;
            """
        try require("sqlite3", "-batch", roll.path + "/catalog.sqlite", ".timeout 5000", sql)
    }

    @Test func everyNameOnceThoughOthersComeAndGo() throws {
        try withRoll { roll in
            let count = 50_000
            try fill(roll, count)
            let before = try roll.names(inode: Roll.dcim)
            #expect(before.count == count)
            // Names that end in 7 are removed and new ones made while the directory is read.
            let isDone = Lock(false)
            let changer = try Platform.Thread(name: "changer") {
                for (number, name) in before.filter({ $0.hasSuffix("7") }).enumerated() {
                    if isDone.withLock({ $0 }) { return }
                    try? roll.fileSystem.unlink(FileName(name), in: Roll.dcim, for: Roll.owner)
                    if number.isMultiple(of: 10) {
                        _ = try? roll.fileSystem.makeSymbolicLink(
                            FileName("new\(number)"), in: Roll.dcim, target: [0x78], for: Roll.owner)
                    }
                }
            }
            let names = try roll.list(Roll.dcim, capacity: 32_768).map { String(decoding: $0.name, as: UTF8.self) }
            isDone.withLock { $0 = true }
            changer.join()
            #expect(Set(names).count == names.count)
            let stable = Set(before.filter { !$0.hasSuffix("7") })
            #expect(stable.isSubset(of: names))
        }
    }

    @Test func readingGoesOnFromAnyCookie() throws {
        try withRoll { roll in
            try fill(roll, 300)
            let all = try roll.list(Roll.dcim)
            for index in stride(from: 0, to: all.count, by: 37) {
                let rest = try roll.list(Roll.dcim, after: all[index].cookie)
                #expect(rest.map(\.name) == all[(index + 1)...].map(\.name))
            }
            // The entry of the cookie is gone, and those around it.
            for index in 98...102 {
                let name = try FileName(validating: all[index].name)
                try roll.fileSystem.unlink(name, in: Roll.dcim, for: Roll.owner)
            }
            let rest = try roll.list(Roll.dcim, after: all[100].cookie)
            #expect(rest.map(\.name) == all[103...].map(\.name))
        }
    }

    @Test func removingWhileReadingEmptiesTheDirectory() throws {
        try withRoll { roll in
            try fill(roll, 1000)
            var removed = 0
            // As rm -r does it, a page at a time.
            for item in try roll.list(Roll.dcim, capacity: 1024) where item.inode > 2 {
                try roll.fileSystem.unlink(FileName(validating: item.name), in: Roll.dcim, for: Roll.owner)
                removed += 1
            }
            #expect(removed == 1000)
            #expect(try roll.names(inode: Roll.dcim) == [])
        }
    }

    @Test func aRenamedNameIsListedOnce() throws {
        try withRoll { roll in
            try fill(roll, 400)
            var round = 0
            let names = try roll.list(Roll.dcim, capacity: 512) {
                round += 1
                try roll.rename("DCIM/name\(1100 + round)", "DCIM/renamed\(round)")
            }
            let listed = Set(names.map(\.inode))
            #expect(listed.count == names.count)
            #expect(names.count == 402)
        }
    }

    @Test(
        arguments: [
            0, 1, 2, 3, 15, 16, 17, 40, 2040, 20_260, 1 << 31, 1 << 53, UInt64(Int64.max) - 20, UInt64(Int64.max),
            1 << 62, (1 << 62) + 1, UInt64.max, UInt64(1) << 63,
        ] as [UInt64])
    func anyCookieAnywhere(cookie: UInt64) throws {
        try withRoll { roll in
            try roll.add("DCIM/a.jpg", Picture.jpeg(1, date: "2024:05:17 10:00:00"))
            try roll.add("DCIM/b.jpg", Picture.jpeg(2))
            try roll.unlink("DCIM/b.jpg")
            for path in [
                "", "DCIM", "Dates", "Dates/2024", "Dates/2024/2024-05", "Dates/2024/2024-05/2024-05-17",
                "Recently Added", "Recently Deleted", "Albums", "Favorites", "Hidden", "Keywords", "Media Types",
                "Media Types/Videos", "Originals", "Search", "Search/a",
            ] {
                let items = try roll.list(roll.inode(path), after: cookie)
                #expect(items.count < 20)
            }
        }
    }

    @Test func datesListAndLookUpTheSame() throws {
        try withRoll { roll in
            let dates = [
                "2024:05:17 10:00:00", "2024:05:17 23:59:59", "2024:05:18 00:00:00", "2024:12:31 12:00:00",
                "2023:01:01 00:00:00", "1999:12:31 12:00:00",
            ]
            for (number, date) in dates.enumerated() {
                try roll.add("DCIM/\(number).jpg", Picture.jpeg(UInt64(number), date: date))
            }
            #expect(try roll.names("Dates") == ["1999", "2023", "2024"])
            #expect(try roll.names("Dates/2024") == ["2024-05", "2024-12"])
            #expect(try roll.names("Dates/2024/2024-05") == ["2024-05-17", "2024-05-18"])
            #expect(try roll.names("Dates/2024/2024-05/2024-05-17") == ["0.jpg", "1.jpg"])
            #expect(try roll.inode("Dates/2024/2024-05/2024-05-18/2.jpg") == roll.inode("DCIM/2.jpg"))
            for path in [
                "Dates/2022", "Dates/2024/2024-06", "Dates/2024/2023-01", "Dates/2024/2024-05/2024-05-19", "Dates/24",
                "Dates/02024", "Dates/2024/2024-5", "Dates/2024/2024-05/2024-05-17/2.jpg", "Dates/x", "Dates/2024-05",
                "Dates/99999999999999999999", "Dates/2024/2024-05/2024-12-31",
            ] {
                #expect(refusal { _ = try roll.inode(path) } == .noEntry, "\(path)")
            }
            // Each level's parent.
            let month = try roll.list(roll.inode("Dates/2024/2024-05"))
            #expect(month[1].inode == (try roll.inode("Dates/2024")))
            // One entry a page.
            let small = try roll.list(roll.inode("Dates"), capacity: 40)
            #expect(small.count == 5)
        }
    }

    @Test func recentlyAddedIsThirtyDays() throws {
        try withRoll { roll in
            try roll.add("DCIM/old.jpg", Picture.jpeg(1))
            try roll.add("DCIM/new.jpg", Picture.jpeg(2))
            let before = Clock.now() - 31 * 86_400 * 1_000_000_000
            try require(
                "sqlite3", "-batch", roll.path + "/catalog.sqlite", ".timeout 5000",
                "UPDATE asset SET added_at = \(before) WHERE id = 1")
            #expect(try roll.names("Recently Added") == ["new.jpg"])
            #expect(refusal { _ = try roll.inode("Recently Added/old.jpg") } == .noEntry)
        }
    }
}
