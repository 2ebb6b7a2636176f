import Foundation
import Platform
import Support
import Testing

/// Long random sequences of operations, on a mount and in memory, with the same outcome at every step.
@Suite struct ModelTests {
    static let sequences = 5
    static let steps = 150

    /// The first seed: `CAMERAROLL_SEED`, else another one in each run.
    static let seed: UInt64 = {
        let given = ProcessInfo.processInfo.environment["CAMERAROLL_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0..<1_000_000)
        print("The model tests start from seed \(seed) (CAMERAROLL_SEED=\(seed) repeats them).")
        return seed
    }()

    @Test(arguments: 0..<UInt64(8))
    func randomSequences(group: UInt64) throws {
        try withMountedLibrary { roll in
            var runs: [(seed: UInt64, run: ModelRun)] = []
            for number in 0..<Self.sequences {
                let seed = Self.seed &+ group &* 100 &+ UInt64(number)
                var random = SeededGenerator(seed: seed)
                let sequence = (0..<Self.steps).map { _ in ModelOperation.random(using: &random) }
                do {
                    runs.append((seed, try Self.run(sequence, in: "\(roll.dcim)/seed\(seed)")))
                } catch {
                    let (short, difference) = Self.shrink(sequence, difference: error, below: roll.dcim)
                    let lines = short.map { "    \($0)," }.joined(separator: "\n")
                    Issue.record("seed \(seed): \(difference)\n\(lines)")
                    return
                }
            }
            try roll.remount()
            for (seed, run) in runs {
                do {
                    try run.compare("after a remount")
                } catch {
                    Issue.record("seed \(seed): \(error)")
                }
            }
            #expect(runs.count == Self.sequences)
        }
    }

    /// Sequences that once went wrong.
    @Test(arguments: [
        [
            ModelOperation.makeDirectory("d0"), .picture("d0/p0.jpg"), .rename("d0", "d1", .replace),
            .link("d1/p0.jpg", "p0.jpg"),
        ]
    ])
    func knownSequences(sequence: [ModelOperation]) throws {
        try withMountedLibrary { roll in
            let run = try Self.run(sequence, in: roll.dcim + "/known")
            try roll.remount()
            #expect(throws: Never.self) { try run.compare("after a remount") }
        }
    }

    private static func run(_ sequence: [ModelOperation], in directory: String) throws -> ModelRun {
        var run = try ModelRun(directory: directory)
        for (number, step) in sequence.enumerated() {
            do {
                try run.take(step)
            } catch {
                try? run.finish()
                throw ModelRun.Difference(description: "step \(number), \(step): \(error)")
            }
            if number % 50 == 49 { try run.compare("after step \(number)") }
        }
        try run.finish()
        try run.compare("at the end")
        return run
    }

    /// Drops steps for as long as the sequence still fails.
    private static func shrink(
        _ sequence: [ModelOperation], difference: any Error, below: String
    ) -> ([ModelOperation], any Error) {
        var (best, reason) = (sequence, difference)
        var attempts = 0
        let deadline = Clock.monotonic() + 40_000_000_000
        var size = sequence.count / 2
        while size > 0 {
            var start = 0
            while start < best.count, Clock.monotonic() < deadline {
                var shorter = best
                shorter.removeSubrange(start..<min(start + size, best.count))
                attempts += 1
                do {
                    _ = try run(shorter, in: "\(below)/shrink\(attempts)")
                    start += size
                } catch {
                    (best, reason) = (shorter, error)
                }
            }
            size /= 2
        }
        return (best, reason)
    }
}
