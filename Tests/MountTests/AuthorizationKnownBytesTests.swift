import Platform
import Support
import Testing

/// Bytes that the library has already, copied by one who may not see them, of the same user: the kernel's permissions
/// stop nothing, so that what happens is the library's own doing.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, to make users"))
struct AuthorizationKnownBytesTests {
    /// The user sees everything; what python does may only add.
    private func withAdder(_ body: (MountedLibrary, TestUser, (String) throws -> String) throws -> Void) throws {
        try withUsers(["owner"]) { users in
            let user = users[0]
            try withMountedLibrary(MountOptions(options: ["allow_other", "relaxed"])) { roll in
                try Posix.setMode(roll.dcim, 0o777)
                let python = try require("readlink", "-f", "/usr/bin/python3").lines[0]
                try roll.authorize("allow", "user:\(user.uid)")
                try roll.authorize("deny", "program:\(python)@\(user.uid)", "--level", "read-write")
                try roll.authorize("allow", "program:\(python)@\(user.uid)", "--level", "add-only")
                let source = roll.place("source.jpg")
                try Generated.photo(at: source, date: "2024:05:17 10:00:00")
                expectSuccess(try run("cp", source, roll.dcim + "/theirs.jpg", user: user))
                try require("setfattr", "-n", "user.secret", "-v", "secret", roll.dcim + "/theirs.jpg")
                let head = """
                    import os
                    data = open('\(source)', 'rb').read()
                    dcim = '\(roll.dcim)'
                    mine = dcim + '/mine.jpg'
                    file = os.open(mine, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
                    os.write(file, data)
                    os.close(os.dup(file))
                    def attempt(body):
                        try: return body()
                        except OSError as error: return error.strerror

                    """
                try body(roll, user) { code in
                    let outcome = try run(python, "-c", head + code, user: user)
                    return outcome.stdout + outcome.stderr
                }
            }
        }
    }

    private struct Facts: Equatable {
        var bytes: [UInt8]
        var mode: UInt32
        var modified: Int64
        var attributes: String
    }

    private func facts(_ roll: MountedLibrary) throws -> Facts {
        let path = roll.dcim + "/theirs.jpg"
        let status = try Files.existing(path)
        return Facts(
            bytes: try Files.read(path), mode: status.mode, modified: status.modificationTime,
            attributes: try require("getfattr", "-d", "-m", "-", path).stdout)
    }

    @Test(arguments: [
        "os.close(file); f = os.open(mine, os.O_WRONLY | os.O_APPEND); os.write(f, b'more'); os.close(f)",
        "os.close(file); os.truncate(mine, len(data) - 1)", "os.close(file); os.chmod(mine, 0o600)",
        "os.close(file); os.utime(mine, (5, 5))", "os.close(file); os.setxattr(mine, 'user.x', b'1')",
        "os.fchmod(file, 0o600); os.utime(file, (5, 5)); os.close(file)", "os.setxattr(file, 'user.x', b'1')",
        "os.write(file, b'more'); os.close(file)", "os.close(file); os.unlink(mine)",
        "os.close(file); open(dcim + '/x.tmp', 'wb').write(data + b'other'); os.rename(dcim + '/x.tmp', mine)",
        "os.close(file); os.rename(mine, dcim + '/../Recently Deleted/mine.jpg')",
        "os.close(file); os.rename(mine, dcim + '/../Dates/2024/2024-05/2024-05-17/mine.jpg')",
        "os.close(file); os.unlink(dcim + '/../Recently Added/theirs.jpg')",
    ])
    func theirsStayAsTheyAre(attempt: String) throws {
        try withAdder { roll, _, python in
            let before = try facts(roll)
            _ = try python(attempt)
            #expect(try facts(roll) == before)
            #expect(try roll.trash().isEmpty)
        }
    }

    @Test func whatACopyTells() throws {
        try withAdder { _, _, python in
            let told = try python(
                """
                os.close(file)
                print(os.listdir(dcim), os.listdir(dcim + '/../Recently Added'), os.listdir(dcim + '/../Dates'))
                print(os.listxattr(mine), attempt(lambda: os.getxattr(mine, 'user.secret')), os.stat(mine).st_nlink)
                print(open(mine, 'rb').read() == data, attempt(lambda: os.rename(mine, dcim + '/other.jpg')))
                print(os.listdir(dcim), attempt(lambda: os.unlink(dcim + '/other.jpg')), os.listdir(dcim))
                """)
            #expect(
                told == """
                    ['mine.jpg'] [] []
                    [] No data available 1
                    True None
                    ['other.jpg'] None []

                    """)
        }
    }

    /// A limited client was first; whoever copies the same picture after it must be able to rely on it.
    @Test func whoWasFirstCannotTakeItAway() throws {
        try withUsers(["limited"]) { users in
            try withMountedLibrary(MountOptions(options: ["allow_other", "relaxed"])) { roll in
                try Posix.setMode(roll.dcim, 0o777)
                let client = "user:\(users[0].uid)"
                try roll.setRecords(of: client, readWrite: 4, addOnly: 0)
                let source = roll.place("source.jpg")
                try Generated.photo(at: source, date: "2024:05:17 10:00:00")
                expectSuccess(try runUnhindered(users[0], ["cp", source, roll.dcim + "/first.jpg"]))
                expectSuccess(try run("cp", source, roll.dcim + "/second.jpg"))
                let attempts = try runUnhindered(
                    users[0],
                    [
                        "sh", "-c",
                        """
                        cd "$1"; /bin/echo more >> DCIM/first.jpg; truncate -s 0 DCIM/first.jpg; ls DCIM
                        for view in 'Recently Added' Dates/2024/2024-05/2024-05-17; do rm -f "$view"/*; done
                        mv DCIM/first.jpg 'Recently Deleted/'; rm -f 'Recently Deleted'/*; rm -f DCIM/first.jpg
                        """, "sh", roll.root,
                    ])
                #expect(attempts.stdout == "first.jpg\n", "\(attempts)")
                #expect(try Files.names(in: roll.dcim) == ["second.jpg"])
                try expectAsset(roll.dcim + "/second.jpg", holding: source)
            }
        }
    }
}
