import Platform
import Support
import Testing

@Suite(.serialized) struct HugeDirectoryTests {
    static let count = 50_000
    /// Between two listings: the kernel lets nobody remove a name while a part of the directory is read.
    static let pause: Int64 = 1_500_000_000

    @Test func fiftyThousandNames() throws {
        try withMountedLibrary(limit: 400) { roll in
            let directory = roll.dcim + "/huge"
            try Files.makeDirectory(directory)
            let fill = "seq -f 'name%06g.jpg' 0 \(Self.count - 1) | xargs touch"
            expectSuccess(try run("sh", "-c", fill, cwd: directory, timeout: 200))

            let all = try require("seq", "-f", "name%06g.jpg", "0", "\(Self.count - 1)").stdout
            let programs = [
                "ls | sort", "ls -f | grep -v '^[.]' | sort", "find . -type f -printf '%f\\n' | sort",
                "ls -l | awk 'NR > 1 {print $NF}' | sort",
            ]
            for program in programs {
                let outcome = try run("sh", "-c", program, cwd: directory, timeout: 100)
                let isWhole = outcome.stdout == all
                #expect(isWhole, "`\(program)` does not list every name once")
            }

            // Every second name goes while the directory is listed: the others show exactly once in every listing.
            let removal = try RunningProgram(
                "sh", ["-c", "seq -f 'name%06g.jpg' 0 2 \(Self.count - 1) | xargs rm"], cwd: directory)
            var listings = 0
            repeat {
                let names = try Self.listing(directory)
                #expect(Set(names).count == names.count, "a name was listed twice")
                let odd = names.filter { ($0.dropLast(4).last?.wholeNumberValue ?? 0) % 2 == 1 }
                #expect(odd.count == Self.count / 2, "a name that stays was not listed")
                listings += 1
                Clock.sleep(Self.pause)
            } while removal.isRunning
            expectSuccess(removal.wait(timeout: 100))
            #expect(listings > 0)
            #expect(try Self.listing(directory).count == Self.count / 2)

            let wholeRemoval = try RunningProgram("rm", ["-r", directory])
            while wholeRemoval.isRunning {
                guard let names = try? Self.listing(directory) else { continue }
                #expect(Set(names).count == names.count, "a name was listed twice")
                Clock.sleep(Self.pause)
            }
            expectSuccess(wholeRemoval.wait(timeout: 100))
            #expect(!Files.exists(directory))
            #expect(try roll.peakMemory() < LargeFileTests.memoryLimit)
        }
    }

    private static func listing(_ path: String) throws -> [String] {
        var names: [String] = []
        try Directory(path).forEachName { names.append($0) }
        return names
    }

    /// A directory stream can be read twice, and taken up in the middle.
    @Test func streamsAreRewoundAndSought() throws {
        let script = """
            import os, sys
            # A listing through one open descriptor, rewound: the same names again.
            directory = os.open(sys.argv[1], os.O_RDONLY)
            first = os.listdir(directory)
            os.lseek(directory, 0, os.SEEK_SET)
            assert sorted(first) == sorted(os.listdir(directory))
            # Two descriptors that read by turns.
            one, other = os.scandir(sys.argv[1]), os.scandir(sys.argv[1])
            a, b = [], []
            for x, y in zip(one, other):
                a.append(x.name); b.append(y.name)
            assert a == b and sorted(a) == sorted(first) and len(set(a)) == len(a)
            print(len(a))
            """
        try withMountedLibrary { roll in
            let directory = roll.dcim + "/many"
            try Files.makeDirectory(directory)
            try require("sh", "-c", "seq 1 3000 | sed 's/$/.tmp/' | xargs touch", cwd: directory)
            let outcome = try run("python3", "-c", script, directory)
            expectSuccess(outcome)
            #expect(outcome.stdout == "3000\n")
        }
    }
}
