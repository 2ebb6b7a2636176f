import PhotoLibrary
import Platform
import Support
import Testing

@Suite struct EditTests {
    private static let date = "2024:05:17 10:00:00"
    private static let original = Picture.jpeg(1, look: 1, date: date)
    private static let edited = Picture.jpeg(2, look: 2, date: date)
    private static let editedAgain = Picture.jpeg(3, look: 3, date: date)
    private static let other = Picture.jpeg(4, look: 4, date: "2023:01:01 12:00:00")

    @Test func theSameBytesChangeNothing() throws {
        try withLibrary { library in
            let before = try library.asset("DCIM/a.jpg", Self.original)
            #expect(try library.overwrite("DCIM/a.jpg", Self.original).isUnchanged)
            let after = try library.node("DCIM/a.jpg")
            #expect(after.id == before.id && after.file == before.file && after.changed == before.changed)
            #expect(try !library.record("DCIM/a.jpg").isEdited)
            #expect(try library.stored("staging") == [] && library.stored("renders") == [])
        }
    }

    @Test func theSamePictureIsAnEdit() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Self.original)
            #expect(try library.overwrite("DCIM/a.jpg", Self.edited).isAsset)
            #expect(try library.node("DCIM/a.jpg").id == node.id)
            #expect(try library.node("DCIM/a.jpg").asset == node.asset)
            #expect(try library.bytes("DCIM/a.jpg") == Self.edited)
            #expect(try library.record("DCIM/a.jpg").isEdited)
            #expect(try library.names("DCIM") == ["a.jpg"])
            #expect(try library.stored("originals").count == 1 && library.stored("renders").count == 1)
            #expect(try Files.read("\(library.path)/\(try #require(node.file))") == Self.original)
            #expect(
                try library.sql("SELECT type, version FROM resource ORDER BY version") == ["1|0", "5|1"])
            // The next edit replaces the last one's bytes, never the original.
            #expect(try library.overwrite("DCIM/a.jpg", Self.editedAgain).isAsset)
            #expect(try library.sql("SELECT type, version FROM resource ORDER BY version") == ["1|0", "5|2"])
            #expect(try library.stored("renders").count == 1)
            #expect(try Files.read("\(library.path)/\(try #require(node.file))") == Self.original)
        }
    }

    @Test func theOriginalsBytesRevert() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Self.original)
            _ = try library.overwrite("DCIM/a.jpg", Self.edited)
            #expect(try library.overwrite("DCIM/a.jpg", Self.original).isAsset)
            let record = try library.record("DCIM/a.jpg")
            #expect(!record.isEdited && record.node.file == node.file && record.node.id == node.id)
            #expect(try library.bytes("DCIM/a.jpg") == Self.original)
            #expect(try library.stored("renders") == [])
        }
    }

    /// An edited asset whose original came again has a twin once it is reverted. Its own bytes are still its own.
    @Test func theSameBytesChangeNothingWhereATwinHasThemToo() throws {
        for turn in [false, true] {
            try withLibrary { library in
                try library.asset("DCIM/a.jpg", Self.original)
                _ = try library.overwrite("DCIM/a.jpg", Self.edited)
                try library.asset("DCIM/twin.jpg", Self.original)
                #expect(try library.overwrite("DCIM/a.jpg", Self.original).isAsset)
                let path = turn ? "DCIM/twin.jpg" : "DCIM/a.jpg"
                #expect(try library.overwrite(path, Self.original).isUnchanged)
                #expect(try library.names("DCIM") == ["a.jpg", "twin.jpg"])
                // The same by a temporary file and a rename.
                try library.add("DCIM/x.tmp", Self.original)
                try library.rename("DCIM/x.tmp", path)
                #expect(try library.names("DCIM") == ["a.jpg", "twin.jpg"])
            }
        }
    }

    @Test func aDifferentPictureMakesTheOldOneStepAside() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Self.original)
            try library.library.setExtendedAttribute(
                "user.note", of: node.id, to: [1, 2], rule: .createOrReplace)
            #expect(try library.overwrite("DCIM/a.jpg", Self.other).isAsset)
            #expect(try library.names("DCIM") == ["a.jpg", "a~1.jpg"])
            #expect(try library.node("DCIM/a.jpg").id == node.id)
            #expect(try library.bytes("DCIM/a.jpg") == Self.other)
            #expect(try library.bytes("DCIM/a~1.jpg") == Self.original)
            let aside = try library.node("DCIM/a~1.jpg")
            #expect(aside.asset == node.asset && aside.displayName == node.displayName)
            #expect(try library.library.extendedAttribute("user.note", of: aside.id) == [1, 2])
            #expect(refusal { _ = try library.library.extendedAttribute("user.note", of: node.id) } == .noData)
            #expect(try library.node("DCIM/a.jpg").asset != node.asset)
        }
    }

    /// A program that saved beside its picture, in a file that became an asset already, and now renames it over the picture.
    @Test func anAssetRenamedOverItsPictureIsAnEdit() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Self.original)
            let saved = try library.asset("DCIM/saved.jpg", Self.edited)
            try library.rename("DCIM/saved.jpg", "DCIM/a.jpg")
            #expect(try library.names("DCIM") == ["a.jpg"])
            #expect(try library.node("DCIM/a.jpg").asset == node.asset)
            #expect(try library.node("DCIM/a.jpg").id == saved.id)
            #expect(try library.bytes("DCIM/a.jpg") == Self.edited)
            #expect(try library.stored("originals").count == 1 && library.stored("renders").count == 1)
            #expect(try Files.read("\(library.path)/\(try #require(node.file))") == Self.original)
        }
    }

    @Test func steppingAsideWithSeveralNames() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Self.original)
            _ = try library.library.link(node.id, to: FileName("b.jpg"), in: Library.cameraRollNode)
            _ = try library.library.link(node.id, to: FileName("c.jpg"), in: library.directory("DCIM/sub"))
            let draft = try library.draft("DCIM/b.jpg", Self.other)
            let written = WrittenName(parent: Library.cameraRollNode, name: try FileName("b.jpg"))
            _ = try library.library.commitDraft(
                draft, of: node.id, amends: false, written: written, client: "user:1")
            #expect(try library.names("DCIM") == ["a.jpg", "b.jpg", "b~1.jpg", "sub"])
            #expect(try library.bytes("DCIM/b.jpg") == Self.other)
            for path in ["DCIM/a.jpg", "DCIM/b~1.jpg", "DCIM/sub/c.jpg"] {
                #expect(try library.bytes(path) == Self.original)
            }
        }
    }

    @Test func writingAnotherAssetsBytesGivesTheNameToIt() throws {
        try withLibrary { library in
            let first = try library.asset("DCIM/a.jpg", Self.original)
            let second = try library.asset("DCIM/b.jpg", Self.other)
            #expect(try library.overwrite("DCIM/a.jpg", Self.other).mergedNode == second.id)
            #expect(try library.node("DCIM/a.jpg").id == second.id)
            #expect(try library.node("DCIM/b.jpg").links == 2)
            #expect(try library.names("DCIM") == ["a.jpg", "a~1.jpg", "b.jpg"])
            #expect(try library.bytes("DCIM/a~1.jpg") == Self.original)
            #expect(try library.node("DCIM/a~1.jpg").asset == first.asset)
        }
    }

    @Test func refusedBytesChangeNothingAndAreKeptBeside() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Self.original)
            let draft = try library.draft("DCIM/a.jpg", Picture.cutOff(9))
            do throws(CommitFailure) {
                _ = try library.library.commitDraft(draft, of: node.id, amends: false, written: nil, client: "u")
                Issue.record("not refused")
            } catch {
                guard case .refused(let reason) = error else { throw error }
                _ = try library.library.keep(draft, of: node.id, written: nil, reason: reason)
                #expect(try library.node("DCIM/a~1.jpg").reason == reason)
            }
            #expect(try library.bytes("DCIM/a.jpg") == Self.original)
            #expect(try library.bytes("DCIM/a~1.jpg") == Picture.cutOff(9))
            #expect(try library.node("DCIM/a~1.jpg").kind == .pending)
            let empty = try library.draft("DCIM/a.jpg", [])
            #expect(
                refusal {
                    _ = try library.library.commitDraft(empty, of: node.id, amends: false, written: nil, client: "u")
                } == .invalid)
            #expect(try library.library.keep(empty, of: node.id, written: nil, reason: "empty") == nil)
        }
    }

    @Test func amendingReplacesTheVersionThatWasNotDone() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Self.original)
            #expect(try library.overwrite("DCIM/a.jpg", Self.other, amends: true).isAsset)
            #expect(try library.node("DCIM/a.jpg").asset == node.asset)
            #expect(try library.bytes("DCIM/a.jpg") == Self.other)
            #expect(try !library.record("DCIM/a.jpg").isEdited)
            #expect(try library.record("DCIM/a.jpg").capturedText.hasPrefix("2023-01-01T12"))
            // It is an original, and lies where originals lie.
            #expect(try library.stored("originals").count == 1 && library.stored("renders") == [])
            // An edit's version is amended in its place.
            _ = try library.overwrite("DCIM/a.jpg", Picture.jpeg(7, look: 4, date: "2023:01:01 12:00:00"))
            #expect(
                try library.overwrite("DCIM/a.jpg", Picture.jpeg(8, look: 5, date: Self.date), amends: true).isAsset)
            #expect(try library.stored("originals").count == 1 && library.stored("renders").count == 1)
            #expect(try library.record("DCIM/a.jpg").isEdited)
        }
    }

    @Test func amendingToAMovieMakesAMovieOfIt() throws {
        try withLibrary { library in
            try library.asset("DCIM/a", Self.original)
            #expect(try library.overwrite("DCIM/a", Generated.movie("mp4"), amends: true).isAsset)
            #expect(try library.record("DCIM/a").isVideo)
            #expect(try library.sql("SELECT type FROM resource") == ["2"])
        }
    }

    @Test func amendingToBytesThatAreThereAlready() throws {
        try withLibrary { library in
            let other = try library.asset("DCIM/b.jpg", Self.other)
            try library.asset("DCIM/a.jpg", Self.original)
            #expect(try library.overwrite("DCIM/a.jpg", Self.other, amends: true).mergedNode == other.id)
            #expect(try library.names("DCIM") == ["a.jpg", "b.jpg"])
            #expect(try library.stored("originals").count == 1)
        }
    }

    /// A half-written original is replaced; an edited asset's original never goes with its edit.
    @Test func amendingAnEditToAnotherAssetsBytesKeepsTheOriginal() throws {
        try withLibrary { library in
            try library.asset("DCIM/b.jpg", Self.other)
            try library.asset("DCIM/a.jpg", Self.original)
            _ = try library.overwrite("DCIM/a.jpg", Self.edited)
            _ = try library.overwrite("DCIM/a.jpg", Self.other, amends: true)
            let files = try library.stored("originals").map { try Files.read("\(library.path)/originals/\($0)") }
            #expect(files.contains(Self.original))
        }
    }

    @Test func anAssetDeletedWhileItWasWrittenStaysDeleted() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Self.original)
            let draft = try library.draft("DCIM/a.jpg", Self.edited)
            try library.unlink("DCIM/a.jpg")
            #expect(
                try library.library.commitDraft(draft, of: node.id, amends: false, written: nil, client: "u")
                    .isUnchanged)
            #expect(try library.stored("staging") == [])
            #expect(try library.library.trash().count == 1)
        }
    }

    @Test func aMergeIsUndoneForAFileThatIsWrittenOn() throws {
        for deletedFirst in [false, true] {
            try withLibrary { library in
                let target = try library.asset("DCIM/a.jpg", Self.original)
                if deletedFirst { try library.unlink("DCIM/a.jpg") }
                let made = try library.write("DCIM/b.jpg", Self.original)
                let names = try library.library.names(of: made.node.id)
                let outcome = try library.library.commitPending(made.node.id, file: made.file, client: "u")
                #expect(outcome.mergedNode == target.id)
                let draft = try library.library.makeDraft(of: made.node.id, copying: made.file)
                #expect(
                    try library.library.separate(made.node, from: target.id, names: names, draft: draft))
                #expect(try library.node("DCIM/b.jpg").id == made.node.id)
                #expect(try library.exists("DCIM/a.jpg") == !deletedFirst)
                #expect(try library.library.trash().count == (deletedFirst ? 1 : 0))
                try Self.other.withUnsafeBytes { try draft.file.writeFully($0, at: 0) }
                try draft.file.truncate(to: Int64(Self.other.count))
                #expect(
                    try library.library.commitPending(made.node.id, file: draft.file, client: "u").isAsset)
                #expect(try library.bytes("DCIM/b.jpg") == Self.other)
            }
        }
    }
}
