import Platform
import Support
import Testing

/// The administrator's policy file, in a mount namespace of the test's own: other tests mount meanwhile.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, to hide /etc behind a directory of its own"))
struct PolicyFileTests {
    /// Runs a shell script where the policy file holds `policy`; `$1` is the command, `$2` a library, `$3` a mount point.
    private func run(_ script: String, policy: String, mode: UInt32 = 0o644) throws -> Outcome {
        try withTemporaryPlace { place in
            // A copy of the whole: nothing is made, and nothing has to be removed, in the directory that all tests see.
            // Other tests make users meanwhile, and their programs files that are gone before cp comes to them.
            _ = try Support.run("cp", "-a", "/etc", place("etc"))
            try Files.makeDirectory(place("etc/cameraroll"))
            try Files.makeDirectory(place("mount"))
            try Files.write(Array(policy.utf8), to: place("etc/cameraroll/policy.json"))
            try Posix.setMode(place("etc/cameraroll/policy.json"), mode)
            try require(Product.command, "init", place("library"))
            let whole = "mount --bind \"$4\" /etc\n\(script)"
            return try Support.run(
                "unshare", "--mount", "sh", "-c", whole, "sh", Product.command, place("library"), place("mount"),
                place("etc"))
        }
    }

    @Test(
        arguments: [
            ("{\"restrictions\": [\n  {\"usr\": 0}\n]}", 0o644, "/etc/cameraroll/policy.json, line 2: \"usr\""),
            ("{\"restrictions\": [", 0o644, "/etc/cameraroll/policy.json, line 1: It is not JSON"),
            ("{\"restrictions\": []}", 0o666, "chmod go-w"),
        ] as [(String, UInt32, String)])
    func badFile(policy: String, mode: UInt32, mention: String) throws {
        for option in ["", "--foreground"] {
            let outcome = try run(
                """
                timeout 20 "$1" mount "$2" "$3" --authorize read-write \(option)
                echo "status $?"
                "$1" authorization "$2" list
                """, policy: policy, mode: mode)
            #expect(outcome.stdout == "status 9\n", "\(outcome)")
            #expect(outcome.stderr.contains(mention), "\(outcome)")
            #expect(outcome.stderr.contains("Nothing is mounted"), "\(outcome)")
        }
    }

    /// What is restricted stays so, whatever the owner stores, for root as well.
    @Test func restricted() throws {
        let outcome = try run(
            """
            "$1" mount "$2" "$3" --authorize read-write || exit
            ls "$3/DCIM"
            (: > "$3/DCIM/a.tmp") 2>&1
            "$1" authorization "$2" allow user:0
            (: > "$3/DCIM/a.tmp") 2>&1
            "$1" unmount "$3"
            """, policy: "{\"restrictions\": [{\"user\": \"*\"}]}")
        expectSuccess(outcome)
        let refusals =
            outcome.stdout.split(separator: "Operation not permitted", omittingEmptySubsequences: false).count - 1
        #expect(refusals == 2, "\(outcome)")
        #expect(outcome.stderr.contains("restricted by this machine's administrator"), "\(outcome)")
    }
}
