import Platform
import Support
import Testing

@Suite struct ViewTests {
    private func photo(_ roll: MountedLibrary, _ name: String, date: String?) throws -> [UInt8] {
        let source = roll.place("source-\(Generated.jpeg().hashValue).jpg")
        let bytes = try Generated.photo(at: source, date: date)
        try require("cp", source, "\(roll.dcim)/\(name)")
        return bytes
    }

    @Test func theRoot() throws {
        try withMountedLibrary { roll throws in
            #expect(
                Set(try Files.names(in: roll.root))
                    .isSuperset(of: ["DCIM", "Dates", "Recently Added", "Recently Deleted"]))
            #expect(failure { try Posix.makeDirectory(roll.root + "/elsewhere") } == .notPermitted)
            #expect(failure { try Posix.removeDirectory(roll.root + "/DCIM") } != nil)
            #expect(failure { try Posix.rename(roll.root + "/DCIM", roll.root + "/Photos") } != nil)
            #expect(try Files.names(in: roll.root).contains("DCIM"))
        }
    }

    @Test func byDay() throws {
        try withMountedLibrary { roll in
            let bytes = try photo(roll, "a.jpg", date: "2024:05:17 10:00:00")
            _ = try photo(roll, "b.jpg", date: "2024:05:18 10:00:00")
            _ = try photo(roll, "c.jpg", date: "1999:12:31 23:59:59")
            let expected = [
                "1999/1999-12/1999-12-31/c.jpg", "2024/2024-05/2024-05-17/a.jpg", "2024/2024-05/2024-05-18/b.jpg",
            ]
            #expect(try Files.tree(roll.root + "/Dates") == expected)
            let path = roll.root + "/Dates/2024/2024-05/2024-05-17/a.jpg"
            #expect(try Files.read(path) == bytes)
            let (inView, inRoll) = try (Files.existing(path), Files.existing(roll.dcim + "/a.jpg"))
            #expect(inView.inode == inRoll.inode)
            #expect(inView.links == 1, "a view adds no link")
            expectSuccess(try run("find", roll.root, "-name", "a.jpg"))
            try roll.remount()
            #expect(try Files.tree(roll.root + "/Dates") == expected)

            // Removed in the view: to Recently Deleted. The day that has nothing left is gone.
            try require("rm", path)
            #expect(!Files.exists(roll.dcim + "/a.jpg"))
            #expect(try Files.tree(roll.root + "/Dates").count == 2)
            #expect(try Files.names(in: roll.root + "/Dates/2024/2024-05") == ["2024-05-18"])
            #expect(try roll.trash().map(\.name) == ["a.jpg"])
        }
    }

    @Test func anotherDay() throws {
        try withMountedLibrary { roll in
            _ = try photo(roll, "a.jpg", date: "2024:05:17 10:11:12")
            _ = try photo(roll, "b.jpg", date: "2024:05:18 10:00:00")
            let days = roll.root + "/Dates/2024/2024-05"
            try require("mv", days + "/2024-05-17/a.jpg", days + "/2024-05-18/a.jpg")
            #expect(try Files.names(in: days + "/2024-05-18") == ["a.jpg", "b.jpg"])
            let asset = try #require(try roll.assets().first { $0.name == "a.jpg" })
            #expect(asset.captured?.hasPrefix("2024-05-18T10:11:12") == true, "the time of day stays: \(asset)")
            #expect(Files.exists(roll.dcim + "/a.jpg"))
        }
    }

    @Test func recentlyAdded() throws {
        try withMountedLibrary { roll in
            let view = roll.root + "/Recently Added"
            let bytes = try photo(roll, "a.jpg", date: "1999:05:17 10:00:00")
            #expect(try Files.names(in: view) == ["a.jpg"])
            #expect(try Files.read(view + "/a.jpg") == bytes)
            #expect(failure { try Files.write([], to: view + "/new.jpg") } == .notPermitted)
            #expect(failure { try Posix.makeDirectory(view + "/d") } == .notPermitted)
            try Files.write(Generated.jpeg(), to: roll.dcim + "/b.jpg")
            #expect(failure { try Posix.rename(roll.dcim + "/b.jpg", view + "/c.jpg") } == .notPermitted)
            try require("rm", view + "/a.jpg")
            #expect(try Files.names(in: view) == ["b.jpg"])
            #expect(try Files.names(in: roll.dcim) == ["b.jpg"])
            #expect(try roll.trash().map(\.name) == ["a.jpg"])
        }
    }

    /// Two files of one name show under two in the views, and keep them.
    @Test func displayNames() throws {
        try withMountedLibrary { roll in
            for directory in ["one", "two"] { try Files.makeDirectory("\(roll.dcim)/\(directory)") }
            try Files.write(Generated.jpeg(), to: roll.dcim + "/one/IMG_0001.JPG")
            try Files.write(Generated.jpeg(), to: roll.dcim + "/two/IMG_0001.JPG")
            let view = roll.root + "/Recently Added"
            #expect(try Files.names(in: view) == ["IMG_0001.JPG", "IMG_0001~2.JPG"])
            #expect(
                try Files.existing(view + "/IMG_0001~2.JPG").inode
                    == Files.existing(roll.dcim + "/two/IMG_0001.JPG").inode)
            try require("rm", roll.dcim + "/one/IMG_0001.JPG")
            #expect(try Files.names(in: view) == ["IMG_0001~2.JPG"], "a listing is stable")
            try roll.remount()
            #expect(try Files.names(in: view) == ["IMG_0001~2.JPG"])
        }
    }

    @Test func restoredByMv() throws {
        try withMountedLibrary { roll in
            let bytes = try photo(roll, "a.jpg", date: "2024:05:17 10:00:00")
            let id = try roll.assets().first?.id
            let deleted = roll.root + "/Recently Deleted"
            try require("rm", roll.dcim + "/a.jpg")
            #expect(try Files.tree(roll.root + "/Dates").isEmpty)
            #expect(try Files.names(in: roll.root + "/Recently Added").isEmpty)
            #expect(try roll.assets().isEmpty)
            #expect(try Files.read(deleted + "/a.jpg") == bytes)
            #expect(failure { try Files.write([], to: deleted + "/x.jpg") } == .notPermitted)

            try require("mv", deleted + "/a.jpg", roll.dcim + "/back.jpg")
            #expect(try Files.read(roll.dcim + "/back.jpg") == bytes)
            #expect(try roll.assets().first?.id == id)
            #expect(try Files.names(in: deleted).isEmpty)

            // A move into Recently Deleted is a deletion.
            try require("mv", roll.dcim + "/back.jpg", deleted + "/")
            #expect(try Files.names(in: roll.dcim).isEmpty)
            #expect(try Files.names(in: deleted).count == 1)
            let item = try #require(try roll.trash().first)
            expectSuccess(try Product.run("trash", roll.library, "restore", item.id))
            #expect(try Files.names(in: roll.dcim) == ["back.jpg"])
            #expect(try roll.assets().first?.id == id)
        }
    }

    /// A whole tree removed and brought back.
    @Test func restoredAfterRmOfADirectory() throws {
        try withMountedLibrary { roll in
            try Files.makeDirectory(roll.dcim + "/trip")
            for number in 0..<20 { try Files.write(Generated.jpeg(), to: "\(roll.dcim)/trip/\(number).jpg") }
            try require("rm", "-r", roll.dcim + "/trip")
            #expect(try Files.names(in: roll.dcim).isEmpty)
            #expect(try roll.trash().count == 20)
            expectSuccess(try run("sh", "-c", "mv -- * ../DCIM/", cwd: roll.root + "/Recently Deleted"))
            #expect(try Files.names(in: roll.dcim).count == 20)
            #expect(try roll.assets().count == 20)
            #expect(try roll.trash().isEmpty)
        }
    }

    @Test func deletedForGoodByRm() throws {
        try withMountedLibrary { roll in
            let source = roll.place("source.mp4")
            try Generated.bigMovie(at: source, size: 16 << 20, seed: 9)
            let before = try Files.spaceUsed(by: roll.library)
            try require("cp", "--sparse=never", source, roll.dcim + "/a.mp4")
            try require("rm", roll.dcim + "/a.mp4")
            #expect(try Files.spaceUsed(by: roll.library) > before + (15 << 20))
            try require("rm", roll.root + "/Recently Deleted/a.mp4")
            #expect(try Files.names(in: roll.root + "/Recently Deleted").isEmpty)
            #expect(try roll.trash().isEmpty)
            #expect(try Files.spaceUsed(by: roll.library) < before + (4 << 20), "its space is free again")
            // And the same bytes may come again.
            try require("cp", source, roll.dcim + "/a.mp4")
            try expectAsset(roll.dcim + "/a.mp4", holding: source)
        }
    }

    /// The same bytes again while they lie in Recently Deleted: they are there, once.
    @Test func addedAgainWhileDeleted() throws {
        try withMountedLibrary { roll in
            let bytes = Generated.jpeg()
            try Files.write(bytes, to: roll.dcim + "/a.jpg")
            try require("rm", roll.dcim + "/a.jpg")
            try Files.write(bytes, to: roll.dcim + "/b.jpg")
            #expect(try Files.read(roll.dcim + "/b.jpg") == bytes)
            #expect(try roll.assets().count == 1)
            try roll.remount()
            #expect(try Files.read(roll.dcim + "/b.jpg") == bytes)
        }
    }

    @Test func expiry() throws {
        try withMountedLibrary { roll in
            for name in ["old.jpg", "new.jpg"] {
                try Files.write(Generated.jpeg(), to: "\(roll.dcim)/\(name)")
                try require("rm", "\(roll.dcim)/\(name)")
            }
            let old = try #require(try roll.trash().first { $0.name == "old.jpg" })
            let new = try #require(try roll.trash().first { $0.name == "new.jpg" })
            try roll.unmount()
            let day: Int64 = 86_400_000_000_000
            let columns =
                "UPDATE asset SET trashed_at = trashed_at - %d WHERE trashed_at = (SELECT %@(trashed_at) FROM asset)"
            func age(_ which: String, days: Int64) throws {
                _ = try roll.sql(
                    columns.replacing("%d", with: String(days * day)).replacing("%@", with: which))
            }
            // The first to be deleted is 31 days old; the other one 29.
            try age("min", days: 31)
            try age("max", days: 29)
            try roll.mount()
            var tries = 0
            while try roll.trash().count > 1, tries < 100 {
                Clock.sleep(50_000_000)
                tries += 1
            }
            #expect(try roll.trash().map(\.id) == [new.id], "\(old) is past its 30 days")
            #expect(try Files.names(in: roll.root + "/Recently Deleted") == ["new.jpg"])
        }
    }
}
