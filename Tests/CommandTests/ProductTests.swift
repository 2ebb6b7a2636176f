import Foundation
import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

/// The built command on libraries that are not mounted.
@Suite(.serialized) struct ProductTests {
    private func expect(
        _ words: [String], _ status: Int32, _ mention: String = "", location: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try Support.run(Product.command, arguments: words)
        #expect(outcome.status == status, "\(outcome)", sourceLocation: location)
        if status != 0 {
            #expect(outcome.stderr.hasPrefix("cameraroll: "), "\(outcome)", sourceLocation: location)
            #expect(mention.isEmpty || outcome.stderr.contains(mention), "\(outcome)", sourceLocation: location)
        }
    }

    private func document(_ words: String...) throws -> [String: Any] {
        let outcome = try Support.run(Product.command, arguments: words)
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output))
        return try #require(object as? [String: Any])
    }

    @Test func documents() throws {
        try withTestLibrary { test in
            try test.addPhoto(
                "a \"b\"\n.jpg", date: "2024:05:17 10:00:00", offset: "+02:00", make: "Acme", model: "R 9")
            try test.add(Generated.jpeg(), "gone.jpg")
            try test.remove("gone.jpg")
            try test.add(Array("no picture".utf8), "bad.jpg")
            let library = test.path

            let status = try document("status", library, "--json")
            #expect(
                Set(status.keys) == [
                    "library", "version", "assets", "photos", "videos", "pending", "trash", "bytes", "free", "mounts",
                    "passthrough", "warnings",
                ])
            #expect(status["assets"] as? Int == 1)
            #expect(status["trash"] as? Int == 1)
            #expect((status["warnings"] as? [String])?.contains { $0.contains("cameraroll pending") } == true)

            let found = try #require(try document("find", library, "--json")["assets"] as? [[String: Any]])
            let asset = try #require(found.first)
            #expect(found.count == 1)
            #expect(asset["name"] as? String == "a \"b\"\n.jpg")
            #expect(asset["captured"] as? String == "2024-05-17T10:00:00+02:00")
            #expect(asset["duration"] is NSNull)
            #expect(asset["links"] as? Int == 1)
            let info = try document("info", library + "/DCIM/a \"b\"\n.jpg", "--json")
            #expect(NSDictionary(dictionary: info) == NSDictionary(dictionary: asset))
            let deleted = try document("find", library, "is:deleted", "--json")["assets"] as? [[String: Any]]
            #expect(deleted?.first?["path"] as? String == "Recently Deleted/gone.jpg")
            let pending = try document("find", library, "is:pending", "--json")["assets"] as? [[String: Any]]
            #expect(pending?.first.map { Set($0.keys) } == Set(asset.keys))

            // One line each, whatever the names hold; as they are with --null.
            #expect(try Product.run("find", library).stdout == "$'DCIM/a \"b\"\\n.jpg'\n")
            #expect(try Product.run("find", library, "-0").stdout == "DCIM/a \"b\"\n.jpg\0")
            let listed = try document("pending", library, "--json")["pending"] as? [[String: Any]]
            #expect(listed?.first?["state"] as? String == "refused")
            #expect(listed?.first?["path"] as? String == "DCIM/bad.jpg")
        }
    }

    @Test func pendingAndTrash() throws {
        try withTestLibrary { test in
            let library = test.path
            try test.add(Array("no picture".utf8), "bad.jpg")
            for name in ["a.jpg", "b.jpg", "c.jpg"] { try test.add(Generated.jpeg(), name) }
            for name in ["a.jpg", "b.jpg", "c.jpg"] { try test.remove(name) }

            try expect(["pending", library, "discard"], 2)
            try expect(["pending", library, "discard", "DCIM/none"], 6, "DCIM/none")
            try expect(["pending", library, "discard", "DCIM"], 9, "DCIM")
            try expect(["pending", library, "drop"], 2, "drop")
            try expect(["pending", library, "discard", library + "/DCIM/bad.jpg"], 0)
            #expect(try Product.run("pending", library).stdout == "")

            let items = try Product.json("trash", library, "list", as: TrashList.self).trash
            #expect(Set(items.map(\.name)) == ["a.jpg", "b.jpg", "c.jpg"])
            let identifier = try #require(items.first { $0.name == "a.jpg" }).id
            let restored = try Product.run("trash", library, "restore", identifier.lowercased(), "b.jpg")
            #expect(restored.stdout == "DCIM/a.jpg\nDCIM/b.jpg\n", "\(restored)")
            try expect(["trash", library, "restore", "none"], 6, "none")
            try expect(["trash", library, "restore", "none", "c.jpg"], 1, "none")
            try test.remove("c.jpg")
            // Nobody to ask: nothing is deleted.
            try expect(["trash", library, "empty"], 2, "--yes")
            #expect(try Product.json("trash", library, "list", as: TrashList.self).trash.count == 1)
            try expect(["trash", library, "empty", "c.jpg", "--yes"], 2)
            try expect(["trash", library, "empty", "--yes"], 0)
            #expect(try Product.json("trash", library, "list", as: TrashList.self).trash.isEmpty)
            #expect(try Product.run("find", library).lines == ["DCIM/a.jpg", "DCIM/b.jpg"])
        }
    }

    @Test func authorization() throws {
        try withTestLibrary { test in
            let library = test.path
            func records() throws -> [String] {
                try Product.json("authorization", library, "list", as: AuthorizationList.self).records
                    .map { "\($0.client) \($0.level) \($0.status)" }
            }
            #expect(try records() == [])
            try expect(["authorization", library, "allow", "user:12"], 0)
            #expect(try records() == ["user:12 add-only authorized", "user:12 read-write authorized"])
            try expect(["authorization", library, "deny", "user:12", "--level", "read-write"], 0)
            #expect(try records() == ["user:12 add-only authorized", "user:12 read-write denied"])
            try expect(["authorization", library, "allow", "program:/no/such/program@root", "--level=add-only"], 0)
            try expect(["authorization", library, "reset", "user:12"], 0)
            #expect(try records() == ["program:/no/such/program@0 add-only authorized"])
            try expect(["authorization", library, "allow"], 2)
            try expect(["authorization", library, "limit", "user:1"], 2, "limit")
            try expect(["authorization", library, "allow", "user:1", "--level", "all"], 2, "--level")
            try expect(["authorization", library, "reset", "user:1", "--level", "add-only"], 2, "--level")
            try expect(["authorization", library, "allow", "user:no-such-user"], 6, "no-such-user")
            try expect(["authorization", library, "allow", "nonsense"], 2, "nonsense")
            // Every answer is in the log, with its client.
            let events = try Product.json("log", library, "--authorization", as: EventList.self).events
            // Both levels in one.
            #expect(events.count == 4)
            #expect(events.allSatisfy { $0.errno == "" })
            #expect(try Product.json("log", library, as: EventList.self).events.isEmpty)

            // What an administrator restricted stays so.
            try test.library.authorization.set(.restricted, of: .user(13), level: .readWrite)
            try expect(["authorization", library, "allow", "user:13"], 3, "administrator")
            try expect(["authorization", library, "reset", "user:13"], 3, "administrator")
        }
    }

    @Test func log() throws {
        try withTestLibrary { test in
            for number in 0..<5 {
                test.library.events.add(
                    EventLog.Event(
                        time: Int64(number) * 1_000_000_000, client: "user:1", operation: "create",
                        path: "DCIM/\(number)",
                        errno: .noSpace, reason: "a \"reason\"\n"))
            }
            let last = try Product.json("log", test.path, "--limit", "2", as: EventList.self).events
            #expect(last.map(\.path) == ["DCIM/3", "DCIM/4"])
            #expect(last.first?.time == "1970-01-01T00:00:03Z")
            #expect(last.first?.reason == "a \"reason\"\n")
            #expect(try Product.run("log", test.path).lines.count == 5)
            try expect(["log", test.path, "--limit", "0"], 2, "--limit")
        }
    }

    @Test func nonsenseFromOutside() throws {
        try withTestLibrary { test in
            let library = test.path
            // A lock that says nothing, a log of garbage: neither hinders.
            try Files.write(Array("{\"pid\":\u{0}garbage".utf8), to: library + "/mount.lock")
            try Files.write(
                Array("garbage\n{\"time\":1,\"operation\":\"x\"}\n\u{FF}\n".utf8), to: library + "/logs/events.jsonl")
            try expect(["status", library], 0)
            let log = try Product.run("log", library, "--json")
            #expect(log.succeeded)
            #expect(log.stderr.contains("2 lines"))
            // Huge and odd arguments.
            let huge = String(repeating: "x", count: 100_000)
            for words in [
                ["find", library, huge], ["--" + huge], [huge], ["find", library, "type:" + huge],
                ["status", "/" + huge],
                ["info", library + "/DCIM/" + huge], ["pending", library, "discard", huge], ["mount", library, huge],
                ["find", ""], ["info", ""], ["status", ""], ["mount", "", ""], ["init", ""], ["unmount", ""],
            ] {
                let outcome = try Support.run(Product.command, arguments: words)
                #expect([2, 6, 7, 8].contains(outcome.status), "\(outcome)")
                #expect(outcome.errorOutput.count < 250_000)
            }
            let odd = try run("bash", "-c", "\"$1\" status $'/x\\xff'", "bash", Product.command)
            #expect(odd.status == 2, "\(odd)")
        }
    }

    /// A damaged catalogue has an exit code of its own, and nothing is made of it.
    @Test(arguments: ["garbage", "empty", "torn"])
    func damagedCatalogue(kind: String) throws {
        try withTemporaryPlace { place in
            let path = place("library")
            try Library.create(at: path)
            let catalog = path + "/catalog.sqlite"
            for suffix in ["-wal", "-shm"] where Files.exists(catalog + suffix) { try Posix.unlink(catalog + suffix) }
            let size = try Files.read(catalog).count
            switch kind {
            case "garbage": try Files.write([UInt8](repeating: 0x5A, count: size), to: catalog)
            case "empty": try Files.write([], to: catalog)
            default:
                let file = try Posix.open(catalog, O_RDWR)
                _ = try Posix.pwrite(file, [UInt8](repeating: 0xFF, count: size - 4096), at: 4096)
                try Posix.close(file)
            }
            for words in [
                ["status", path], ["find", path, "--json"], ["pending", path], ["trash", path, "list"],
                ["authorization", path, "list"], ["info", path + "/DCIM/a.jpg"], ["mount", path, place.path + "-none"],
            ] {
                let outcome = try Support.run(Product.command, arguments: words)
                let expected: [Int32] = words[0] == "mount" ? [4, 6] : [4]
                #expect(expected.contains(outcome.status), "\(outcome)")
                #expect(outcome.stderr.hasPrefix("cameraroll: "))
            }
            // What went wrong can be read all the same.
            try expect(["log", path], 0)
            try expect(["init", path], 9)
            if kind == "empty" { #expect(try Files.read(catalog).isEmpty) }
        }
    }

    @Test(.enabled(if: Machine.isRoot, "needs root, to make a user"))
    func libraryOfAnother() throws {
        try Machine.withUser("stranger") { stranger in
            try withTestLibrary { test in
                try Posix.setMode(test.place.path, 0o755)
                for words in [["status"], ["find"], ["authorization"], ["pending"], ["trash"], ["log"]] {
                    let outcome = try Support.run(
                        Product.command, arguments: [words[0], test.path], user: stranger)
                    #expect(outcome.status == 3, "\(outcome)")
                }
                // Let in by its permissions, they still do not answer for others.
                try require("chmod", "-R", "a+rwX", test.path)
                let outcome = try Support.run(
                    Product.command, arguments: ["authorization", test.path, "allow", "user:\(stranger.uid)"],
                    user: stranger)
                #expect(outcome.status == 3, "\(outcome)")
                #expect(try test.library.authorization.records().isEmpty)
            }
        }
    }

    @Test func placesForMounts() throws {
        try withTestLibrary { test in
            let library = test.path
            try Files.write([], to: test.place("file"))
            try Files.makeDirectory(library + "/inside")
            try expect(["mount", library, test.place("file")], 7, "not a directory")
            try expect(["mount", library, test.place("none")], 6, "does not exist")
            try expect(["mount", library, library], 2, "lies in")
            try expect(["mount", library, library + "/inside"], 2, "lies in")
            try expect(["mount", library, test.place.path], 2, "hidden")
            try expect(["mount", test.place.path, "/mnt"], 6, "no library")
            try expect(["mount", library, "/mnt", "-o", "ro,frobnicate"], 2, "frobnicate")
            try expect(["unmount", test.place.path], 6, "Nothing is mounted")
            try expect(["unmount", "/proc"], 6, "another kind")
            let rest = try Files.names(in: test.place.path)
            #expect(rest == ["file", "library"])
        }
    }

    /// A reader that has seen enough ends the command without a word; a full disk is told.
    @Test func outputThatNobodyTakes() throws {
        try withTestLibrary { test in
            let script = "\"$1\" find --help | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}"
            let closed = try run("bash", "-c", script, "bash", Product.command)
            #expect(closed.stderr.isEmpty, "\(closed)")
            let full = try run(
                "bash", "-c", "\"$1\" status \"$2\" --json >/dev/full", "bash", Product.command, test.path)
            #expect(full.status == 10, "\(full)")
            #expect(full.stderr.contains("could not be written"))
        }
    }
}
