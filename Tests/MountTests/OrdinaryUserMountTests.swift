import Platform
import Support
import Testing

/// An ordinary user's mount, through fusermount3.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, to make a user")) struct OrdinaryUserMountTests {
    @Test func mountCopyAndUnmount() throws {
        try Machine.withUser("owner") { owner in
            // The whole way to the command has to be open to them.
            let reachable = try run(Product.command, "--help", user: owner)
            try #require(reachable.succeeded, "another user cannot run \(Product.command): \(reachable)")
            try withMountedLibrary(MountOptions(user: owner)) { roll in
                let source = roll.place("source.jpg")
                try WriterProgramsTests.makeSource(source)
                try require("chown", "\(owner.uid)", source)
                expectSuccess(try run("cp", source, roll.dcim + "/a.jpg", user: owner))
                expectSuccess(try run("cmp", source, roll.dcim + "/a.jpg", user: owner))
                let owned = try run("stat", "-c", "%u %h %a", roll.dcim + "/a.jpg", user: owner).stdout
                #expect(owned.hasPrefix("\(owner.uid) 1 "), "\(owned)")
                expectSuccess(try run("mkdir", roll.dcim + "/trip", user: owner))
                expectSuccess(try run("mv", roll.dcim + "/a.jpg", roll.dcim + "/trip/", user: owner))
                expectSuccess(try run("rm", "-r", roll.dcim + "/trip", user: owner))
                let deleted = try run("ls", roll.root + "/Recently Deleted", user: owner)
                #expect(deleted.stdout == "a.jpg\n")
                // Not even root looks into a mount that is not its own.
                #expect(failure { _ = try Files.names(in: roll.dcim) } == .accessDenied)
                #expect(try roll.status().mounts.map(\.mountpoint) == [roll.root])
                try roll.remount()
                let kept = try run("ls", roll.root + "/Recently Deleted", user: owner)
                #expect(kept.stdout == "a.jpg\n")
            }
        }
    }

    /// A mount whose process was killed is cleared by its user.
    @Test func staleMountPoint() throws {
        try Machine.withUser("owner") { owner in
            try withMountedLibrary(MountOptions(user: owner)) { roll in
                expectSuccess(
                    try run("sh", "-c", "echo x > \"$1\"", "sh", roll.dcim + "/x.tmp", user: owner))
                roll.kill9()
                try roll.mount()
                #expect(try run("cat", roll.dcim + "/x.tmp", user: owner).stdout == "x\n")
            }
        }
    }
}
