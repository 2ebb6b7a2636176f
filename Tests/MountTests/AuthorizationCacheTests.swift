import Glibc
import Platform
import Support
import Testing

/// What the kernel keeps of names, attributes and bytes serves nobody whom the records let in no more.
@Suite struct AuthorizationCacheTests {
    /// On a mount of one user the kernel keeps names for a second; a revocation holds when the command returns.
    @Test(arguments: [["deny"], ["deny", "--level=read-write"], ["reset"]])
    func revocation(verb: [String]) throws {
        try withMountedLibrary(MountOptions(options: ["prompt_timeout=0"])) { roll in
            // Who may still add sees a tree without it; who may do nothing learns of no name.
            let mayAdd = verb.count > 1
            let refusal: Errno = mayAdd ? .noEntry : .accessDenied
            try Files.makeDirectory(roll.dcim + "/d")
            let path = roll.dcim + "/d/a.jpg"
            let bytes = Generated.jpeg()
            try Files.write(bytes, to: path)
            let open = try Posix.open(path, O_RDONLY)
            let directory = try Posix.open(roll.dcim + "/d", O_RDONLY | O_DIRECTORY)
            for round in 0..<3 {
                // Warm: names, attributes, listing, contents.
                for _ in 0..<3 {
                    #expect(try Files.read(path) == bytes)
                    #expect(try Files.tree(roll.dcim) == ["d/a.jpg"])
                }
                try roll.authorize(verb[0], "user:\(getuid())", verb.dropFirst().first ?? "--")
                #expect(failure { _ = try Files.status(path) } == (mayAdd ? nil : .accessDenied), "round \(round)")
                #expect(failure { _ = try Files.read(path) } == refusal)
                #expect(failure { try Posix.unlink(path) } == refusal)
                #expect(try Files.names(in: roll.dcim) == [])
                // What was open before stays open (as after a chmod).
                #expect(try Posix.pread(open, count: bytes.count, at: 0) == bytes)
                #expect(try Posix.status(open).size == Int64(bytes.count))
                try roll.authorize("allow", "user:\(getuid())")
                #expect(try Files.existing(path).size == Int64(bytes.count))
            }
            try Posix.close(open)
            try Posix.close(directory)
        }
    }
}
