import PhotoLibrary
import Platform
import Support
import Testing

@Suite struct RenameTests {
    private static let date = "2024:05:17 10:00:00"
    private static let one = Picture.jpeg(1, look: 1, date: date)
    private static let edited = Picture.jpeg(2, look: 2, date: date)
    private static let other = Picture.jpeg(3, look: 3, date: "2023:01:01 12:00:00")

    @Test func aTemporaryFileBecomesAnAssetWithItsName() throws {
        try withLibrary { library in
            let made = try library.write("DCIM/.a.jpg.Ab12Cd", Self.one)
            #expect(
                try library.library.commitPending(made.node.id, file: made.file, client: "u").isKept)
            let outcome = try library.rename("DCIM/.a.jpg.Ab12Cd", "DCIM/a.jpg")
            #expect(outcome.becameAsset && outcome.gone.isEmpty && outcome.mergedInto == nil)
            let node = try library.node("DCIM/a.jpg")
            #expect(node.id == made.node.id && node.kind == .asset && node.displayName?.description == "a.jpg")
            #expect(try library.names("DCIM") == ["a.jpg"])
        }
    }

    @Test func aTemporaryFileWithKnownBytesBecomesAnotherName() throws {
        try withLibrary { library in
            let first = try library.asset("DCIM/a.jpg", Self.one)
            try library.add("DCIM/b.jpg.part", Self.one)
            #expect(try library.rename("DCIM/b.jpg.part", "DCIM/b.jpg").mergedInto == first.id)
            #expect(try library.node("DCIM/b.jpg").id == first.id)
        }
    }

    @Test func aTemporaryFileThatIsNoPictureIsRefusedAndStays() throws {
        try withLibrary { library in
            try library.add("DCIM/a.jpg.part", Picture.cutOff(1))
            #expect(refusal { try library.rename("DCIM/a.jpg.part", "DCIM/a.jpg") } == .invalid)
            #expect(try library.names("DCIM") == ["a.jpg.part"])
            #expect(try library.bytes("DCIM/a.jpg.part") == Picture.cutOff(1))
            #expect(try library.node("DCIM/a.jpg.part").reason != nil)
        }
    }

    @Test func safeSaveIsAnEdit() throws {
        try withLibrary { library in
            let before = try library.asset("DCIM/a.jpg", Self.one)
            _ = try library.library.link(before.id, to: FileName("second.jpg"), in: Library.cameraRollNode)
            try library.library.setExtendedAttribute("user.note", of: before.id, to: [1], rule: .create)
            try library.add("DCIM/a.jpg.tmp", Self.edited)
            let outcome = try library.rename("DCIM/a.jpg.tmp", "DCIM/a.jpg")
            #expect(outcome.becameAsset && outcome.gone.map(\.id) == [before.id])
            let after = try library.node("DCIM/a.jpg")
            #expect(after.asset == before.asset && after.displayName == before.displayName && after.links == 2)
            #expect(try library.record("DCIM/a.jpg").isEdited)
            #expect(try library.bytes("DCIM/second.jpg") == Self.edited)
            #expect(try library.library.extendedAttribute("user.note", of: after.id) == [1])
            #expect(try library.names("DCIM") == ["a.jpg", "second.jpg"])
            // Saved back: the edit is reverted.
            try library.add("DCIM/b.tmp", Self.one)
            try library.rename("DCIM/b.tmp", "DCIM/a.jpg")
            #expect(try !library.record("DCIM/a.jpg").isEdited)
            #expect(try library.stored("renders") == [] && library.stored("originals").count == 1)
        }
    }

    @Test func aRevertComesBeforeATwin() throws {
        try withLibrary { library in
            let asset = try library.asset("DCIM/a.jpg", Self.one).asset
            _ = try library.overwrite("DCIM/a.jpg", Self.edited)
            try library.asset("DCIM/twin.jpg", Self.one)
            try library.add("DCIM/b.tmp", Self.one)
            try library.rename("DCIM/b.tmp", "DCIM/a.jpg")
            #expect(try library.node("DCIM/a.jpg").asset == asset)
            #expect(try !library.record("DCIM/a.jpg").isEdited)
            #expect(try library.names("DCIM") == ["a.jpg", "twin.jpg"])
        }
    }

    @Test func aDifferentPictureOverAnAsset() throws {
        try withLibrary { library in
            let before = try library.asset("DCIM/a.jpg", Self.one)
            try library.add("DCIM/a.jpg.tmp", Self.other)
            try library.rename("DCIM/a.jpg.tmp", "DCIM/a.jpg")
            #expect(try library.names("DCIM") == ["a.jpg", "a~1.jpg"])
            #expect(try library.node("DCIM/a~1.jpg").id == before.id)
            #expect(try library.bytes("DCIM/a~1.jpg") == Self.one)
            #expect(try library.bytes("DCIM/a.jpg") == Self.other)
        }
    }

    @Test func theSameBytesOverThemselves() throws {
        try withLibrary { library in
            let before = try library.asset("DCIM/a.jpg", Self.one)
            try library.add("DCIM/a.jpg.tmp", Self.one)
            #expect(try library.rename("DCIM/a.jpg.tmp", "DCIM/a.jpg").mergedInto == before.id)
            #expect(try library.names("DCIM") == ["a.jpg"])
            #expect(try library.node("DCIM/a.jpg").id == before.id)
            #expect(try library.node("DCIM/a.jpg").links == 1)
        }
    }

    @Test func anotherAssetsBytesOverAnAsset() throws {
        try withLibrary { library in
            let first = try library.asset("DCIM/a.jpg", Self.one)
            let second = try library.asset("DCIM/b.jpg", Self.other)
            try library.add("DCIM/x.tmp", Self.one)
            try library.rename("DCIM/x.tmp", "DCIM/b.jpg")
            #expect(try library.node("DCIM/b.jpg").id == first.id)
            #expect(try library.node("DCIM/b~1.jpg").id == second.id)
        }
    }

    @Test func brokenAndEmptyBytesNeverGoOverAnAsset() throws {
        try withLibrary { library in
            try library.asset("DCIM/a.jpg", Self.one)
            try library.add("DCIM/x.tmp", Picture.cutOff(1))
            try library.add("DCIM/y.tmp", [])
            try library.add("DCIM/Thumbs.db", [1, 2, 3])
            for name in ["x.tmp", "y.tmp", "Thumbs.db"] {
                #expect(refusal { try library.rename("DCIM/\(name)", "DCIM/a.jpg") } == .invalid)
            }
            #expect(try library.names("DCIM") == ["Thumbs.db", "a.jpg", "x.tmp", "y.tmp"])
            #expect(try library.bytes("DCIM/a.jpg") == Self.one)
        }
    }

    @Test func anAssetOverAnAsset() throws {
        try withLibrary { library in
            let first = try library.asset("DCIM/a.jpg", Self.one)
            let second = try library.asset("DCIM/b.jpg", Self.other)
            try library.rename("DCIM/a.jpg", "DCIM/b.jpg")
            #expect(try library.node("DCIM/b.jpg").id == first.id)
            #expect(try library.node("DCIM/b~1.jpg").id == second.id)
            #expect(try library.names("DCIM") == ["b.jpg", "b~1.jpg"])
        }
    }

    @Test func noReplaceAndTwoNamesOfOneFile() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Self.one)
            _ = try library.library.link(node.id, to: FileName("b.jpg"), in: Library.cameraRollNode)
            #expect(refusal { try library.rename("DCIM/a.jpg", "DCIM/b.jpg", mayReplace: false) } == .exists)
            try library.rename("DCIM/a.jpg", "DCIM/b.jpg")
            #expect(try library.names("DCIM") == ["a.jpg", "b.jpg"])
            try library.rename("DCIM/a.jpg", "DCIM/c.jpg", mayReplace: false)
            #expect(try library.names("DCIM") == ["b.jpg", "c.jpg"])
            #expect(refusal { try library.rename("DCIM/missing", "DCIM/x") } == .noEntry)
        }
    }

    @Test func directories() throws {
        try withLibrary { library in
            try library.asset("DCIM/a/b/one.jpg", Self.one)
            _ = try library.directory("DCIM/empty")
            _ = try library.directory("DCIM/full/inside")
            #expect(refusal { try library.rename("DCIM/a", "DCIM/a/b/c") } == .invalid)
            #expect(refusal { try library.rename("DCIM/a", "DCIM/a/a") } == .invalid)
            #expect(refusal { try library.rename("DCIM/a/b", "DCIM/a") } == .notEmpty)
            #expect(refusal { try library.rename("DCIM/a", "DCIM/full") } == .notEmpty)
            #expect(refusal { try library.rename("DCIM/a", "DCIM/a/b/one.jpg") } == .invalid)
            #expect(refusal { try library.rename("DCIM/full", "DCIM/a/b/one.jpg") } == .notDirectory)
            #expect(refusal { try library.rename("DCIM/a/b/one.jpg", "DCIM/full") } == .isDirectory)
            try library.rename("DCIM/a", "DCIM/empty")
            #expect(try library.bytes("DCIM/empty/b/one.jpg") == Self.one)
            try library.rename("DCIM/empty/b", "DCIM/full/b")
            #expect(try library.bytes("DCIM/full/b/one.jpg") == Self.one)
            #expect(refusal { try library.rename("DCIM", "Photos") } == .notPermitted)
            #expect(refusal { _ = try library.library.removeDirectory(FileName("full"), in: 2) } == .notEmpty)
            _ = try library.library.removeDirectory(FileName("empty"), in: 2)
            #expect(try library.names("DCIM") == ["full"])
        }
    }

    @Test func exchange() throws {
        try withLibrary { library in
            let roll = Library.cameraRollNode
            try library.asset("DCIM/a.jpg", Self.one)
            try library.asset("DCIM/sub/b.jpg", Self.other)
            _ = try library.directory("DCIM/deep/er")
            let sub = try library.node("DCIM/sub").id
            try library.library.exchange(FileName("a.jpg"), in: roll, with: FileName("b.jpg"), in: sub)
            #expect(try library.bytes("DCIM/a.jpg") == Self.other)
            #expect(try library.bytes("DCIM/sub/b.jpg") == Self.one)
            // A file with a directory.
            let deep = try library.node("DCIM/deep").id
            try library.library.exchange(FileName("a.jpg"), in: roll, with: FileName("er"), in: deep)
            #expect(try library.bytes("DCIM/deep/er") == Self.other)
            #expect(try library.node("DCIM/a.jpg").kind == .directory)
            #expect(
                refusal {
                    try library.library.exchange(FileName("deep"), in: roll, with: FileName("er"), in: deep)
                } == .invalid)
            #expect(
                refusal { try library.library.exchange(FileName("deep"), in: roll, with: FileName("no"), in: deep) }
                    == .noEntry)
        }
    }

    @Test func acrossRooms() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/trip/a.jpg", Self.one)
            _ = try library.directory(".Trash-0/files")
            try library.rename("DCIM/trip/a.jpg", ".Trash-0/files/a.jpg")
            #expect(try library.library.trash().map(\.origin) == ["DCIM/trip/a.jpg"])
            #expect(try library.node(".Trash-0/files/a.jpg").id == node.id)
            try library.rename(".Trash-0/files/a.jpg", "DCIM/trip/a.jpg")
            #expect(try library.library.trash().isEmpty)
            #expect(try library.record("DCIM/trip/a.jpg").deleted == nil)
            // Removed in the desktop trash: gone for good.
            try library.rename("DCIM/trip/a.jpg", ".Trash-0/files/a.jpg")
            #expect(try library.unlink(".Trash-0/files/a.jpg").isGone)
            #expect(try library.library.trash().isEmpty)
            #expect(try library.stored("originals") == [])
        }
    }

    @Test func aWholeDirectoryToTheDesktopTrashAndBack() throws {
        try withLibrary { library in
            try library.asset("DCIM/trip/a.jpg", Self.one)
            try library.asset("DCIM/trip/day/b.jpg", Self.other)
            let kept = try library.asset("DCIM/c.jpg", Picture.jpeg(9))
            _ = try library.library.link(kept.id, to: FileName("c.jpg"), in: library.directory("DCIM/trip"))
            try library.add("DCIM/trip/notes.part", [1])
            let twice = try library.asset("DCIM/trip/twice.jpg", Picture.jpeg(10))
            _ = try library.library.link(twice.id, to: FileName("again.jpg"), in: library.directory("DCIM/trip/day"))
            _ = try library.directory(".Trash-0/files")
            try library.rename("DCIM/trip", ".Trash-0/files/trip")
            #expect(
                try library.library.trash().compactMap(\.origin).sorted() == [
                    "DCIM/trip/a.jpg", "DCIM/trip/day/b.jpg", "DCIM/trip/twice.jpg",
                ])
            #expect(
                try library.sql("SELECT directory, name FROM trashed_name WHERE node = \(twice.id)") == [
                    "DCIM/trip|twice.jpg", "DCIM/trip/day|again.jpg",
                ])
            #expect(try LibraryInvariants.problems(in: library.path) == [])
            try library.rename(".Trash-0/files/trip", "DCIM/back")
            #expect(try library.library.trash().isEmpty)
            #expect(try library.bytes("DCIM/back/day/b.jpg") == Self.other)
            #expect(try library.node("DCIM/c.jpg").links == 2)
            #expect(refusal { try library.rename("DCIM/back", ".Trash-0/files/../x/y") } != nil)
        }
    }

    @Test func aRefusedFileToTheDesktopTrashAndBack() throws {
        try withLibrary { library in
            #expect(refusal { try library.add("DCIM/notes.txt", Array("hello".utf8)) } == .invalid)
            _ = try library.directory(".Trash-0/files")
            try library.rename("DCIM/notes.txt", ".Trash-0/files/notes.txt")
            #expect(try library.node(".Trash-0/files/notes.txt").kind == .plain)
            try library.rename(".Trash-0/files/notes.txt", "DCIM/notes.txt")
            #expect(try library.node("DCIM/notes.txt").kind == .pending)
            #expect(try library.node("DCIM/notes.txt").reason != nil)
            #expect(try library.bytes("DCIM/notes.txt") == Array("hello".utf8))
            // Moved about like any file.
            try library.rename("DCIM/notes.txt", "DCIM/notes2.txt")
            #expect(try library.exists("DCIM/notes2.txt"))
        }
    }

    @Test func plainFiles() throws {
        try withLibrary { library in
            try library.add("DCIM/Thumbs.db", Self.one)
            try library.rename("DCIM/Thumbs.db", "DCIM/a.jpg")
            #expect(try library.node("DCIM/a.jpg").kind == .asset)
            try library.add("DCIM/x.part", [1, 2])
            try library.rename("DCIM/x.part", "DCIM/x.json")
            #expect(try library.node("DCIM/x.json").kind == .plain)
            try library.add("DCIM/y.json", [3])
            #expect(try library.rename("DCIM/y.json", "DCIM/x.json").gone.count == 1)
            #expect(try library.bytes("DCIM/x.json") == [3])
        }
    }

    @Test func aFileThatIsStillWrittenMayBeRenamed() throws {
        try withLibrary { library in
            let half = try library.write("DCIM/a.part", Picture.cutOff(1))
            #expect(try !library.rename("DCIM/a.part", "DCIM/a.jpg", openFile: half.file).becameAsset)
            #expect(try library.node("DCIM/a.jpg").kind == .pending)
            try Picture.jpeg(1).withUnsafeBytes { try half.file.writeFully($0, at: 0) }
            #expect(try library.library.commitPending(half.node.id, file: half.file, client: "u").isAsset)
            // Never over an asset while it is half.
            let second = try library.write("DCIM/b.part", Picture.cutOff(2))
            #expect(refusal { try library.rename("DCIM/b.part", "DCIM/a.jpg", openFile: second.file) } == .invalid)
        }
    }

    @Test func linksAndLinkCounts() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Self.one)
            let roll = Library.cameraRollNode
            #expect(try library.library.link(node.id, to: FileName("b.jpg"), in: roll).links == 2)
            #expect(refusal { _ = try library.library.link(node.id, to: FileName("b.jpg"), in: roll) } == .exists)
            #expect(refusal { _ = try library.library.link(roll, to: FileName("d"), in: roll) } == .notPermitted)
            #expect(refusal { _ = try library.library.link(node.id, to: FileName("x"), in: 999) } == .noEntry)
            #expect(refusal { _ = try library.library.link(node.id, to: FileName("x"), in: node.id) } == .notDirectory)
            #expect(refusal { _ = try library.library.link(99_999, to: FileName("x"), in: roll) } == .stale)
            #expect(try library.unlink("DCIM/b.jpg").isGone == false)
            #expect(try library.node("DCIM/a.jpg").links == 1)
            #expect(try library.node("DCIM").links == 2)
            _ = try library.directory("DCIM/x/y")
            #expect(try library.node("DCIM").links == 3)
            #expect(refusal { try library.unlink("DCIM/x") } == .isDirectory)
            #expect(refusal { _ = try library.library.removeDirectory(FileName("a.jpg"), in: roll) } == .notDirectory)
            #expect(refusal { _ = try library.library.removeDirectory(FileName("DCIM"), in: 1) } == .notPermitted)
            let special = try library.library.makeNode(
                FileName("fifo"), in: roll, mode: 0o010644, owner: TestLibrary.owner)
            #expect(special.kind == .special)
            let link = try library.library.makeNode(
                FileName("link"), in: roll, mode: 0o120777, target: Array("../é\0".utf8), owner: TestLibrary.owner)
            #expect(try library.library.symbolicLinkTarget(link.id) == Array("../é\0".utf8))
            #expect(try library.unlink("DCIM/link").isGone)
        }
    }
}
