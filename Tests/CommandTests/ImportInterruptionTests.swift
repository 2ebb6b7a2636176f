import Foundation
import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

/// Imports that end in the middle.
@Suite(.serialized) struct ImportInterruptionTests {
    private func makeCard(_ path: String, count: Int, size: Int = 100_000) throws -> [String: [UInt8]] {
        try Files.makeDirectory(path)
        var pictures: [String: [UInt8]] = [:]
        for number in 0..<count {
            let bytes = Generated.jpeg(size: size)
            pictures["IMG_\(number).JPG"] = bytes
            try Files.write(bytes, to: "\(path)/IMG_\(number).JPG")
        }
        return pictures
    }

    /// Killed anywhere: each picture is outside or in the library, whole, and a second run finishes.
    @Test(arguments: [["--move"], []]) func killed(options: [String]) throws {
        let isMove = !options.isEmpty
        var (kills, partial) = (0, 0)
        for round in 0..<14 {
            try withTemporaryPlace { place in
                try Library.create(at: place("library"))
                let pictures = try makeCard(place("card"), count: 40)
                let program = try RunningProgram(
                    Product.command, ["import", place("library"), place("card")] + options)
                usleep(UInt32(15_000 + round * 12_000))
                program.kill()
                if program.wait().status == 128 + SIGKILL { kills += 1 }

                let library = try Library(path: place("library"))
                func digests() throws -> Set<String> {
                    Set(try Product.json("find", place("library"), as: AssetList.self).assets.map(\.sha256))
                }
                let before = try digests()
                if (1..<pictures.count).contains(before.count) { partial += 1 }
                for (name, bytes) in pictures {
                    let source = "\(place("card"))/\(name)"
                    if Files.exists(source) {
                        #expect(try Files.read(source) == bytes)
                        continue
                    }
                    #expect(isMove)
                    try Files.write(bytes, to: place("judge"))
                    #expect(before.contains(try Generated.sha256(place("judge"))), "\(name) is nowhere")
                }
                // As the next mount does.
                let report = try library.recover()
                for node in report.unfinished { _ = try library.commitUnfinished(node) }
                #expect(try LibraryInvariants.problems(in: place("library")).isEmpty)
                if Files.exists(place("card")) {
                    let again = try run(
                        Product.command, arguments: ["import", place("library"), place("card")] + options)
                    #expect(again.status == 0, "\(again)")
                    #expect(Files.exists(place("card")) != isMove)
                }
                #expect(try digests().count == pictures.count)
                #expect(try Product.json("pending", place("library"), as: PendingList.self).pending.isEmpty)
                #expect(try LibraryInvariants.problems(in: place("library")).isEmpty)
                library.close()
            }
        }
        // Else the test has shown nothing.
        #expect(kills > 3 && partial > 1, "\(kills) kills, \(partial) in the middle")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func interrupted(signal: Int32) throws {
        try withTestLibrary { test in
            _ = try makeCard(test.place("card"), count: 300)
            let program = try RunningProgram(Product.command, ["import", test.path, test.place("card"), "--move"])
            for _ in 0..<2000 where !program.outputSoFar.contains("added as") { usleep(1000) }
            program.kill(signal)
            let outcome = program.wait()
            #expect(outcome.status == 128 + signal, "\(outcome)")
            #expect(outcome.lines.last?.hasPrefix("Interrupted: ") == true, "\(outcome)")
            let added = outcome.lines.filter { $0.contains(": added as ") }.count
            #expect((1..<300).contains(added))
            #expect(try Product.json("find", test.path, as: AssetList.self).assets.count == added)
            #expect(try Files.tree(test.place("card")).count == 300 - added)
            #expect(try LibraryInvariants.problems(in: test.path).isEmpty)
        }
    }

    /// A large file is dropped while it is copied.
    @Test func interruptedInTheMiddleOfAFile() throws {
        let shared = try TemporaryPlace(in: "/dev/shm")
        defer { shared.remove() }
        guard try Files.status(shared.path)?.device != Files.status(temporaryRoot)?.device else { return }
        try withTestLibrary { test in
            try Generated.bigMovie(at: shared("big.mp4"), size: 700 << 20, seed: 1)
            // Without holes, so that there is something to copy.
            try require("bash", "-c", "cat \"$1\" > \"$2\"", "bash", shared("big.mp4"), shared("full.mp4"))
            try Posix.unlink(shared("big.mp4"))
            let program = try RunningProgram(Product.command, ["import", test.path, shared("full.mp4"), "--move"])
            func staged() -> Bool {
                (try? Files.names(in: test.path + "/staging").contains {
                    (try? Files.status("\(test.path)/staging/\($0)"))??.size ?? 0 > 16 << 20
                }) ?? false
            }
            for _ in 0..<5000 where !staged() { usleep(1000) }
            program.kill(SIGINT)
            let outcome = program.wait()
            #expect(outcome.status == 130, "\(outcome)")
            #expect(outcome.stdout == "Interrupted: 0 added.\n", "\(outcome)")
            #expect(Files.exists(shared("full.mp4")))
            #expect(try Files.names(in: test.path + "/staging").isEmpty)
            #expect(try LibraryInvariants.problems(in: test.path).isEmpty)
        }
    }

    @Test func onATerminal() throws {
        try withTestLibrary { test in
            _ = try makeCard(test.place("card"), count: 30)
            let terminal = try Terminal(Product.command, ["import", test.path, test.place("card")])
            try terminal.expect("░")
            #expect(try terminal.wait() == 0)
            #expect(terminal.output.contains("30 added"))
            #expect(terminal.output.contains("/30 "))
            #expect(try !run(Product.command, "import", test.path, test.place("card")).stdout.contains("░"))
        }
    }

    /// A mount that begins meanwhile leaves what is being imported alone.
    @Test func recoveryMeanwhile() throws {
        try withTestLibrary { test in
            let hold = try test.library.holdForImport()
            let bytes = Generated.jpeg()
            try Files.write(bytes, to: test.path + "/staging/ABC")
            #expect(try test.library.recover().recovered == 0)
            #expect(try Files.read(test.path + "/staging/ABC") == bytes)
            withExtendedLifetime(hold) {}
        }
        // Without it the file comes back.
        try withTestLibrary { test in
            try Files.write(Generated.jpeg(), to: test.path + "/staging/ABC")
            #expect(try test.library.recover().recovered == 1)
        }
    }

    /// Several imports of one card at once: each picture is in the library once, and none is lost.
    @Test(arguments: [["--move"], []]) func atTheSameTime(options: [String]) throws {
        try withTestLibrary { test in
            let pictures = try makeCard(test.place("card"), count: 60)
            let programs = try (0..<3).map { _ in
                try RunningProgram(Product.command, ["import", test.path, test.place("card")] + options)
            }
            let outcomes = programs.map { $0.wait() }
            for outcome in outcomes {
                // What another one has moved away meanwhile cannot be read.
                #expect(outcome.status == 0 || outcome.status == 1 && !options.isEmpty, "\(outcome)")
            }
            let assets = try Product.json("find", test.path, as: AssetList.self).assets
            #expect(assets.count == pictures.count)
            #expect(Set(assets.map(\.sha256)).count == pictures.count)
            #expect(Set(assets.map(\.name)) == Set(pictures.keys))
            #expect(Files.exists(test.place("card")) == options.isEmpty)
            #expect(try LibraryInvariants.problems(in: test.path).isEmpty)
        }
    }

    /// A mount comes and goes, and programs copy into it, while files are imported.
    @Test func besideAMount() throws {
        try withMountedLibrary { roll in
            let pictures = try makeCard(roll.place("card"), count: 150)
            let program = try RunningProgram(Product.command, ["import", roll.library, roll.place("card"), "--move"])
            var copied: [String: [UInt8]] = [:]
            for round in 0..<3 {
                for number in 0..<5 {
                    let bytes = Generated.jpeg()
                    copied["c\(round)-\(number).jpg"] = bytes
                    try Files.write(bytes, to: "\(roll.dcim)/c\(round)-\(number).jpg")
                }
                try roll.remount()
            }
            let outcome = program.wait()
            #expect(outcome.status == 0, "\(outcome)")
            for (name, bytes) in copied { #expect(try Files.read("\(roll.dcim)/\(name)") == bytes) }
            for (name, bytes) in pictures { #expect(try Files.read("\(roll.dcim)/card/\(name)") == bytes) }
            #expect(try roll.assets().count == pictures.count + copied.count)
            #expect(try roll.pendingFiles().isEmpty)
            try roll.unmount()
            #expect(try LibraryInvariants.problems(in: roll.library).isEmpty)
        }
    }

    @Test(.enabled(if: Machine.canLoopMount, "needs root and loop devices")) func noSpaceLeft() throws {
        try Machine.withSmallFileSystem(mebibytes: 24) { small in
            try Library.create(at: small + "/library")
            try withTemporaryPlace { place in
                let pictures = try makeCard(place("card"), count: 400, size: 200_000)
                let outcome = try run(
                    Product.command, "import", small + "/library", place("card"), "--move", timeout: 120)
                #expect(outcome.status == 8, "\(outcome)")
                #expect(outcome.stderr.contains("o space left"), "\(outcome)")
                let added = outcome.lines.filter { $0.contains(": added as ") }.count
                #expect(added > 10)
                #expect(try Files.tree(place("card")).count == pictures.count - added)
                #expect(try LibraryInvariants.problems(in: small + "/library").isEmpty)
                #expect(
                    try Product.json("find", small + "/library", as: AssetList.self).assets.count == added)
            }
        }
    }
}
