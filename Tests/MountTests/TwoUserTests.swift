import Platform
import Support
import Testing

/// Two users on one mount: the kernel's permissions and the library's own gate are both on.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, to make users")) struct TwoUserTests {
    private func withGuest(_ body: (MountedLibrary, TestUser) throws -> Void) throws {
        try Machine.withUser("guest") { guest in
            try withMountedLibrary(MountOptions(options: ["allow_other"])) { roll in
                try Files.makeDirectory(roll.dcim + "/trip")
                // Open to everyone as far as the kernel is concerned.
                for path in [roll.dcim, roll.dcim + "/trip"] { try Posix.setMode(path, 0o777) }
                try Files.write(Generated.jpeg(), to: roll.dcim + "/trip/a.jpg")
                // Root's listing is in the kernel's cache now.
                #expect(try Files.tree(roll.dcim) == ["trip/a.jpg"])
                try body(roll, guest)
            }
        }
    }

    private func authorize(_ roll: MountedLibrary, _ words: String...) throws {
        let outcome = try run(Product.command, arguments: ["authorization", roll.library] + words)
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
    }

    private func expectNothing(_ roll: MountedLibrary, for guest: TestUser) throws {
        for directory in ["DCIM", "Dates", "Recently Added", "Recently Deleted"] {
            let listing = try run("ls", "-A", "\(roll.root)/\(directory)", user: guest)
            expectSuccess(listing)
            #expect(listing.stdout == "", "\(directory) shows \(listing.stdout)")
        }
        let read = try run("cat", roll.dcim + "/trip/a.jpg", user: guest)
        #expect(read.status == 1)
        #expect(read.stderr.contains("Permission denied"), "\(read)")
        let write = try run("sh", "-c", "echo x > \"$1\"", "sh", roll.dcim + "/new.tmp", user: guest)
        #expect(write.status != 0)
        #expect(write.stderr.contains("Permission denied") || write.stderr.contains("cannot create"), "\(write)")
        for command in [
            ["rm", "-f", roll.dcim + "/trip/a.jpg"], ["mkdir", roll.dcim + "/new"],
            ["mv", roll.dcim + "/trip", roll.dcim + "/moved"],
        ] {
            let outcome = try run(command[0], arguments: Array(command.dropFirst()), user: guest)
            #expect(outcome.stderr.contains("Permission denied"), "\(outcome)")
        }
        #expect(try Files.tree(roll.dcim) == ["trip/a.jpg"])
    }

    @Test func deniedUserSeesNothing() throws {
        try withGuest { roll, guest in
            try authorize(roll, "deny", "user:\(guest.name)")
            try expectNothing(roll, for: guest)
            let events = try Product.json("log", roll.library, as: EventList.self).events
            let refusals = events.filter { $0.errno == "EACCES" }
            let clients = refusals.compactMap(\.client)
            #expect(clients.contains { $0 == "user:\(guest.uid)" || $0.hasSuffix("@\(guest.uid)") }, "\(events)")
            // The denial outlives the mount.
            try roll.remount()
            try expectNothing(roll, for: guest)
        }
    }

    @Test func unknownUserSeesNothing() throws {
        try withGuest { roll, guest in try expectNothing(roll, for: guest) }
    }

    @Test func allowedUserReadsAndWrites() throws {
        try withGuest { roll, guest in
            try authorize(roll, "allow", "user:\(guest.name)")
            let listing = try run("ls", roll.dcim + "/trip", user: guest)
            #expect(listing.stdout == "a.jpg\n")
            expectSuccess(try run("cmp", roll.dcim + "/trip/a.jpg", roll.dcim + "/trip/a.jpg", user: guest))
            let source = roll.place("guest.jpg")
            try WriterProgramsTests.makeSource(source)
            expectSuccess(try run("cp", source, roll.dcim + "/trip/", user: guest))
            try expectAsset(roll.dcim + "/trip/guest.jpg", holding: source)
            #expect(try Files.existing(roll.dcim + "/trip/guest.jpg").uid == guest.uid)
            // The kernel's permissions count besides: root's file is not the guest's to change.
            let denied = try run("sh", "-c", ": >> \"$1\"", "sh", roll.dcim + "/trip/a.jpg", user: guest)
            #expect(denied.status != 0)

            // Taken back: at once, without a remount.
            try authorize(roll, "deny", "user:\(guest.name)")
            let after = try run("ls", roll.dcim + "/trip", user: guest)
            #expect(!after.stdout.contains("a.jpg"))
            try authorize(roll, "reset", "user:\(guest.name)")
            let list = try Product.json("authorization", roll.library, "list", as: AuthorizationList.self)
            let left = list.records.filter { $0.client.contains("\(guest.uid)") && $0.status != "notDetermined" }
            #expect(left.isEmpty, "\(left)")
        }
    }

    /// May save, may not look around.
    @Test func addOnlyUser() throws {
        try withGuest { roll, guest in
            try authorize(roll, "allow", "user:\(guest.name)", "--level", "add-only")
            // Directories show, and look empty.
            #expect(try run("find", roll.dcim, "-type", "f", user: guest).stdout == "")
            let source = roll.place("guest.jpg")
            try WriterProgramsTests.makeSource(source)
            expectSuccess(try run("cp", "-p", source, roll.dcim + "/guest.jpg", user: guest))
            try expectAsset(roll.dcim + "/guest.jpg", holding: source)
            // Its own it may still see for a while; what was there it may not.
            expectSuccess(try run("cmp", source, roll.dcim + "/guest.jpg", user: guest))
            let read = try run("cat", roll.dcim + "/trip/a.jpg", user: guest)
            #expect(read.status == 1)
            #expect(!Files.exists(roll.dcim + "/new"))
            #expect(try run("rm", roll.dcim + "/trip/a.jpg", user: guest).status == 1)
            #expect(Files.exists(roll.dcim + "/trip/a.jpg"))
        }
    }

    /// A program's own record goes before its user's.
    @Test func programRecord() throws {
        try withGuest { roll, guest in
            try authorize(roll, "deny", "user:\(guest.name)")
            let cat = try require("sh", "-c", "readlink -f \"$(command -v cat)\"").lines[0]
            try authorize(roll, "allow", "program:\(cat)@\(guest.uid)")
            expectSuccess(try run("cat", roll.dcim + "/trip/a.jpg", user: guest))
            #expect(try run("head", roll.dcim + "/trip/a.jpg", user: guest).status == 1)
        }
    }

    /// Without `allow_other` nobody but the mounting user comes in at all.
    @Test func withoutAllowOther() throws {
        try Machine.withUser("guest") { guest in
            try withMountedLibrary { roll in
                try authorize(roll, "allow", "user:\(guest.name)")
                let outcome = try run("ls", roll.root, user: guest)
                #expect(outcome.stderr.contains("Permission denied"), "\(outcome)")
            }
        }
    }

    /// Nobody answered for the mounting user: refused, and no one is asked behind their back.
    @Test func mountingUserWithoutARecord() throws {
        try withMountedLibrary(MountOptions(authorize: nil, options: ["prompt_timeout=1"])) { roll in
            #expect(try Files.names(in: roll.dcim) == [])
            #expect(failure { try Files.write([], to: roll.dcim + "/a.jpg") } == .accessDenied)
            try authorize(roll, "allow", "user:0")
            try Files.write(Generated.jpeg(), to: roll.dcim + "/a.jpg")
            #expect(try Files.names(in: roll.dcim) == ["a.jpg"])
        }
    }
}
