import Foundation
import Glibc
import Platform

/// What this machine lets tests do.
public enum Machine {
    /// Tests that mount devices or make users need root.
    public static let isRoot: Bool = {
        if getuid() != 0 { print("Not run by root: tests that mount devices or make users are skipped.") }
        return getuid() == 0
    }()

    /// A file system in a file can be mounted (loop devices).
    public static let canLoopMount: Bool = {
        let found = isRoot && FileManager.default.fileExists(atPath: "/dev/loop-control")
        if !found { print("No loop devices: tests on a full store are skipped.") }
        return found
    }()

    /// How many users were made.
    private static let users = Lock(0)

    /// Runs `body` with a user made for it, who is removed afterwards.
    public static func withUser<Result>(_ suffix: String, _ body: (TestUser) throws -> Result) throws -> Result {
        // Of its own, since other tests and other runs make users meanwhile.
        let number = users.withLock { number in
            number += 1
            return number
        }
        let name = "cr-\(getpid())-\(suffix)-\(number)"
        // Both lock the user database for a moment, and give up where another holds it.
        try users.withLock { _ in
            Swift.Result {
                _ = try require("useradd", "--system", "--no-create-home", "--shell", "/bin/sh", name)
            }
        }.get()
        defer { users.withLock { _ in _ = try? run("userdel", name) } }
        guard let uid = UInt32(try require("id", "-u", name).stdout.filter(\.isNumber)),
            let gid = UInt32(try require("id", "-g", name).stdout.filter(\.isNumber))
        else { throw HarnessError("no numbers for the user \(name)") }
        return try body(TestUser(name: name, uid: uid, gid: gid))
    }

    /// Runs `body` with the mount point of a small ext4 file system of its own.
    public static func withSmallFileSystem<Result>(
        mebibytes: Int, _ body: (String) throws -> Result
    ) throws -> Result {
        try withTemporaryPlace { place in
            let image = place("image")
            let directory = place("small")
            try require("truncate", "-s", "\(mebibytes)M", image)
            // Root's reserve would hide from root that the disk is full.
            try require("mkfs.ext4", "-q", "-m", "0", image)
            try Files.makeDirectory(directory)
            try require("mount", "-o", "loop", image, directory)
            defer {
                if (try? run("umount", directory).succeeded) != true { _ = try? run("umount", "-l", directory) }
            }
            return try body(directory)
        }
    }
}
