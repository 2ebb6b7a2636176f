import Platform
import Support
import Testing

@Suite struct CopyTreeTests {
    /// What `cp` cannot copy it names; everything else arrives, and nothing at all is lost.
    @Test(.enabled(if: Samples.available, "needs the real samples"))
    func wholeTreeByCp() throws {
        try withMountedLibrary { roll in
            let outcome = try run("cp", "-r", Samples.root, roll.dcim + "/samples", timeout: 170)
            #expect(outcome.status == 1, "\(outcome)")

            let refused = Samples.folder("damaged") + [Samples.file("README.md")]
            // A picture that decodes in part may be taken or refused.
            let either = [Samples.file("damaged/corrupted.jpg")]
            func copy(_ path: String) -> String { roll.dcim + "/samples" + path.dropFirst(Samples.root.count) }

            for line in outcome.stderr.split(separator: "\n") {
                #expect(
                    refused.contains { line.contains("'\(copy($0))'") } && line.contains("Invalid argument"),
                    "cp says of a file that is whole: \(line)")
            }
            let pending = try roll.pendingFiles()
            for path in refused where !either.contains(path) {
                #expect(outcome.stderr.contains("'\(copy(path))'"), "cp reported no error for \(path)")
                #expect(try Files.sameContents(path, copy(path)), "\(path) lost bytes")
                let reason = try require(
                    "getfattr", "--only-values", "-n", "user.cameraroll.error", copy(path)
                ).stdout
                #expect(isForAPerson(reason), "the reason for \(path) is “\(reason)”")
                let state = try Files.attribute("user.cameraroll.state", of: copy(path))
                #expect(state == "pending", "the state of \(path)")
                let place = String(copy(path).dropFirst(roll.root.count + 1))
                let listed = pending.first { $0.path.hasSuffix(place) }
                #expect(listed?.reason == reason, "`pending` says of \(place): \(String(describing: listed))")
            }

            let assets = try roll.assets()
            for folder in Samples.goodFolders {
                for path in Samples.folder(folder) where !refused.contains(path) {
                    #expect(try Files.sameContents(path, copy(path)), "\(path) changed on its way")
                    #expect(try Files.attribute("user.cameraroll.state", of: copy(path)) == "asset", "\(path)")
                    let place = String(copy(path).dropFirst(roll.root.count + 1))
                    #expect(
                        assets.contains { $0.paths.contains { $0.hasSuffix(place) } }, "`find` does not list \(place)")
                }
            }
            let refusals = try Product.json("log", roll.library, as: EventList.self).events
            #expect(refusals.contains { $0.errno == "EINVAL" && $0.path?.hasSuffix("README.md") == true })

            // And out again, after a remount.
            try roll.remount()
            let out = roll.place("out")
            try require("cp", "-r", roll.dcim + "/samples", out)
            try require("diff", "-r", Samples.root, out)
        }
    }

    private func isForAPerson(_ reason: String) -> Bool {
        reason.count >= 15 && reason.contains(" ") && reason.allSatisfy { !$0.isNewline }
    }

    /// A file that no reader can make sense of leaves the others of the same command alone.
    @Test func oneBadFileAmongGoodOnes() throws {
        try withMountedLibrary { roll in
            let source = roll.place("in")
            try Files.makeDirectory(source)
            for number in 1...9 { try Files.write(Generated.jpeg(), to: "\(source)/IMG_000\(number).JPG") }
            let cut = Array(Generated.jpeg().prefix(400))
            try Files.write(cut, to: source + "/IMG_0005.JPG")
            let outcome = try run("cp", "-r", source + "/.", roll.dcim)
            #expect(outcome.status == 1)
            #expect(outcome.stderr.split(separator: "\n").count == 1, "\(outcome.stderr)")
            #expect(outcome.stderr.contains("IMG_0005.JPG"))
            #expect(try roll.assets().count == 8)
            let pending = try roll.pendingFiles()
            #expect(pending.count == 1)
            #expect(pending.first?.size == 400)
            #expect(try Files.read(roll.dcim + "/IMG_0005.JPG") == cut)

            // Pending files survive a remount, and become assets when they are whole.
            try roll.remount()
            #expect(try Files.read(roll.dcim + "/IMG_0005.JPG") == cut)
            #expect(try roll.pendingFiles().count == 1)
            try Files.write(Generated.jpeg(), to: roll.dcim + "/IMG_0005.JPG")
            #expect(try roll.pendingFiles().isEmpty)
            #expect(try roll.assets().count == 9)
        }
    }
}
