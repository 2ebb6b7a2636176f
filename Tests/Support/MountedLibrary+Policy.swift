import Glibc

/// An administrator's policy for one mount process alone: it starts in a mount namespace of its own, in which
/// `/etc/cameraroll` is another directory. What it mounts shows outside, since the test's directory is shared.
extension MountedLibrary {
    private static let standardDirectory = "/etc/cameraroll"

    func preparePolicy() throws {
        guard let policy = options.policy else { return }
        try Files.makeDirectory(place("policy"))
        try Files.write(Array(policy.utf8), to: place("policy") + "/policy.json")
        try Files.makeDirectory(Self.standardDirectory)
        try require("mount", "--bind", place.path, place.path)
        try require("mount", "--make-shared", place.path)
    }

    /// What comes before the mount command.
    var mountPrefix: [String] {
        guard options.policy != nil else { return [] }
        let script = "mount --make-private / && mount --bind \"$0\" \(Self.standardDirectory) && exec \"$@\""
        return ["unshare", "--mount", "--propagation", "unchanged", "sh", "-c", script, place("policy")]
    }

    func removePolicy() {
        guard options.policy != nil else { return }
        // A bind mount is on the same device as what lies around it: only unmounting tells whether there is one.
        var tries = 0
        while tries < 5, (try? run("umount", "-l", place.path).succeeded) == true { tries += 1 }
        // It stays where it holds something, or another test needs it.
        rmdir(Self.standardDirectory)
    }
}
