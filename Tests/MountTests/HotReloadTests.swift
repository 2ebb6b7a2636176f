import Foundation
import Glibc
import Platform
import Support
import Testing

/// What another process changes shows at the next system call on the mount, whatever the kernel had cached.
@Suite(.serialized) struct HotReloadTests {
    private func names(_ path: String) throws -> [String] { try Files.names(in: path) }

    /// Has the kernel cache what it may: names, attributes, listings, contents.
    private func warm(_ roll: MountedLibrary) throws {
        for _ in 0..<3 { _ = try run("ls", "-lR", roll.root) }
    }

    @Test func organizing() throws {
        try withMountedLibrary { roll in
            try Files.makeDirectory(roll.dcim + "/d")
            let paths = ["a.jpg", "d/b.jpg"].map { "\(roll.dcim)/\($0)" }
            for path in paths { try Files.write(Generated.jpeg(), to: path) }
            func command(_ words: String...) throws {
                try warm(roll)
                expectSuccess(try run(Product.command, arguments: words))
            }
            #expect(failure { _ = try Files.existing(roll.root + "/Albums/Trip") } != nil)
            try command("album", roll.root, "create", "Trip")
            #expect(try Files.existing(roll.root + "/Albums/Trip").kind == .directory)
            try command("album", roll.library, "add", "Trip", paths[0], "DCIM/d/b.jpg")
            #expect(try names(roll.root + "/Albums/Trip") == ["a.jpg", "b.jpg"])
            #expect(try Files.read(roll.root + "/Albums/Trip/b.jpg") == Files.read(paths[1]))
            try command("album", roll.root, "remove", "Trip", paths[0])
            #expect(try names(roll.root + "/Albums/Trip") == ["b.jpg"])
            #expect(try Files.status(roll.root + "/Albums/Trip/a.jpg") == nil)
            try command("album", roll.root, "rename", "Trip", "Journey")
            #expect(try names(roll.root + "/Albums") == ["Journey"])
            try command("album", roll.root, "delete", "Journey")
            #expect(try names(roll.root + "/Albums") == [])

            try command("favorite", paths[0])
            #expect(try names(roll.root + "/Favorites") == ["a.jpg"])
            #expect(try Files.attribute("user.cameraroll.favorite", of: paths[0]) == "1")
            try command("favorite", "--off", roll.root + "/Favorites/a.jpg")
            #expect(try names(roll.root + "/Favorites") == [])
            try command("hide", roll.dcim)
            #expect(try names(roll.root + "/Hidden") == ["a.jpg", "b.jpg"])
            #expect(try names(roll.root + "/Recently Added") == [])
            try command("hide", "--off", paths[1])
            #expect(try names(roll.root + "/Recently Added") == ["b.jpg"])
            try command("keyword", roll.root, "add", "Sea", paths[0], paths[1])
            #expect(try Files.attribute("user.xdg.tags", of: paths[0]) == "Sea")
            #expect(try names(roll.root + "/Keywords") == ["Sea"])
            try command("keyword", roll.root, "remove", "Sea", roll.root + "/Keywords/Sea/b.jpg")
            #expect(try Files.attribute("user.xdg.tags", of: paths[1]) == nil)
        }
    }

    @Test func importAndTrash() throws {
        try withMountedLibrary { roll in
            let card = roll.place("card")
            try Files.makeDirectory(card)
            let pictures = (0..<20).map { _ in Generated.jpeg() }
            try Files.makeDirectory(roll.dcim + "/card")
            for (number, bytes) in pictures.enumerated() {
                let path = "\(roll.dcim)/card/\(number).jpg"
                #expect(try Files.status(path) == nil)
                try warm(roll)
                try Files.write(bytes, to: "\(card)/\(number).jpg")
                let options = number % 2 == 0 ? ["--move"] : []
                expectSuccess(
                    try run(Product.command, arguments: ["import", roll.root, "\(card)/\(number).jpg"] + options))
                #expect(try Files.read("\(roll.dcim)/\(number).jpg") == bytes)
                #expect(try names(roll.dcim).count == number + 2)
                #expect(try Files.existing(roll.dcim + "/card").links == 2)
            }
            try Posix.unlink(roll.dcim + "/0.jpg")
            try warm(roll)
            expectSuccess(try Product.run("trash", roll.root, "restore", "0.jpg"))
            #expect(try Files.read(roll.dcim + "/0.jpg") == pictures[0])
            #expect(try names(roll.root + "/Recently Deleted") == [])
            try Posix.unlink(roll.dcim + "/1.jpg")
            try warm(roll)
            let open = try Posix.open(roll.root + "/Recently Deleted/1.jpg", O_RDONLY)
            expectSuccess(try Product.run("trash", roll.root, "empty", "--yes"))
            #expect(try names(roll.root + "/Recently Deleted") == [])
            #expect(try Files.status(roll.root + "/Recently Deleted/1.jpg") == nil)
            // What was open is read to its end.
            #expect(try Posix.pread(open, count: pictures[1].count, at: 0) == pictures[1])
            try Posix.close(open)
            // Nothing is imported from the mount into its own library.
            let inside = try Product.run("import", roll.root, roll.dcim + "/2.jpg", "--move")
            #expect(inside.status == 1, "\(inside)")
            let around = try Product.run("import", roll.library, roll.place.path, "--move")
            #expect(try Files.read(roll.dcim + "/2.jpg") == pictures[2], "\(around)")
            #expect(try roll.assets().count == 20, "\(around)")
        }
    }

    /// Other bytes under the same name: sizes, pages, descriptors and mappings.
    @Test func revert() throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/a.jpg"
            let bytes = try Generated.photo(
                at: roll.place("source.jpg"), date: "2024:05:17 10:00:00", scene: 1, more: ["-Artist=One"])
            try require("cp", roll.place("source.jpg"), path)
            for round in 0..<4 {
                try require("exiftool", "-q", "-overwrite_original", "-Artist=Somebody else \(round)", path)
                let edited = try Files.read(path)
                #expect(edited != bytes)
                let isOpen = round % 2 == 0
                let open = isOpen ? try Posix.open(path, O_RDONLY) : -1
                try warm(roll)
                #expect(try Files.read(path) == edited)
                expectSuccess(try Product.run("revert", path))
                #expect(try Files.existing(path).size == Int64(bytes.count))
                #expect(try Files.read(path) == bytes, "round \(round)")
                #expect(try names(roll.root + "/Originals") == [])
                if isOpen {
                    #expect(try Posix.status(open).size == Int64(bytes.count))
                    #expect(try Posix.pread(open, count: bytes.count + 10, at: 0) == bytes)
                    try Posix.close(open)
                }
            }
        }
    }

    /// A command on a mounted library does not wait for what the kernel keeps to run out.
    @Test func commandsAreQuick() throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/a.jpg"
            try Files.write(Generated.jpeg(), to: path)
            var times: [Int64] = []
            for round in 0..<6 {
                try warm(roll)
                let begun = Clock.monotonic()
                expectSuccess(try Product.run("favorite", path, round % 2 == 0 ? "--off" : "--"))
                times.append(Clock.monotonic() - begun)
            }
            #expect(times.min() ?? .max < 700_000_000, "\(times)")
        }
    }

    /// What the kernel has cached it answers by itself.
    @Test func cachedLooksAreFree() throws {
        try withMountedLibrary { roll in
            let path = roll.dcim + "/a.jpg"
            try Files.write(Generated.jpeg(), to: path)
            _ = try Product.run("favorite", path)
            func switches() throws -> Int {
                try Files.names(in: "/proc/\(roll.pid)/task").reduce(0) { sum, thread in
                    let text = (try? Files.text("/proc/\(roll.pid)/task/\(thread)/status")) ?? ""
                    let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
                    return sum + (Int(line?.filter(\.isNumber) ?? "") ?? 0)
                }
            }
            _ = try Files.existing(path)
            let before = try switches()
            let begun = Clock.monotonic()
            for _ in 0..<20_000 { _ = try Files.existing(path) }
            let seconds = Double(Clock.monotonic() - begun) / 1e9
            let requests = try switches() - before
            print("20000 cached stats: \(seconds) s, the mount process was woken \(requests) times")
            // Each second the kernel asks anew: three look-ups a path, and what they wake.
            #expect(Double(requests) < 100 + seconds * 100)
        }
    }
}
