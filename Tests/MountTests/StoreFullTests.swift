import Platform
import Support
import Testing

@Suite(.serialized, .enabled(if: Machine.canLoopMount, "needs root and loop devices")) struct StoreFullTests {
    /// The writer hears of it, nothing is half-made, reading goes on; with room again the same command succeeds.
    @Test(arguments: [
        "cp --sparse=never \"$1\" \"$2\"", "rsync -W \"$1\" \"$2\"", "cat \"$1\" > \"$2\"", "gio copy \"$1\" \"$2\"",
    ])
    func noSpaceLeft(command: String) throws {
        try Machine.withSmallFileSystem(mebibytes: 64) { small in
            try withMountedLibrary(MountOptions(libraryParent: small)) { roll in
                let first = roll.place("first.mp4")
                try Generated.bigMovie(at: first, size: 5 << 20, seed: 1)
                try require("cp", "--sparse=never", first, roll.dcim + "/first.mp4")
                try require("fallocate", "-l", "30M", small + "/filler")
                let source = roll.place("source.mp4")
                try Generated.bigMovie(at: source, size: 24 << 20, seed: 2)
                let copy = roll.dcim + "/source.mp4"

                let outcome = try run("bash", "-c", command, "bash", source, copy)
                #expect(outcome.status != 0)
                #expect(outcome.stderr.lowercased().contains("no space left on device"), "\(outcome)")
                try expectAsset(roll.dcim + "/first.mp4", holding: first)
                #expect(try roll.assets().map(\.name) == ["first.mp4"])
                let status = try Product.run("status", roll.library)
                expectSuccess(status)

                try Posix.unlink(small + "/filler")
                expectSuccess(try run("bash", "-c", command, "bash", source, copy))
                try expectAsset(copy, holding: source)
                try expectAsset(roll.dcim + "/first.mp4", holding: first)
                #expect(try roll.assets().count == 2)
                try roll.remount()
                try expectAsset(copy, holding: source)
                // What failed takes no room: both files and a little more is all there is.
                for name in try Files.names(in: roll.dcim) where name.hasPrefix(".") {
                    try Posix.unlink("\(roll.dcim)/\(name)")
                }
                #expect(try Files.spaceUsed(by: roll.library) < 40 << 20)
            }
        }
    }

    /// Many small files until nothing more fits: each that was taken is whole, over a remount too.
    @Test func filledUpBySmallFiles() throws {
        try Machine.withSmallFileSystem(mebibytes: 24) { small in
            try withMountedLibrary(MountOptions(libraryParent: small)) { roll in
                var taken: [(name: String, bytes: [UInt8])] = []
                var refusal: Errno?
                for number in 0..<400 {
                    let bytes = Generated.jpeg() + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 150_000)
                    let name = "IMG_\(number).JPG"
                    refusal = failure { try Files.write(bytes, to: "\(roll.dcim)/\(name)") }
                    if refusal != nil { break }
                    taken.append((name, bytes))
                }
                #expect(refusal == .noSpace)
                #expect(taken.count > 10)
                for (name, bytes) in taken { #expect(try Files.read("\(roll.dcim)/\(name)") == bytes, "\(name)") }
                try roll.remount()
                for (name, bytes) in taken { #expect(try Files.read("\(roll.dcim)/\(name)") == bytes, "\(name)") }
                // The file that was refused may have become an asset once there was room, but only as a whole.
                let refused = "IMG_\(taken.count).JPG"
                let more = Set(try roll.assets().map(\.name)).subtracting(taken.map(\.name))
                #expect(more.isSubset(of: [refused]))
                if more.contains(refused) {
                    let size = try Files.existing("\(roll.dcim)/\(refused)").size
                    #expect(try size == Files.existing("\(roll.dcim)/\(taken[0].name)").size)
                }
                #expect(try roll.assets().count >= taken.count)
            }
        }
    }
}
