import Foundation
import Platform
import Support
import Testing

@Suite struct CommandTests {
    @Test(arguments: [
        "", "init", "mount", "unmount", "status", "info", "find", "pending", "trash", "log", "authorization",
    ])
    func help(subcommand: String) throws {
        let words = (subcommand.isEmpty ? [] : [subcommand]) + ["--help"]
        let outcome = try run(Product.command, arguments: words)
        expectSuccess(outcome)
        #expect(outcome.stdout.contains("cameraroll"))
        if !subcommand.isEmpty { #expect(outcome.stdout.contains(subcommand)) }
    }

    /// Command lines that cannot work, and their exit codes.
    static let mistaken: [(words: [String], status: Int32)] = [
        (["frobnicate"], 2), ([], 2), (["init"], 2), (["mount", "onlyone"], 2), (["status", "--frobnicate"], 2),
        (["info", "/nonexistent/photo.jpg"], 6), (["status", "/nonexistent/library"], 6),
        (["find", "/nonexistent/library"], 6), (["mount", "/nonexistent/library", "/nonexistent/mount"], 6),
    ]

    /// Errors are one line that says what, and have their own exit code.
    @Test(arguments: mistaken)
    func mistakes(words: [String], status: Int32) throws {
        let outcome = try run(Product.command, arguments: words)
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.stdout.isEmpty)
        #expect(!outcome.stderr.isEmpty)
        if status != 2 { #expect(outcome.stderr.split(separator: "\n").count == 1, "\(outcome)") }
    }

    @Test func initRefusesWhatIsNone() throws {
        try withTemporaryPlace { place in
            try Files.makeDirectory(place("full"))
            try Files.write(Array("x".utf8), to: place("full/file"))
            let refused = try Product.run("init", place("full"))
            #expect(refused.status != 0)
            #expect(refused.stderr.contains(place("full")))
            #expect(try Files.tree(place("full")) == ["file"])
            try Files.makeDirectory(place("empty"))
            expectSuccess(try Product.run("init", place("empty")))
            expectSuccess(try Product.run("init", place("new")))
            #expect(Files.exists(place("new/catalog.sqlite")))
            let status = try Product.json("status", place("new"), as: LibraryStatus.self)
            #expect(status.assets == 0)
            #expect(status.mounts.isEmpty)
        }
    }

    /// `$(cameraroll mount …)` returns: the mount process keeps nothing of the caller's.
    @Test func mountLetsItsCallerGo() throws {
        try withMountedLibrary { roll in
            try roll.unmount()
            let script = "text=$(\"$1\" mount \"$2\" \"$3\" --create --authorize read-write 2>&1) && ls \"$3\""
            let outcome = try run(
                "bash", "-c", script, "bash", Product.command, roll.library, roll.root, timeout: 20)
            expectSuccess(outcome)
            #expect(outcome.lines.contains("DCIM"))
            // Nor does it stand in anyone's way.
            let process = try #require(roll.processes().first)
            let directory = try require("readlink", "/proc/\(process)/cwd").stdout
            #expect(directory == "/\n")
        }
    }

    @Test func mountMakesItsMountPoint() throws {
        try withMountedLibrary { roll in
            try roll.unmount()
            try Posix.removeDirectory(roll.root)
            let refused = try Product.run("mount", roll.library, roll.root)
            #expect(refused.status != 0)
            expectSuccess(try Product.run("mount", roll.library, roll.root, "--create", "--authorize", "read-write"))
            #expect(try Files.names(in: roll.root).contains("DCIM"))
        }
    }

    @Test func foreground() throws {
        try withMountedLibrary { roll in
            try roll.unmount()
            let running = try RunningProgram(Product.command, ["mount", roll.library, roll.root, "--foreground"])
            var tries = 0
            while !MountedLibrary.isMountPoint(roll.root), tries < 500 {
                Clock.sleep(10_000_000)
                tries += 1
            }
            #expect(MountedLibrary.isMountPoint(roll.root))
            running.kill(SIGTERM)
            let outcome = running.wait(timeout: 20)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(!MountedLibrary.isMountPoint(roll.root))
        }
    }

    /// A file that is open keeps the mount up; the error names the trouble, and nothing is lost.
    @Test func unmountWhileBusy() throws {
        try withMountedLibrary { roll in
            let file = try Posix.open(roll.dcim + "/a.jpg", O_CREAT | O_WRONLY)
            _ = try Posix.write(file, Generated.jpeg())
            let busy = try Product.run("unmount", roll.root)
            #expect(busy.status == 5, "\(busy)")
            #expect(MountedLibrary.isMountPoint(roll.root))
            try Posix.close(file)
            #expect(try roll.assets().count == 1)
            let none = try Product.run("unmount", roll.place.path)
            #expect(none.status != 0)
        }
    }

    @Test func statusFindAndInfo() throws {
        try withMountedLibrary { roll in
            let source = roll.place("IMG_0001.JPG")
            try Generated.photo(
                at: source, date: "2024:05:17 10:00:00", offset: "+02:00", make: "Acme", model: "Roll 9")
            try require("cp", source, roll.dcim)
            try Files.write(try Generated.movie(), to: roll.dcim + "/clip.mp4")
            try Files.write(Array("x".utf8), to: roll.dcim + "/x.part")

            for place in [roll.library, roll.root] {
                let status = try Product.json("status", place, as: LibraryStatus.self)
                #expect(status.assets == 2)
                #expect(status.photos == 1)
                #expect(status.videos == 1)
                #expect(status.trash == 0)
                #expect(status.mounts.map(\.mountpoint) == [roll.root])
                #expect(status.mounts.map(\.pid) == [roll.pid])
            }
            let text = try Product.run("status", roll.library)
            #expect(text.stdout.contains("2"))
            #expect(text.stdout.contains(roll.root))

            let info = try Product.json("info", roll.dcim + "/IMG_0001.JPG", as: AssetRecord.self)
            #expect(info.make == "Acme")
            #expect(info.model == "Roll 9")
            #expect(info.type == "photo")
            #expect(info.uti == "public.jpeg")
            #expect(info.captured == "2024-05-17T10:00:00+02:00")
            #expect(info.width == 64)
            #expect(info.height == 48)
            #expect(info.size == Int64(try Files.read(source).count))
            #expect(info.sha256 == (try Generated.sha256(source)))
            #expect(info.links == 1)
            let line = try Product.run("info", roll.dcim + "/IMG_0001.JPG")
            #expect(line.stdout.contains("Roll 9"))

            #expect(try roll.assets("type:video").map(\.name) == ["clip.mp4"])
            #expect(try roll.assets("IMG_0001").map(\.name) == ["IMG_0001.JPG"])
            #expect(try roll.assets("on:2024-05-17").map(\.name) == ["IMG_0001.JPG"])
            #expect(try roll.assets("before:2024-05-17").isEmpty)
            #expect(try roll.assets("after:2024-05-16 type:photo").count == 1)
            let bad = try Product.run("find", roll.library, "type:")
            #expect(bad.status == 2, "\(bad)")
        }
    }

    @Test func pendingAndTrash() throws {
        try withMountedLibrary { roll in
            _ = failure { try Files.write(Array("no picture".utf8), to: roll.dcim + "/bad.jpg") }
            let pending = try roll.pendingFiles()
            #expect(pending.count == 1)
            #expect(pending.first?.reason?.isEmpty == false)
            let text = try Product.run("pending", roll.library)
            #expect(text.stdout.contains("bad.jpg"))
            expectSuccess(try Product.run("pending", roll.library, "discard", roll.dcim + "/bad.jpg"))
            #expect(try roll.pendingFiles().isEmpty)
            #expect(try Files.names(in: roll.dcim) == [])

            try Files.write(Generated.jpeg(), to: roll.dcim + "/a.jpg")
            try require("rm", roll.dcim + "/a.jpg")
            let item = try #require(try roll.trash().first)
            #expect(item.from == "DCIM/a.jpg" || item.from == "a.jpg", "\(item)")
            expectSuccess(try Product.run("trash", roll.library, "empty", "--yes"))
            #expect(try roll.trash().isEmpty)
            #expect(try Files.names(in: roll.root + "/Recently Deleted") == [])
        }
    }

    @Test func readOnly() throws {
        try withMountedLibrary { roll in
            let bytes = Generated.jpeg()
            try Files.write(bytes, to: roll.dcim + "/a.jpg")
            roll.options.options = ["ro"]
            try roll.remount()
            #expect(try Files.read(roll.dcim + "/a.jpg") == bytes)
            #expect(failure { try Files.write([], to: roll.dcim + "/b.jpg") } == .readOnlyFileSystem)
            #expect(failure { try Posix.unlink(roll.dcim + "/a.jpg") } == .readOnlyFileSystem)
            #expect(failure { try Posix.makeDirectory(roll.dcim + "/d") } == .readOnlyFileSystem)
        }
    }

    @Test func relaxed() throws {
        try withMountedLibrary(MountOptions(options: ["relaxed"])) { roll in
            let bytes = Generated.jpeg()
            try Files.write(bytes, to: roll.dcim + "/a.jpg")
            #expect(try roll.assets().count == 1)
            try roll.remount()
            #expect(try Files.read(roll.dcim + "/a.jpg") == bytes)
        }
    }

    /// The command changes the library while it is mounted: the mount shows it at once.
    @Test func changesFromOutside() throws {
        try withMountedLibrary { roll in
            try Files.write(Generated.jpeg(), to: roll.dcim + "/a.jpg")
            try require("rm", roll.dcim + "/a.jpg")
            #expect(try Files.names(in: roll.dcim) == [])
            #expect(!Files.exists(roll.dcim + "/a.jpg"))
            let item = try #require(try roll.trash().first)
            expectSuccess(try Product.run("trash", roll.library, "restore", item.id))
            #expect(try Files.names(in: roll.dcim) == ["a.jpg"])
            #expect(Files.exists(roll.dcim + "/a.jpg"))
        }
    }
}
