import PhotoLibrary
import Platform
import Support
import Testing

@Suite struct ConcurrencyTests {
    /// Runs `body` on `count` threads; what they throw is collected.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws -> [String] {
        let failures = Lock([String]())
        let threads = try (0..<count).map { number in
            try Platform.Thread(name: "writer") {
                do { try body(number) } catch { failures.withLock { $0.append("\(number): \(error)") } }
            }
        }
        for thread in threads { thread.join() }
        return failures.withLock { $0 }
    }

    private func add(_ library: Library, _ name: String, _ bytes: [UInt8]) throws -> CommitOutcome {
        let made = try library.makeFile(
            FileName(name), in: Library.cameraRollNode, mode: 0o644, owner: TestLibrary.owner)
        try bytes.withUnsafeBytes { try made.file.writeFully($0, at: 0) }
        return try library.commitPending(made.node.id, file: made.file, client: "user:1")
    }

    @Test func differentFiles() throws {
        try withLibrary { test in
            let library = test.library
            let failures = try onThreads(8) { number in
                for index in 0..<40 {
                    let outcome = try add(
                        library, "\(number)-\(index).jpg", Picture.jpeg(UInt64(number * 1000 + index)))
                    if !outcome.isAsset { throw HarnessError("\(number)-\(index) became \(outcome)") }
                }
            }
            #expect(failures == [])
            #expect(try test.names("DCIM").count == 320)
            #expect(try test.stored("originals").count == 320)
        }
    }

    @Test func equalFilesAreOneAsset() throws {
        try withLibrary { test in
            let library = test.library
            let failures = try onThreads(8) { number in
                for index in 0..<25 {
                    _ = try add(library, "\(number)-\(index).jpg", Picture.jpeg(UInt64(index)))
                }
            }
            #expect(failures == [])
            #expect(try test.names("DCIM").count == 200)
            #expect(try test.stored("originals").count == 25)
            #expect(try test.sql("SELECT DISTINCT links FROM node WHERE kind = 2") == ["8"])
        }
    }

    @Test func everythingAtOnce() throws {
        try withLibrary { test in
            let library = test.library
            let roll = Library.cameraRollNode
            _ = try test.directory(".Trash-0/files")
            let trash = try test.node(".Trash-0/files").id
            let failures = try onThreads(8) { number in
                var random = SeededGenerator(seed: UInt64(number))
                let expected: [Errno] = [.exists, .noEntry, .stale, .invalid, .notPermitted]
                for _ in 0..<60 {
                    let name = try FileName("\(Int.random(in: 0..<12, using: &random)).jpg")
                    let other = try FileName("\(Int.random(in: 0..<12, using: &random)).jpg")
                    let bytes = Picture.jpeg(UInt64.random(in: 0..<6, using: &random))
                    do {
                        switch Int.random(in: 0..<9, using: &random) {
                        case 0...2: _ = try add(library, name.description, bytes)
                        case 3: _ = try library.unlink(name, in: roll)
                        case 4:
                            _ = try library.rename(
                                name, in: roll, to: other, in: roll, mayReplace: true, openFile: nil, client: "u")
                        case 5:
                            _ = try library.rename(
                                name, in: roll, to: other, in: trash, mayReplace: true, openFile: nil, client: "u")
                        case 6:
                            guard let node = try library.entry(name, in: roll)?.node, node.asset != nil else { break }
                            let draft = try library.makeDraft(of: node.id, copying: nil)
                            try bytes.withUnsafeBytes { try draft.file.writeFully($0, at: 0) }
                            do {
                                _ = try library.commitDraft(
                                    draft, of: node.id, amends: false, written: nil, client: "u")
                            } catch {
                                try library.discard(draft)
                                throw error
                            }
                        case 7:
                            if let deleted = try library.trash().first { _ = try library.restore(deleted.node.id) }
                        default:
                            if let deleted = try library.trash().last { try library.purge(deleted.node.id) }
                        }
                    } catch let error as Errno where expected.contains(error) {
                    } catch let error as CommitFailure where expected.contains(error.errno) {
                    }
                }
            }
            #expect(failures == [])
        }
    }

    @Test func twoProcessesLibraries() throws {
        try withLibrary { test in
            let other = try Library(path: test.path)
            defer { other.close() }
            let libraries = [test.library, other]
            let failures = try onThreads(4) { number in
                for index in 0..<30 {
                    _ = try add(libraries[number % 2], "\(number)-\(index).jpg", Picture.jpeg(UInt64(index % 10)))
                }
            }
            #expect(failures == [])
            #expect(try test.stored("originals").count == 10)
        }
    }

    @Test func readersBesideWriters() throws {
        try withLibrary { test in
            let library = test.library
            let isDone = Lock(false)
            let wrong = Lock([String]())
            let readers = try (0..<3).map { _ in
                try Platform.Thread(name: "reader") {
                    while !isDone.withLock({ $0 }) {
                        do {
                            var nodes: [NodeRecord] = []
                            try library.forEachEntry(of: Library.cameraRollNode, after: 0) {
                                nodes.append($0.node)
                                return true
                            }
                            for node in nodes.suffix(5) where node.kind == .asset {
                                let file = try library.openFile(of: node, forWriting: false)
                                if try file.status().size != node.size { wrong.withLock { $0.append("size") } }
                            }
                        } catch { wrong.withLock { $0.append("\(error)") } }
                    }
                }
            }
            for number in 0..<150 { try test.asset("DCIM/\(number).jpg", Picture.jpeg(UInt64(number))) }
            isDone.withLock { $0 = true }
            for reader in readers { reader.join() }
            #expect(wrong.withLock { $0 } == [])
        }
    }
}
