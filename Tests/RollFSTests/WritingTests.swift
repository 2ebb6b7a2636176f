import FUSE
import Glibc
import PhotoLibrary
import Platform
import RollFS
import Support
import Testing

@Suite struct WritingTests {
    private static let date = "2024:05:17 10:00:00"

    @Test func createWriteClose() throws {
        try withRoll { roll in
            let file = try roll.create("DCIM/100APPLE/a.jpg")
            #expect(try roll.state(file.inode) == "pending")
            let bytes = Picture.jpeg(1, date: Self.date)
            // In pieces, out of order.
            try file.write(Array(bytes[500...]), at: 500)
            try file.write(Array(bytes[..<500]), at: 0)
            #expect(try file.attributes().size == Int64(bytes.count))
            #expect(try file.read() == bytes)
            try file.flush()
            #expect(try roll.state(file.inode) == "asset")
            // The descriptor goes on showing the same file.
            #expect(try file.read() == bytes)
            #expect(try file.attributes().inode == file.inode)
            #expect(try file.attributes().size == Int64(bytes.count))
            try file.flush()
            try file.flush()
            file.release()
            #expect(try roll.bytes("DCIM/100APPLE/a.jpg") == bytes)
            #expect(try roll.inode("DCIM/100APPLE/a.jpg") == file.inode)
            #expect(try roll.inode("Dates/2024/2024-05/2024-05-17/a.jpg") == file.inode)
        }
    }

    @Test func aFileThatIsReleasedWithoutAClose() throws {
        try withRoll { roll in
            let file = try roll.create("DCIM/a.jpg")
            try file.write(Picture.jpeg(1), at: 0)
            file.release()
            #expect(try roll.state(roll.inode("DCIM/a.jpg")) == "asset")
        }
    }

    @Test func refusedBytesStayAndEveryCloseSaysSo() throws {
        try withRoll { roll in
            let file = try roll.create("DCIM/a.jpg")
            try file.write(Picture.cutOff(1), at: 0)
            for _ in 0..<3 { expectRefused(.invalid) { try file.flush() } }
            file.release()
            #expect(try roll.bytes("DCIM/a.jpg") == Picture.cutOff(1))
            let inode = try roll.inode("DCIM/a.jpg")
            #expect(try roll.state(inode) == "pending")
            #expect(
                try roll.fileSystem.extendedAttribute("user.cameraroll.error", of: inode, for: Roll.owner).count > 10)
            // Appended to and closed again.
            let again = try roll.open("DCIM/a.jpg")
            try again.write(Array(Picture.jpeg(1)[600...]), at: 600)
            try again.close()
            #expect(try roll.state(inode) == "asset")
            #expect(try Files.text("\(roll.path)/logs/events.jsonl").split(separator: "\n").count == 1)
        }
    }

    @Test func twoDescriptorsOfOneFile() throws {
        try withRoll { roll in
            let one = try roll.create("DCIM/a.jpg")
            let other = try roll.open(inode: one.inode)
            let bytes = Picture.jpeg(1)
            try one.write(Array(bytes[..<300]), at: 0)
            #expect(try other.read() == Array(bytes[..<300]))
            try one.close()
            #expect(try roll.state(one.inode) == "pending")
            try other.write(Array(bytes[300...]), at: 300)
            try other.close()
            #expect(try roll.state(one.inode) == "asset")
            #expect(try roll.bytes("DCIM/a.jpg") == bytes)
        }
    }

    /// The kernel sends the release of a descriptor some time after its close.
    @Test func theLastCloseCommitsThoughAnEarlierReleaseIsLate() throws {
        try withRoll { roll in
            let one = try roll.create("DCIM/a.jpg")
            try one.flush()
            let other = try roll.open(inode: one.inode, O_WRONLY)
            try other.write(Picture.cutOff(1), at: 0)
            expectRefused(.invalid) { try other.flush() }
            try other.write(Picture.jpeg(1), at: 0)
            try other.flush()
            #expect(try roll.state(one.inode) == "asset")
            one.release()
            other.release()
        }
    }

    /// A descriptor that was closed and is written through after all has a duplicate somewhere.
    @Test func aWriteAfterACloseTakesTheCloseBack() throws {
        try withRoll { roll in
            let one = try roll.create("DCIM/a.jpg")
            let other = try roll.open(inode: one.inode)
            try one.flush()
            try one.write(Array(Picture.jpeg(1)[..<600]), at: 0)
            try other.flush()
            other.release()
            #expect(try roll.state(one.inode) == "pending")
            try one.write(Array(Picture.jpeg(1)[600...]), at: 600)
            try one.close()
            #expect(try roll.bytes("DCIM/a.jpg") == Picture.jpeg(1))
        }
    }

    @Test func closesAtTheSameTimeLoseNothing() throws {
        try withRoll { roll in
            for round in 0..<60 {
                let bytes = Picture.jpeg(UInt64(round))
                let first = try roll.create("DCIM/\(round).jpg")
                let handles = try [first, roll.open(inode: first.inode), roll.open(inode: first.inode)]
                try first.write(bytes, at: 0)
                let closers = try handles.map { file in
                    try Platform.Thread(name: "closer") { try? file.close() }
                }
                for closer in closers { closer.join() }
                #expect(try roll.state(first.inode) == "asset")
            }
        }
    }

    @Test func aWriteAfterTheCommitBelongsToTheSamePicture() throws {
        try withRoll { roll in
            let file = try roll.create("DCIM/a.jpg")
            try file.write(Picture.jpeg(1, date: Self.date), at: 0)
            try file.flush()
            let id = try roll.fileSystem.extendedAttribute("user.cameraroll.id", of: file.inode, for: Roll.owner)
            // A duplicate of the descriptor writes on.
            let longer = Picture.jpeg(1, date: Self.date) + Array("trailer".utf8)
            try file.write(Array("trailer".utf8), at: Int64(Picture.jpeg(1, date: Self.date).count))
            #expect(try file.attributes().size == Int64(longer.count))
            try file.flush()
            file.release()
            #expect(try roll.bytes("DCIM/a.jpg") == longer)
            #expect(try roll.fileSystem.extendedAttribute("user.cameraroll.id", of: file.inode, for: Roll.owner) == id)
            #expect(
                try roll.fileSystem.extendedAttribute("user.cameraroll.edited", of: file.inode, for: Roll.owner)
                    == Array("0".utf8))
            #expect(try roll.names("DCIM") == ["a.jpg"])
        }
    }

    @Test func aWriteAfterTheLastFlushIsCommittedAtTheRelease() throws {
        try withRoll { roll in
            let file = try roll.create("DCIM/a.jpg")
            try file.write(Picture.jpeg(1), at: 0)
            try file.flush()
            try file.write([1, 2, 3], at: Int64(Picture.jpeg(1).count))
            file.release()
            #expect(try roll.bytes("DCIM/a.jpg") == Picture.jpeg(1) + [1, 2, 3])
            #expect(try roll.state(roll.inode("DCIM/a.jpg")) == "asset")
        }
    }

    @Test func aWriteAfterAMerge() throws {
        try withRoll { roll in
            let known = try roll.add("DCIM/known.jpg", Picture.jpeg(1))
            let file = try roll.create("DCIM/a.jpg")
            try file.write(Picture.jpeg(1), at: 0)
            try file.flush()
            #expect(try roll.inode("DCIM/a.jpg") == known)
            #expect(try file.attributes().inode == file.inode)
            #expect(try file.read() == Picture.jpeg(1))
            // The writer goes on: the name is its own again, and the known picture stays as it was.
            try file.write([9, 9], at: Int64(Picture.jpeg(1).count))
            #expect(try roll.inode("DCIM/a.jpg") == file.inode)
            try file.close()
            #expect(try roll.bytes("DCIM/a.jpg") == Picture.jpeg(1) + [9, 9])
            #expect(try roll.bytes("DCIM/known.jpg") == Picture.jpeg(1))
            #expect(try roll.attributes("DCIM/known.jpg").links == 1)
        }
    }

    @Test func aMergedFileWhoseNameWentBeforeItIsWrittenOn() throws {
        try withRoll { roll in
            try roll.add("DCIM/known.jpg", Picture.jpeg(1))
            let file = try roll.create("DCIM/a.jpg")
            try file.write(Picture.jpeg(1), at: 0)
            try file.flush()
            try roll.unlink("DCIM/a.jpg")
            try file.write([9, 9], at: 0)
            #expect(try file.read(2) == [9, 9])
            try file.close()
            #expect(try roll.names("DCIM") == ["known.jpg"])
            #expect(try roll.bytes("DCIM/known.jpg") == Picture.jpeg(1))
        }
    }

    @Test func overwritingAnAssetIsSeenByItsReadersAtOnceAndCommittedAtTheClose() throws {
        try withRoll { roll in
            let original = Picture.jpeg(1, look: 1, date: Self.date)
            let edited = Picture.jpeg(2, look: 2, date: Self.date)
            let inode = try roll.add("DCIM/a.jpg", original)
            let reader = try roll.open("DCIM/a.jpg", O_RDONLY)
            let writer = try roll.open("DCIM/a.jpg", O_WRONLY | O_TRUNC)
            #expect(try reader.read() == [])
            try writer.write(edited, at: 0)
            #expect(try reader.read() == edited)
            #expect(try roll.library.node(inode)?.size == Int64(original.count))
            try writer.close()
            #expect(try reader.read() == edited)
            reader.release()
            #expect(try roll.bytes("DCIM/a.jpg") == edited)
            #expect(
                try roll.fileSystem.extendedAttribute("user.cameraroll.edited", of: inode, for: Roll.owner)
                    == Array("1".utf8))
            #expect(try roll.names("DCIM") == ["a.jpg"])
        }
    }

    @Test func refusedBytesOverAnAssetAreKeptBesideIt() throws {
        try withRoll { roll in
            let original = Picture.jpeg(1, look: 1, date: Self.date)
            let inode = try roll.add("DCIM/a.jpg", original)
            let writer = try roll.open("DCIM/a.jpg", O_RDWR | O_TRUNC)
            try writer.write(Picture.cutOff(2), at: 0)
            expectRefused(.invalid) { try writer.flush() }
            expectRefused(.invalid) { try writer.flush() }
            writer.release()
            #expect(try roll.names("DCIM") == ["a.jpg", "a~1.jpg"])
            #expect(try roll.bytes("DCIM/a.jpg") == original)
            #expect(try roll.inode("DCIM/a.jpg") == inode)
            #expect(try roll.bytes("DCIM/a~1.jpg") == Picture.cutOff(2))
            #expect(roll.notifier.notices.contains(.contents(inode)))
        }
    }

    @Test func openingToTruncateAndClosingKeepsThePicture() throws {
        try withRoll { roll in
            let original = Picture.jpeg(1)
            try roll.add("DCIM/a.jpg", original)
            let writer = try roll.open("DCIM/a.jpg", O_WRONLY | O_TRUNC)
            expectRefused(.invalid) { try writer.close() }
            #expect(try roll.bytes("DCIM/a.jpg") == original)
            #expect(try roll.names("DCIM") == ["a.jpg"])
        }
    }

    @Test func truncatingByPath() throws {
        try withRoll { roll in
            let bytes = Picture.jpeg(1) + [1, 2, 3, 4]
            let inode = try roll.add("DCIM/a.jpg", bytes)
            var change = AttributeChange()
            change.size = Int64(bytes.count)
            _ = try roll.fileSystem.setAttributes(of: inode, to: change, handle: nil, for: Roll.owner)
            change.size = Int64(bytes.count - 4)
            let after = try roll.fileSystem.setAttributes(of: inode, to: change, handle: nil, for: Roll.owner)
            #expect(after.attributes.size == Int64(bytes.count - 4))
            #expect(try roll.bytes("DCIM/a.jpg") == Picture.jpeg(1))
            change.size = 600
            expectRefused(.invalid) {
                _ = try roll.fileSystem.setAttributes(of: inode, to: change, handle: nil, for: Roll.owner)
            }
            #expect(try roll.bytes("DCIM/a.jpg") == Picture.jpeg(1))
            #expect(try roll.names("DCIM") == ["a.jpg", "a~1.jpg"])
            change.size = -1
            expectRefused(.invalid) {
                _ = try roll.fileSystem.setAttributes(of: inode, to: change, handle: nil, for: Roll.owner)
            }
        }
    }

    @Test func truncatingByDescriptor() throws {
        try withRoll { roll in
            let file = try roll.create("DCIM/a.jpg")
            try file.truncate(to: 5000)
            #expect(try file.attributes().size == 5000)
            #expect(try file.read() == [UInt8](repeating: 0, count: 5000))
            try file.truncate(to: 0)
            try file.write(Picture.jpeg(1), at: 0)
            try file.close()
            let reader = try roll.open("DCIM/a.jpg", O_RDONLY)
            expectRefused(.invalid) { try reader.truncate(to: 0) }
            expectRefused(.badDescriptor) { try reader.write([1], at: 0) }
            reader.release()
            expectRefused(.badDescriptor) { _ = try reader.read() }
            expectRefused(.badDescriptor) { try reader.flush() }
        }
    }

    @Test func copyInsideTheKernelAndHoles() throws {
        try withRoll { roll in
            try roll.add("DCIM/a.jpg", Picture.jpeg(1))
            let source = try roll.open("DCIM/a.jpg", O_RDONLY)
            let target = try roll.create("DCIM/b.jpg")
            let count = try roll.fileSystem.copyRange(
                from: (source.inode, source.handle, 0), to: (target.inode, target.handle, 0), count: 1 << 20,
                for: Roll.owner)
            #expect(count == Picture.jpeg(1).count)
            try roll.fileSystem.allocate(target.inode, handle: target.handle, mode: 0, at: 0, count: 100_000)
            #expect(try target.attributes().size == 100_000)
            #expect(
                try roll.fileSystem.seek(target.inode, handle: target.handle, from: 0, to: .data) == 0)
            expectRefused(.noDevice) {
                _ = try roll.fileSystem.seek(target.inode, handle: target.handle, from: 200_000, to: .data)
            }
            try target.close()
            source.release()
            #expect(try roll.attributes("DCIM/b.jpg").size == 100_000)
        }
    }

    /// What is hashed behind the writer must be what is there at the close.
    @Test(arguments: 0..<6)
    func largeFilesAreHashedRight(kind: Int) throws {
        try withRoll { roll in
            let file = try roll.create("DCIM/a.jpg")
            let head = Picture.jpeg(1)
            var bytes = head + [UInt8](repeating: 7, count: (30 << 20) - head.count)
            func put(_ range: Range<Int>) throws { try file.write(Array(bytes[range]), at: Int64(range.lowerBound)) }
            for start in stride(from: 0, to: 30 << 20, by: 1 << 20) { try put(start..<start + 1 << 20) }
            switch kind {
            case 1:
                bytes[1 << 20] = 9
                try put((1 << 20)..<(1 << 20) + 1)
            case 2:
                bytes.removeLast(5 << 20)
                try file.truncate(to: Int64(bytes.count))
            case 3:
                try file.truncate(to: 12 << 20)
                bytes = Array(bytes[..<(12 << 20)]) + [UInt8](repeating: 3, count: 12 << 20)
                for start in stride(from: 12 << 20, to: 24 << 20, by: 1 << 20) { try put(start..<start + 1 << 20) }
            case 4:
                try roll.fileSystem.allocate(
                    file.inode, handle: file.handle, mode: 3, at: 4 << 20, count: 1 << 20)
                for index in (4 << 20)..<(5 << 20) { bytes[index] = 0 }
            case 5:
                let second = try roll.open(inode: file.inode, O_WRONLY)
                bytes[2 << 20] = 1
                try second.write([1], at: 2 << 20)
                try second.close()
            default: break
            }
            try file.close()
            #expect(try roll.state(file.inode) == "asset")
            // The digest is compared with the file's bytes afterwards.
        }
    }
}
