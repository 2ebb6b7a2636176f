import Glibc
import Platform
import Support
import Testing

/// `mount -t cameraroll` and lines of fstab, by the helper that mount(8) looks for in /sbin.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, for mount(8)")) struct MountHelperTests {
    private let helper = Product.packageRoot + "/mount-scripts/mount.cameraroll"
    private let environment = ["CAMERAROLL_COMMAND": Product.command, "TZ": "UTC"]

    /// Runs `body` with the helper where mount(8) finds it.
    private func withHelper(_ body: () throws -> Void) throws {
        let link = "/sbin/mount.cameraroll"
        let isNew = !Files.exists(link)
        if isNew { try Posix.symlink(helper, link) }
        defer { if isNew { unlink(link) } }
        try body()
    }

    private func expectMounted(_ roll: MountedLibrary) throws {
        let found = try require("findmnt", "-n", "-o", "FSTYPE,TARGET", roll.root).stdout
        #expect(found.hasPrefix("fuse.cameraroll"), "\(found)")
        let bytes = Generated.jpeg()
        try Files.write(bytes, to: roll.dcim + "/a.jpg")
        #expect(try Files.read(roll.dcim + "/a.jpg") == bytes)
        try require("umount", roll.root)
        var tries = 0
        while !roll.processes().isEmpty, tries < 200 {
            Clock.sleep(20_000_000)
            tries += 1
        }
        #expect(roll.processes().isEmpty, "the process ends with its mount")
        try roll.mount()
        #expect(try Files.read(roll.dcim + "/a.jpg") == bytes)
    }

    @Test func mountByType() throws {
        try withHelper {
            try withMountedLibrary { roll in
                try roll.unmount()
                expectSuccess(
                    try run(
                        "mount", "-t", "cameraroll", "-o", "authorize=read-write,noatime", roll.library, roll.root,
                        environment: environment))
                try expectMounted(roll)
            }
        }
    }

    @Test func mountByFstab() throws {
        try withHelper {
            try withMountedLibrary { roll in
                try roll.unmount()
                let table = roll.place("fstab")
                let options = "authorize=read-write,allow_other,noauto,nofail,_netdev,x-systemd.automount"
                try Files.write(Array("\(roll.library) \(roll.root) cameraroll \(options) 0 0\n".utf8), to: table)
                expectSuccess(try run("mount", "--fstab", table, roll.root, environment: environment))
                try expectMounted(roll)
            }
        }
    }

    @Test func readOnlyByOption() throws {
        try withMountedLibrary { roll in
            try roll.unmount()
            expectSuccess(
                try run(helper, roll.library, roll.root, "-o", "ro,authorize=read-write", environment: environment))
            #expect(failure { try Posix.makeDirectory(roll.dcim + "/d") } == .readOnlyFileSystem)
        }
    }

    /// Mistakes are told in mount(8)'s own exit codes.
    @Test func mistakes() throws {
        try withMountedLibrary { roll in
            try roll.unmount()
            let unknown = try run(helper, roll.library, roll.root, "-o", "frobnicate", environment: environment)
            #expect(unknown.status == 1)
            #expect(unknown.stderr.contains("frobnicate"))
            #expect(try run(helper, roll.library, environment: environment).status == 1)
            let missing = try run(helper, roll.place("none"), roll.root, environment: environment)
            #expect(missing.status == 32, "\(missing)")
            let fake = try run(helper, "-f", roll.library, roll.root, environment: environment)
            expectSuccess(fake)
            #expect(!MountedLibrary.isMountPoint(roll.root))
            let sloppy = try run(
                helper, roll.library, roll.root, "-s", "-o", "frobnicate", environment: environment)
            expectSuccess(sloppy)
        }
    }
}
