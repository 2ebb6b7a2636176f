import PhotoLibrary
import Platform
import Support
import Testing

@Suite struct TrashTests {
    @Test func deletedAndRestored() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/trip/a.jpg", Picture.jpeg(1))
            #expect(try !library.unlink("DCIM/trip/a.jpg").isGone)
            let trashed = try #require(try library.library.trash().first)
            #expect(trashed.node.id == node.id && trashed.name.description == "a.jpg")
            #expect(try library.library.trashed(named: FileName("a.jpg"))?.id == node.id)
            #expect(try library.library.asset(displayedAs: FileName("a.jpg")) == nil)
            #expect(Files.exists("\(library.path)/\(try #require(node.file))"))
            #expect(try library.library.restore(node.id) == ["DCIM/trip/a.jpg"])
            #expect(try library.node("DCIM/trip/a.jpg").id == node.id)
            #expect(try library.library.trash().isEmpty)
        }
    }

    @Test func severalNamesComeBack() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            _ = try library.library.link(node.id, to: FileName("b.jpg"), in: library.directory("DCIM/sub"))
            let names = try library.library.moveToTrash(node.id)
            #expect(names.count == 2)
            #expect(try library.library.restore(node.id).sorted() == ["DCIM/a.jpg", "DCIM/sub/b.jpg"])
            #expect(try library.node("DCIM/a.jpg").links == 2)
        }
    }

    @Test func restoringWhereTheDirectoryIsGone() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/x/y/a.jpg", Picture.jpeg(1))
            try library.unlink("DCIM/x/y/a.jpg")
            _ = try library.library.removeDirectory(FileName("y"), in: library.node("DCIM/x").id)
            _ = try library.library.removeDirectory(FileName("x"), in: Library.cameraRollNode)
            #expect(try library.library.restore(node.id) == ["DCIM/x/y/a.jpg"])
            #expect(try library.bytes("DCIM/x/y/a.jpg") == Picture.jpeg(1))
        }
    }

    @Test func restoringWhereTheNameIsTaken() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            try library.unlink("DCIM/a.jpg")
            let newer = try library.asset("DCIM/a.jpg", Picture.jpeg(2))
            #expect(try library.library.restore(node.id) == ["DCIM/a~1.jpg"])
            #expect(try library.node("DCIM/a.jpg").id == newer.id)
        }
    }

    @Test func restoringWhereAFileHasTheDirectorysName() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/x/a.jpg", Picture.jpeg(1))
            try library.unlink("DCIM/x/a.jpg")
            _ = try library.library.removeDirectory(FileName("x"), in: Library.cameraRollNode)
            try library.asset("DCIM/x", Picture.jpeg(2))
            #expect(try library.library.restore(node.id) == ["DCIM/a.jpg"])
        }
    }

    @Test func restoringUnderAnotherName() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            try library.unlink("DCIM/a.jpg")
            let other = try library.asset("DCIM/b.jpg", Picture.jpeg(2))
            let roll = Library.cameraRollNode
            #expect(
                refusal { try library.library.restore(node.id, as: FileName("b.jpg"), in: roll, mayReplace: false) }
                    == .exists)
            #expect(
                refusal { try library.library.restore(node.id, as: FileName("x"), in: 1, mayReplace: true) }
                    == .notPermitted)
            try library.library.restore(node.id, as: FileName("b.jpg"), in: roll, mayReplace: true)
            #expect(try library.node("DCIM/b.jpg").id == node.id)
            #expect(try library.node("DCIM/b~1.jpg").id == other.id)
            #expect(
                refusal { try library.library.restore(99_999, as: FileName("x"), in: roll, mayReplace: true) } != nil)
        }
    }

    @Test func purgingRemovesEveryFile() throws {
        try withLibrary { library in
            let date = "2024:01:01 00:00:00"
            let node = try library.asset("DCIM/a.jpg", Picture.jpeg(1, look: 1, date: date))
            _ = try library.overwrite("DCIM/a.jpg", Picture.jpeg(2, look: 2, date: date))
            try library.library.setExtendedAttribute("user.x", of: node.id, to: [1], rule: .create)
            try library.unlink("DCIM/a.jpg")
            try library.library.purge(node.id)
            #expect(try library.stored("originals") == [] && library.stored("renders") == [])
            for table in ["asset", "resource", "extended_attribute", "trashed_name", "doomed_file"] {
                #expect(try library.sql("SELECT count(*) FROM \(table)") == ["0"])
            }
            #expect(refusal { try library.library.purge(node.id) } == .noEntry)
        }
    }

    /// Between a look at Recently Deleted and the purge, the same picture may have been copied in again.
    @Test func whatCameBackIsNotPurged() throws {
        try withLibrary { library in
            let node = try library.asset("DCIM/a.jpg", Picture.jpeg(1))
            try library.unlink("DCIM/a.jpg")
            try library.add("DCIM/b.jpg", Picture.jpeg(1))
            #expect(refusal { try library.library.purge(node.id) } == .noEntry)
            #expect(try library.library.purgeTrash(deletedBefore: Int64.max) == 0)
            #expect(try library.bytes("DCIM/b.jpg") == Picture.jpeg(1))
        }
    }

    @Test func copyingInWhileTheTrashIsEmptied() throws {
        try withLibrary { library in
            for number in 0..<30 { try library.asset("DCIM/\(number).jpg", Picture.jpeg(UInt64(number))) }
            let failures = Lock([String]())
            for _ in 0..<3 {
                for name in try library.names("DCIM") { try library.unlink("DCIM/\(name)") }
                let shared = library.library
                let emptier = try Platform.Thread(name: "emptier") {
                    for _ in 0..<20 { _ = try? shared.purgeTrash(deletedBefore: .max) }
                }
                for number in 0..<30 {
                    _ = try library.add("DCIM/\(number).jpg", Picture.jpeg(UInt64(number)))
                    let bytes = try? library.bytes("DCIM/\(number).jpg")
                    if bytes != Picture.jpeg(UInt64(number)) { failures.withLock { $0.append("\(number)") } }
                }
                emptier.join()
            }
            #expect(failures.withLock { $0 } == [])
            #expect(try library.names("DCIM").count == 30)
        }
    }

    @Test func onlyWhatIsOldEnoughExpires() throws {
        try withLibrary { library in
            for number in 1...5 {
                try library.asset("DCIM/\(number).jpg", Picture.jpeg(UInt64(number)))
                try library.unlink("DCIM/\(number).jpg")
            }
            let now = Clock.now()
            try library.sql("UPDATE asset SET trashed_at = \(now - Library.trashLifetime - 1_000_000_000) WHERE id < 4")
            #expect(try library.library.purgeTrash(deletedBefore: now - Library.trashLifetime) == 3)
            #expect(try library.library.trash().count == 2)
            #expect(try library.stored("originals").count == 2)
        }
    }

    @Test func manyExpireAtOnce() throws {
        try withLibrary { library in
            for number in 1...300 {
                try library.asset("DCIM/\(number).jpg", Picture.jpeg(UInt64(number)))
            }
            for number in 1...300 { try library.unlink("DCIM/\(number).jpg") }
            #expect(try library.library.purgeTrash(deletedBefore: Clock.now() + 1) == 300)
            #expect(try library.stored("originals") == [])
        }
    }
}
