import FUSE
import Glibc
import PhotoLibrary
import Platform
import RollFS
import Support
import Testing

@Suite struct NameTests {
    @Test func anOpenFileOutlivesItsName() throws {
        try withRoll { roll in
            let file = try roll.create("DCIM/a.jpg")
            try file.write([1, 2, 3], at: 0)
            try roll.unlink("DCIM/a.jpg")
            #expect(!roll.exists("DCIM/a.jpg"))
            #expect(try file.attributes().links == 0)
            #expect(try file.attributes().size == 3)
            #expect(try file.read() == [1, 2, 3])
            try file.write([4], at: 3)
            #expect(try file.read() == [1, 2, 3, 4])
            var change = AttributeChange()
            change.mode = 0o600
            change.modificationTime = .to(5)
            let after = try roll.fileSystem.setAttributes(
                of: file.inode, to: change, handle: file.handle, for: Roll.owner)
            #expect(after.attributes.mode == 0o100600)
            #expect(after.attributes.links == 0)
            let second = try roll.open(inode: file.inode, O_RDONLY)
            #expect(try second.read() == [1, 2, 3, 4])
            second.release()
            try file.close()
            expectRefused(.stale) {
                _ = try file.roll.fileSystem.attributes(of: file.inode, handle: nil, for: Roll.owner)
            }
            // The name can be used again.
            try roll.add("DCIM/a.jpg", Picture.jpeg(1))
        }
    }

    @Test func anAssetDeletedForGoodWhileItIsOpenIsReadOn() throws {
        try withRoll { roll in
            try roll.add("DCIM/a.jpg", Picture.jpeg(1))
            let reader = try roll.open("DCIM/a.jpg", O_RDONLY)
            try roll.unlink("DCIM/a.jpg")
            #expect(try reader.read() == Picture.jpeg(1))
            #expect(try roll.names("Recently Deleted") == ["a.jpg"])
            try roll.unlink("Recently Deleted/a.jpg")
            #expect(try reader.read() == Picture.jpeg(1))
            #expect(try reader.attributes().links == 0)
            reader.release()
        }
    }

    @Test func anOpenDirectoryOutlivesItsName() throws {
        try withRoll { roll in
            let (parent, name) = try roll.place("DCIM/dir")
            let inode = try roll.fileSystem.makeDirectory(name, in: parent, mode: 0o755, for: Roll.owner).attributes
                .inode
            let handle = try roll.fileSystem.openDirectory(inode, for: Roll.owner)
            try roll.fileSystem.removeDirectory(name, in: parent, for: Roll.owner)
            #expect(
                try roll.fileSystem.attributes(of: inode, handle: nil, for: Roll.owner).attributes.links == 0)
            roll.fileSystem.releaseDirectory(inode, handle: handle)
            expectRefused(.stale) { _ = try roll.fileSystem.attributes(of: inode, handle: nil, for: Roll.owner) }
            expectRefused(.stale) { _ = try roll.fileSystem.openDirectory(inode, for: Roll.owner) }
        }
    }

    @Test func safeSaveWhileReadersHaveTheOldFile() throws {
        try withRoll { roll in
            let date = "2024:05:17 10:00:00"
            let (old, new) = (Picture.jpeg(1, look: 1, date: date), Picture.jpeg(2, look: 2, date: date))
            try roll.add("DCIM/a.jpg", old)
            let reader = try roll.open("DCIM/a.jpg", O_RDONLY)
            try roll.add("DCIM/.a.jpg.Ab12Cd", new)
            try roll.rename("DCIM/.a.jpg.Ab12Cd", "DCIM/a.jpg")
            #expect(try roll.bytes("DCIM/a.jpg") == new)
            #expect(try reader.read() == old)
            #expect(try reader.attributes().links == 0)
            reader.release()
            #expect(try roll.names("DCIM") == ["a.jpg"])
        }
    }

    @Test func aRenameWhileTheFileIsWritten() throws {
        try withRoll { roll in
            let bytes = Picture.jpeg(1)
            let file = try roll.create("DCIM/a.jpg.part")
            try file.write(Array(bytes[..<600]), at: 0)
            try roll.rename("DCIM/a.jpg.part", "DCIM/a.jpg")
            #expect(try roll.state(file.inode) == "pending")
            try file.write(Array(bytes[600...]), at: 600)
            try file.close()
            #expect(try roll.bytes("DCIM/a.jpg") == bytes)
            #expect(try roll.state(file.inode) == "asset")
            // Whole already when it is renamed, and written on.
            let second = try roll.create("DCIM/b.jpg.part")
            try second.write(Picture.jpeg(2), at: 0)
            try roll.rename("DCIM/b.jpg.part", "DCIM/b.jpg")
            #expect(try roll.state(second.inode) == "asset")
            try second.write([5], at: Int64(Picture.jpeg(2).count))
            try second.close()
            #expect(try roll.bytes("DCIM/b.jpg") == Picture.jpeg(2) + [5])
            #expect(try roll.names("DCIM") == ["a.jpg", "b.jpg"])
            // Renamed into a known picture, and written on.
            let third = try roll.create("DCIM/c.jpg.part")
            try third.write(bytes, at: 0)
            try roll.rename("DCIM/c.jpg.part", "DCIM/c.jpg")
            #expect(try roll.inode("DCIM/c.jpg") == file.inode)
            try third.write([6], at: Int64(bytes.count))
            try third.close()
            #expect(try roll.bytes("DCIM/c.jpg") == bytes + [6])
            #expect(try roll.bytes("DCIM/a.jpg") == bytes)
        }
    }

    /// A close that comes in the middle of a rename is still the last close.
    @Test func aCloseBesideARename() throws {
        try withRoll { roll in
            for round in 0..<60 {
                let file = try roll.create("DCIM/\(round).part")
                try file.write(Picture.jpeg(UInt64(round)), at: 0)
                let renamer = try Platform.Thread(name: "renamer") {
                    try? roll.rename("DCIM/\(round).part", "DCIM/\(round).jpg")
                }
                try file.close()
                renamer.join()
                #expect(try roll.state(file.inode) == "asset")
                #expect(try roll.bytes("DCIM/\(round).jpg") == Picture.jpeg(UInt64(round)))
            }
        }
    }

    @Test func linksOfTemporaryFiles() throws {
        try withRoll { roll in
            let file = try roll.create("DCIM/a.part")
            try file.write(Picture.jpeg(1), at: 0)
            try file.close()
            #expect(try roll.state(file.inode) == "pending")
            let entry = try roll.fileSystem.link(file.inode, to: FileName("a.jpg"), in: Roll.dcim, for: Roll.owner)
            #expect(entry.attributes.links == 2)
            #expect(try roll.state(file.inode) == "asset")
            let broken = try roll.create("DCIM/b.part")
            try broken.write(Picture.cutOff(1), at: 0)
            try broken.close()
            expectRefused(.invalid) {
                _ = try roll.fileSystem.link(broken.inode, to: FileName("b.jpg"), in: Roll.dcim, for: Roll.owner)
            }
            #expect(try roll.names("DCIM") == ["a.jpg", "a.part", "b.part"])
            let open = try roll.create("DCIM/gone")
            try roll.unlink("DCIM/gone")
            expectRefused(.noEntry) {
                _ = try roll.fileSystem.link(open.inode, to: FileName("x"), in: Roll.dcim, for: Roll.owner)
            }
            open.release()
        }
    }

    @Test func theRootTakesTrashesAlone() throws {
        try withRoll { roll in
            func mkdir(_ name: String, in parent: UInt64 = 1) -> Errno? {
                refusal {
                    _ = try roll.fileSystem.makeDirectory(FileName(name), in: parent, mode: 0o700, for: Roll.owner)
                }
            }
            let first = mkdir(".Trash-0")
            #expect(first == nil)
            for name in ["x", ".Trash", ".Trash-", ".Trash-x", ".Trash-0x", "Trash-0"] {
                #expect(mkdir(name) == .notPermitted)
            }
            #expect(mkdir(".Trash-0") == .exists)
            expectRefused(.notPermitted) { _ = try roll.create("a.jpg") }
            expectRefused(.notPermitted) {
                try roll.fileSystem.removeDirectory(FileName("DCIM"), in: 1, for: Roll.owner)
            }
            expectRefused(.notPermitted) {
                try roll.fileSystem.removeDirectory(FileName("Dates"), in: 1, for: Roll.owner)
            }
            expectRefused(.notPermitted) { try roll.rename("DCIM", "Dates") }
            expectRefused(.notPermitted) { try roll.rename(".Trash-0", "DCIM/x") }
            #expect(mkdir("x", in: roll.viewInode) == .notPermitted)
            let names = try roll.names("")
            #expect(names.contains("DCIM"))
            #expect(names.contains("Recently Deleted"))
        }
    }

    @Test func trashThroughViews() throws {
        try withRoll { roll in
            let inode = try roll.add("DCIM/sub/a.jpg", Picture.jpeg(1, date: "2024:05:17 10:00:00"))
            let sub = try roll.inode("DCIM/sub")
            try roll.unlink("Dates/2024/2024-05/2024-05-17/a.jpg")
            #expect(try roll.names("DCIM/sub") == [])
            #expect(try roll.names("Recently Added") == [])
            let gone = RecordingNotifier.Notice.entry(parent: sub, name: try FileName("a.jpg"))
            #expect(roll.notifier.notices.contains(gone))
            #expect(try roll.inode("Recently Deleted/a.jpg") == inode)
            #expect(try roll.names("Dates") == [])
            expectRefused(.noEntry) { _ = try roll.inode("Dates/2024") }
            try roll.rename("Recently Deleted/a.jpg", "DCIM/back.jpg")
            #expect(try roll.bytes("DCIM/back.jpg") == Picture.jpeg(1, date: "2024:05:17 10:00:00"))
            try roll.rename("DCIM/back.jpg", "Recently Deleted/back.jpg")
            #expect(try roll.names("DCIM") == ["sub"])
            #expect(try roll.names("Recently Deleted") == ["a.jpg"])
            try roll.unlink("Recently Deleted/a.jpg")
            #expect(try roll.names("Recently Deleted") == [])
            expectRefused(.stale) { _ = try roll.fileSystem.attributes(of: inode, handle: nil, for: Roll.owner) }
        }
    }

    @Test func viewsTakeNoOtherChange() throws {
        try withRoll { roll in
            try roll.add("DCIM/a.jpg", Picture.jpeg(1))
            try roll.add("DCIM/note.part", [1])
            expectRefused(.notPermitted) { _ = try roll.create("Recently Added/x.jpg") }
            expectRefused(.notPermitted) { _ = try roll.create("Recently Deleted/x.jpg") }
            expectRefused(.notPermitted) { try roll.rename("DCIM/a.jpg", "Recently Added/b.jpg") }
            // Out of a view it moves where it lies.
            try roll.rename("Recently Added/a.jpg", "DCIM/b.jpg")
            #expect(try roll.names("DCIM") == ["b.jpg", "note.part"])
            try roll.rename("DCIM/b.jpg", "DCIM/a.jpg")
            expectRefused(.notPermitted) { try roll.rename("DCIM/note.part", "Recently Deleted/note.part") }
            expectRefused(.notPermitted) { try roll.rename("DCIM/a.jpg", "Recently Deleted/a.jpg", .exchange) }
            expectRefused(.isDirectory) { _ = try roll.open(inode: roll.viewInode) }
            expectRefused(.invalid) { _ = try roll.fileSystem.readLink(roll.viewInode, for: Roll.owner) }
            var change = AttributeChange()
            change.mode = 0o700
            expectRefused(.notPermitted) {
                _ = try roll.fileSystem.setAttributes(of: roll.viewInode, to: change, handle: nil, for: Roll.owner)
            }
        }
    }

    @Test func attributesAreKept() throws {
        try withRoll { roll in
            let inode = try roll.add("DCIM/a.jpg", Picture.jpeg(1, date: "2024:05:17 10:00:00"))
            let captured: Int64 = 1_715_940_000_000_000_000
            let taken = try roll.attributes("DCIM/a.jpg")
            #expect(taken.modificationTime == captured)
            var change = AttributeChange()
            change.mode = 0o4711
            change.uid = 5
            change.gid = 6
            change.modificationTime = .to(-1_500_000_000)
            change.accessTime = .to(7)
            let after = try roll.fileSystem.setAttributes(of: inode, to: change, handle: nil, for: Roll.owner)
                .attributes
            #expect(after.mode == 0o104711)
            #expect(after.uid == 5)
            #expect(after.gid == 6)
            #expect(after.modificationTime == -1_500_000_000)
            #expect(after.accessTime == 7)
            // A write makes the time untrue.
            let file = try roll.open("DCIM/a.jpg")
            try file.write([1], at: Int64(Picture.jpeg(1, date: "2024:05:17 10:00:00").count))
            let written = try file.attributes()
            #expect(written.modificationTime > captured)
            try file.close()
        }
    }
}

extension Roll {
    /// The inode of `Dates`.
    var viewInode: UInt64 { (try? inode("Dates")) ?? 0 }
}
