import Foundation
import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

/// Kills a process that changes a library, again and again, and looks at what it left.
///
/// The process is this test program itself, run for `CrashChild` alone. It says on standard output what it is about to
/// do and what has returned.
@Suite struct CrashTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func whatWasReportedIsThereAfterAKill(seed: UInt64) throws {
        try withTemporaryPlace { place in
            let path = place("library")
            try Library.create(at: path)
            var random = SeededGenerator(seed: seed)
            var promises = Promises()
            var reports = 0
            for round in 0..<8 {
                let child = try RunningProgram(
                    "/proc/self/exe", ["--testing-library", "swift-testing", "--filter", "CrashChild"],
                    environment: [CrashChild.variable: path, "CAMERAROLL_CRASH_SEED": "\(seed * 100 + UInt64(round))"])
                let deadline = Date().addingTimeInterval(30)
                while !child.outputSoFar.contains("\nREPORT "), child.isRunning, Date() < deadline { usleep(1000) }
                usleep(UInt32.random(in: 0...150_000, using: &random))
                #expect(child.isRunning, "\(child.outputSoFar)")
                child.kill()
                let outcome = child.wait()
                reports += promises.add(outcome.stdout)

                let library = try Library(path: path)
                defer { library.close() }
                let report = try library.recover()
                for node in report.unfinished { _ = try? library.commitUnfinished(node) }
                let problems = try LibraryInvariants.problems(in: path)
                #expect(problems == [], "round \(round)")
                let broken = try promises.broken(in: library, path)
                #expect(broken == [], "round \(round)")
                if !problems.isEmpty || !broken.isEmpty { return }
            }
            #expect(reports > 8)
        }
    }
}

/// What a process said, and what must hold after it was killed.
private struct Promises {
    /// The bytes that a path may hold: one number where the last change of it has returned, several where it was under way.
    private var paths: [String: Set<UInt64?>] = [:]
    /// Paths whose file was found pending: its close had not returned, so nothing promised an asset.
    private var pending: Set<String> = []
    /// Originals that nothing has deleted for good.
    private var originals: Set<UInt64> = []

    /// Reads a process's output. - Returns: the number of reports in it.
    mutating func add(_ output: String) -> Int {
        var count = 0
        // The last line may be cut off.
        for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        where line.hasPrefix("REPORT ") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 5 else { continue }
            count += 1
            let (path, number) = (words[3], UInt64(words[4]))
            if words[2] == "purge" {
                if let number { originals.remove(number) }
            } else if words[1] == "will" {
                paths[path, default: [nil]].insert(number)
            } else {
                paths[path] = [number]
                pending.remove(path)
                if words[2] == "add", let number { originals.insert(number) }
            }
        }
        return count
    }

    /// What does not hold. What was under way is settled by what is found.
    mutating func broken(in library: Library, _ directory: String) throws -> [String] {
        var broken: [String] = []
        for (path, allowed) in paths {
            let found: UInt64?
            if let node = try library.node(atPath: path) {
                let file = try library.openFile(of: node, forWriting: false)
                // A file that was just made and not written to holds nothing.
                found = try file.status().size == 0 ? nil : Self.number(of: try file.readBytes(1 << 16, at: 0))
                if node.kind == .asset {
                    pending.remove(path)
                } else if allowed.count == 1, !allowed.contains(nil), !pending.contains(path) {
                    broken.append("\(path) is no asset any more")
                } else {
                    pending.insert(path)
                }
            } else {
                found = nil
            }
            if !allowed.contains(found) { broken.append("\(path) holds \(found ?? 0), not one of \(allowed)") }
            paths[path] = [found]
        }
        let kept = Set(
            try Files.tree(directory + "/originals").compactMap {
                Self.number(of: try Files.read("\(directory)/originals/\($0)"))
            })
        for number in originals where !kept.contains(number) { broken.append("the original \(number) is gone") }
        return broken
    }

    private static func number(of bytes: [UInt8]) -> UInt64? {
        bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
}

/// What the process does that is killed.
@Suite struct CrashChild {
    static let variable = "CAMERAROLL_CRASH_LIBRARY"
    private static let path = ProcessInfo.processInfo.environment[variable]

    @Test(.enabled(if: path != nil, "run by CrashTests in a process of its own"))
    func changesALibraryUntilItIsKilled() throws {
        let seed = UInt64(ProcessInfo.processInfo.environment["CAMERAROLL_CRASH_SEED"] ?? "") ?? 0
        let child = try Changer(Library(path: Self.path ?? ""), seed)
        while true { try child.step() }
    }
}

private final class Changer {
    private let library: Library
    private var random: SeededGenerator
    /// Every file is another one.
    private var next: UInt64
    /// What lies where, as far as this process knows.
    private var known: [String: (number: UInt64, day: Int)] = [:]

    init(_ library: Library, _ seed: UInt64) throws {
        self.library = library
        random = SeededGenerator(seed: seed)
        next = seed * 1_000_000 + 1
    }

    func step() throws {
        let path = "DCIM/\(Int.random(in: 0..<24, using: &random)).jpg"
        let name = try FileName(String(path.dropFirst(5)))
        next += 1
        guard let entry = try library.entry(name, in: Library.cameraRollNode), entry.node.kind == .asset else {
            if try library.entry(name, in: Library.cameraRollNode) != nil { return }
            return try change(path, "add", next) {
                let day = Int.random(in: 1...28, using: &random)
                known[path] = (next, day)
                try add(name, picture(next, day))
            }
        }
        let node = entry.node
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            guard let known = known[path] else { return }
            // The same picture by a temporary file and a rename.
            try change(path, "edit", next) {
                let temporary = try FileName("\(next).tmp")
                try add(temporary, picture(next, known.day))
                _ = try library.rename(
                    temporary, in: Library.cameraRollNode, to: name, in: Library.cameraRollNode, mayReplace: true,
                    openFile: nil, client: "user:1")
            }
        case 1:
            guard let known = known[path] else { return }
            try change(path, "edit", next) { try overwrite(node, picture(next, known.day)) }
        case 2:
            // Another picture: the one that is there steps aside.
            let day = (known[path]?.day ?? 0) % 28 + 1
            guard known[path] != nil else { return }
            known[path] = (next, day)
            try change(path, "add", next) { try overwrite(node, picture(next, day)) }
        case 3:
            try change(path, "delete", nil) {
                _ = try library.unlink(name, in: Library.cameraRollNode)
                known[path] = nil
            }
        default:
            // Deletes for good what was deleted; its original is announced by number.
            for deleted in try library.trash() {
                guard let number = try number(of: deleted.node) else { continue }
                say("will", "purge", "-", number)
                return try library.purge(deleted.node.id)
            }
        }
    }

    /// The number of an asset's original; nil of an edited one, which is not known here.
    private func number(of node: NodeRecord) throws -> UInt64? {
        guard let asset = node.asset, try library.assetRecord(asset)?.isEdited == false else { return nil }
        let bytes = try library.openFile(of: node, forWriting: false).readBytes(1 << 16, at: 0)
        return bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }

    private func picture(_ number: UInt64, _ day: Int) -> [UInt8] {
        let text = day < 10 ? "0\(day)" : "\(day)"
        return Picture.jpeg(number, look: UInt8(number % 90) + 1, date: "2024:05:\(text) 10:00:00")
    }

    private func add(_ name: FileName, _ bytes: [UInt8]) throws {
        let made = try library.makeFile(
            name, in: Library.cameraRollNode, mode: 0o644, owner: Library.Owner(uid: 0, gid: 0, client: "user:1"))
        try bytes.withUnsafeBytes { try made.file.writeFully($0, at: 0) }
        _ = try library.commitPending(made.node.id, file: made.file, client: "user:1")
    }

    private func overwrite(_ node: NodeRecord, _ bytes: [UInt8]) throws {
        let draft = try library.makeDraft(of: node.id, copying: nil)
        try bytes.withUnsafeBytes { try draft.file.writeFully($0, at: 0) }
        _ = try library.commitDraft(draft, of: node.id, amends: false, written: nil, client: "user:1")
    }

    private func change(_ path: String, _ what: String, _ number: UInt64?, _ body: () throws -> Void) throws {
        say("will", what, path, number)
        try body()
        say("did", what, path, number)
    }

    private func say(_ when: String, _ what: String, _ path: String, _ number: UInt64?) {
        let line = Array("\nREPORT \(when) \(what) \(path) \(number.map { "\($0)" } ?? "nothing")\n".utf8)
        _ = write(1, line, line.count)
    }
}
