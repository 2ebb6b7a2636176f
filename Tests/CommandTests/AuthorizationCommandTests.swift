import Foundation
import PhotoLibrary
import Platform
import Support
import Testing

/// `cameraroll authorization` on a library that is not mounted.
@Suite struct AuthorizationCommandTests {
    private func document(_ words: [String]) throws -> [String: Any] {
        let outcome = try Support.run(Product.command, arguments: words + ["--json"])
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
        return try #require(JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any])
    }

    private func records(_ document: [String: Any]) -> [String] {
        (document["records"] as? [[String: Any]] ?? []).map { record in
            let selected = (record["selected"] as? Int).map { " \($0)" } ?? ""
            return "\(record["client"] ?? "") \(record["level"] ?? "") \(record["status"] ?? "")\(selected)"
        }
    }

    private func expect(
        _ words: [String], _ status: Int32, _ mention: String, location: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try Support.run(Product.command, arguments: words)
        #expect(outcome.status == status, "\(outcome)", sourceLocation: location)
        #expect(outcome.stderr.contains(mention), "\(outcome)", sourceLocation: location)
    }

    @Test func limit() throws {
        try withTestLibrary { test in
            for (number, path) in ["a.jpg", "trip/b.jpg", "trip/day/c.jpg", "tripod/d.jpg"].enumerated() {
                try test.addPhoto(path, date: "2024:05:1\(number) 10:00:00", model: "M\(number)")
            }
            let limit = ["authorization", test.path, "limit", "user:7"]
            var result = try document(limit + ["--to", "DCIM/a.jpg"])
            #expect(result["client"] as? String == "user:7")
            #expect(result["chosen"] as? Int == 1)
            #expect(records(result) == ["user:7 read-write limited 1"])
            // A directory is no prefix of another one's name; what was chosen stays.
            result = try document(limit + ["--to", test.path + "/DCIM/trip/", "DCIM/a.jpg"])
            #expect(result["chosen"] as? Int == 3)
            #expect(records(result) == ["user:7 read-write limited 3"])
            result = try document(limit + ["--to", "after:2024-05-12", "camera:M3"])
            #expect(result["chosen"] as? Int == 1)
            #expect(records(result) == ["user:7 read-write limited 4"])
            let chosen = try test.library.authorization.selectionCount(of: .user(7))
            #expect(chosen == 4)
            #expect(try document(["authorization", test.path, "reset", "user:7"])["records"] as? [String] == [])
            result = try document(["authorization", test.path, "limit", "user:7", "--to", "DCIM"])
            #expect(result["chosen"] as? Int == 4)
            let listed = try Product.run("authorization", test.path)
            #expect(listed.stdout.contains("limited") && listed.stdout.contains("4 assets chosen"), "\(listed)")
        }
    }

    /// What leads to nothing changes nothing.
    @Test func limitToNothing() throws {
        try withTestLibrary { test in
            try test.addPhoto("a.jpg")
            try test.library.authorization.set(.authorized, of: .user(7), level: .readWrite)
            let limit = ["authorization", test.path, "limit", "user:7"]
            try expect(limit, 2, "--to")
            try expect(limit + ["--to", ""], 2, "--to")
            try expect(limit + ["--to", "nothing-like-this"], 6, "nothing-like-this")
            try expect(limit + ["--to", "DCIM/none.jpg"], 6, "DCIM/none.jpg")
            try expect(limit + ["--to", "DCIM/a.jpg", "DCIM/none.jpg"], 6, "DCIM/none.jpg")
            try expect(limit + ["--to", "/usr/bin/env"], 6, "/usr/bin/env")
            try expect(limit + ["--to", "type:nonsense"], 2, "nonsense")
            try expect(["authorization", test.path, "allow", "user:7", "--to", "a"], 2, "--to")
            #expect(try records(document(["authorization", test.path])) == ["user:7 read-write authorized"])
        }
    }

    @Test func pendingAndAnswer() throws {
        try withTestLibrary { test in
            let pending = ["authorization", test.path, "pending"]
            #expect(try (document(pending)["pending"] as? [Any])?.isEmpty == true)
            let wish = QuestionBoard.Wish(
                uid: 12, pid: 5, program: "/usr/bin/a b\u{1B}[31m", level: .addOnly, operation: "create",
                path: "DCIM/\n.jpg")
            try test.library.authorization.note(wish)
            try test.library.authorization.note(wish)
            let request = try #require((document(pending)["pending"] as? [[String: Any]])?.first)
            #expect(request["client"] as? String == "user:12")
            #expect(request["program"] as? String == "/usr/bin/a b\u{1B}[31m")
            #expect(request["level"] as? String == "add-only")
            #expect(request["operation"] as? String == "create")
            #expect(request["path"] as? String == "DCIM/\n.jpg")
            #expect(request["count"] as? Int == 2)
            #expect((request["asked"] as? String)?.hasSuffix("Z") == true)
            let line = try Product.run("authorization", test.path, "pending")
            #expect(line.lines.count == 1)
            #expect(!line.stdout.contains("\u{1B}"))

            // Nothing is open: it is stored.
            for (answer, readWrite) in [("full", "authorized"), ("add-only", "denied"), ("deny", "denied")] {
                let result = try document(["authorization", test.path, "answer", "user:12", answer])
                #expect(result["answered"] as? Int == 0)
                let addOnly = answer == "deny" ? "denied" : "authorized"
                #expect(records(result) == ["user:12 add-only \(addOnly)", "user:12 read-write \(readWrite)"])
            }
            #expect(try (document(pending)["pending"] as? [Any])?.isEmpty == true)
            try expect(["authorization", test.path, "answer", "user:12"], 2, "answer")
            try expect(["authorization", test.path, "answer", "user:12", "yes"], 2, "yes")
            try expect(["authorization", test.path, "pending", "user:12"], 2, "pending")
            try expect(["authorization", test.path, "deny", "user:12", "user:13"], 2, "deny")
        }
    }

    @Test func agentWithoutAMount() throws {
        try withTestLibrary { test in
            // The harness has no terminal.
            try expect(["agent", test.path], 2, "--desktop")
            try expect(["agent", test.path, "--desktop"], 6, "not mounted")
            try expect(["agent", test.place.path + "/none", "--desktop"], 6, "none")
            try expect(["agent"], 2, "too few")
        }
    }
}
