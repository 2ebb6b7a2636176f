import Platform
import Support
import Testing

/// Files of many gibibytes pass through a small process.
@Suite(.serialized) struct LargeFileTests {
    static let memoryLimit: Int64 = 96 << 20

    @Test func fiveGibibytesInAndOut() throws {
        try withMountedLibrary(limit: 400) { roll in
            let source = roll.place("big.mp4")
            let copy = roll.dcim + "/big.mp4"
            let out = roll.place("out.mp4")
            try Generated.bigMovie(at: source, size: 5 << 30, seed: 5)
            try require("cp", source, copy, timeout: 180)
            let digest = try Generated.sha256(source)
            let asset = try #require(try roll.assets().first)
            #expect(asset.sha256 == digest)
            #expect(asset.size == 5 << 30)
            #expect(asset.type == "video")
            try require("cp", copy, out, timeout: 180)
            #expect(try Generated.sha256(out) == digest)
            #expect(try roll.peakMemory() < Self.memoryLimit)
        }
    }

    /// No holes in what is written: every byte goes through the mount.
    @Test func fourAtOnce() throws {
        try withMountedLibrary(limit: 400) { roll in
            let numbers = 1...4
            for number in numbers {
                try Generated.bigMovie(at: roll.place("\(number).mp4"), size: 1 << 30, seed: UInt64(number))
            }
            let copies = try numbers.map { number in
                try RunningProgram(
                    "cp", ["--sparse=never", roll.place("\(number).mp4"), "\(roll.dcim)/\(number).mp4"])
            }
            for copy in copies {
                let outcome = copy.wait(timeout: 180)
                #expect(outcome.succeeded, "\(outcome)")
            }
            let readers = try numbers.map { number in
                try RunningProgram("cmp", [roll.place("\(number).mp4"), "\(roll.dcim)/\(number).mp4"])
            }
            for reader in readers {
                let outcome = reader.wait(timeout: 180)
                #expect(outcome.succeeded, "\(outcome)")
            }
            let digests = try roll.assets().map(\.sha256)
            for number in numbers { #expect(try digests.contains(Generated.sha256(roll.place("\(number).mp4")))) }
            #expect(try roll.peakMemory() < Self.memoryLimit)
        }
    }
}
