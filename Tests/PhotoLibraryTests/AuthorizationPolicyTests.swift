import Glibc
import Support
import Testing

@testable import PhotoLibrary

@Suite struct AuthorizationPolicyTests {
    private func parse(_ text: String) throws(PolicyError) -> AuthorizationPolicy {
        try AuthorizationPolicy.parse(Array(text.utf8), path: "/p")
    }

    private func levels(
        _ policy: AuthorizationPolicy, _ user: UInt32, _ program: String? = "/usr/bin/some"
    ) -> [AccessLevel] {
        AccessLevel.allCases.filter { policy.isRestricted($0, user: user, program: program) }
    }

    @Test func usersAndLevels() throws {
        let policy = try parse(
            """
            {"restrictions": [
              {"user": 1000},
              {"user": "root", "levels": ["read-write"]},
              {"user": 1001, "levels": ["add-only"]}, {"user": 1001, "levels": ["read-write", "add-only"]}
            ]}
            """)
        #expect(levels(policy, 1000) == [.addOnly, .readWrite])
        #expect(levels(policy, 0) == [.readWrite])
        #expect(levels(policy, 1001) == [.addOnly, .readWrite])
        #expect(levels(policy, 1002) == [])
        #expect(!policy.concernsPrograms(of: 1000))
        #expect(!policy.isEmpty)
        let all = try parse("{\"restrictions\": [{\"user\": \"*\", \"levels\": [\"add-only\"]}]}")
        #expect(levels(all, 0) == [.addOnly])
        #expect(levels(all, 4_294_967_294) == [.addOnly])
        #expect(try parse("{\"restrictions\": []}").isEmpty)
        #expect(levels(.none, 0) == [])
    }

    @Test func programs() throws {
        let policy = try parse(
            """
            {"restrictions": [
              {"user": 1000, "program": "/usr/bin/rsync"},
              {"user": "*", "program": "/opt/ä b", "levels": ["read-write"]}
            ]}
            """)
        #expect(levels(policy, 1000, "/usr/bin/rsync") == [.addOnly, .readWrite])
        // Replaced while it runs.
        #expect(levels(policy, 1000, "/usr/bin/rsync (deleted)") == [.addOnly, .readWrite])
        #expect(levels(policy, 1000, "/usr/bin/rsync2") == [])
        #expect(levels(policy, 1000, "/usr/bin/rsync (deleted) (deleted)") == [])
        #expect(levels(policy, 1000, "/usr/bin/cp") == [])
        #expect(levels(policy, 1001, "/usr/bin/rsync") == [])
        #expect(levels(policy, 7, "/opt/ä b") == [.readWrite])
        // Nobody knows which program it is.
        #expect(levels(policy, 1000, nil) == [.addOnly, .readWrite])
        #expect(levels(policy, 1001, nil) == [.readWrite])
        #expect(policy.concernsPrograms(of: 1000))
        #expect(policy.concernsPrograms(of: 3))
    }

    /// A rule by the name of a link holds for the program behind it.
    @Test func linkedProgram() throws {
        try withTemporaryPlace { place in
            try Files.write([], to: place("program"))
            #expect(symlink(place("program"), place("link")) == 0)
            let policy = try parse("{\"restrictions\": [{\"user\": 5, \"program\": \"\(place("link"))\"}]}")
            #expect(levels(policy, 5, place("program")) == [.addOnly, .readWrite])
            #expect(levels(policy, 5, place("link")) == [.addOnly, .readWrite])
        }
    }

    @Test(arguments: [
        ("", 1, "JSON"), ("[]", 1, "a list"), ("{}", 1, "restrictions"), ("{\"restrictions\": {}}", 1, "an object"),
        ("{\"restrictions\": [],\n\"restriction\": []}", 2, "\"restriction\""),
        ("{\"restrictions\": [\n1]}", 2, "a number"), ("{\"restrictions\": [\n\n{}]}", 3, "names no user"),
        ("{\"restrictions\": [{\n\"user\": 1,\n\"level\": [\"add-only\"]}]}", 3, "\"level\""),
        ("{\"restrictions\": [{\n\"user\":\n-1}]}", 3, "-1"),
        ("{\"restrictions\": [{\"user\": 4294967295}]}", 1, "4294967295"),
        ("{\"restrictions\": [{\"user\": 1.5}]}", 1, "a number"), ("{\"restrictions\": [{\"user\": null}]}", 1, "null"),
        ("{\"restrictions\": [\n{\"user\": \"no-such-user\"}]}", 2, "no-such-user"),
        ("{\"restrictions\": [{\"user\": \"root\\u0000x\"}]}", 1, "root"),
        ("{\"restrictions\": [{\"user\": \"\"}]}", 1, "\"\""),
        ("{\"restrictions\": [{\"user\": \"1000\"}]}", 1, "1000"),
        ("{\"restrictions\": [{\"user\": 1, \"program\": \"rsync\"}]}", 1, "absolute"),
        ("{\"restrictions\": [{\"user\": 1, \"program\": \"\"}]}", 1, "absolute"),
        ("{\"restrictions\": [{\"user\": 1, \"program\": [\"/a\"]}]}", 1, "absolute"),
        ("{\"restrictions\": [{\"user\": 1, \"levels\": []}]}", 1, "levels"),
        ("{\"restrictions\": [{\"user\": 1, \"levels\": \"add-only\"}]}", 1, "levels"),
        ("{\"restrictions\": [{\"user\": 1, \"levels\":\n[\"readwrite\"]}]}", 2, "readwrite"),
        ("{\"restrictions\": [{\"user\": 1, \"levels\": [null]}]}", 1, "null"),
        ("{\"restrictions\": [{\"user\": 1, \"user\": 2}]}", 1, "twice"),
        ("{\"restrictions\": [{\"user\": 1}]", 1, "JSON"),
    ])
    func whatIsNoPolicy(text: String, line: Int, mention: String) throws {
        let error = try #require(throws: PolicyError.self) { try parse(text) }
        #expect(error.line == line, "\(error)")
        #expect(error.description.contains("/p, line \(line): "))
        #expect(error.reason.contains(mention), "\(error)")
    }

    @Test(.enabled(if: Machine.isRoot, "needs root, to give the file to root"))
    func theFileItself() throws {
        try withTemporaryPlace { place in
            let path = place("policy.json")
            func error() -> String? {
                do throws(PolicyError) {
                    _ = try AuthorizationPolicy.load(path: path)
                    return nil
                } catch { return error.description }
            }
            #expect(try AuthorizationPolicy.load(path: path).isEmpty)
            #expect(try AuthorizationPolicy.load(path: place("none/policy.json")).isEmpty)
            try Files.write(Array("{\"restrictions\": [{\"user\": 9}]}".utf8), to: path)
            try Posix.setMode(path, 0o644)
            #expect(try levels(AuthorizationPolicy.load(path: path), 9) == [.addOnly, .readWrite])
            for mode: UInt32 in [0o664, 0o646] {
                try Posix.setMode(path, mode)
                #expect(error()?.contains("chmod go-w") == true)
            }
            try Posix.setMode(path, 0o644)
            #expect(chown(path, 1234, 0) == 0)
            #expect(error()?.contains("1234") == true)
            #expect(chown(path, 0, 0) == 0)
            try Files.write([UInt8](repeating: 0x20, count: (1 << 20) + 1), to: path)
            #expect(error()?.contains("1048576") == true)

            try Posix.unlink(path)
            #expect(symlink(place("elsewhere"), path) == 0)
            #expect(error()?.contains("symbolic link") == true)
            try Posix.unlink(path)
            #expect(mkfifo(path, 0o644) == 0)
            #expect(error()?.contains("no regular file") == true)
            try Posix.unlink(path)
            try Files.makeDirectory(path)
            #expect(error()?.contains("no regular file") == true)
        }
    }
}
