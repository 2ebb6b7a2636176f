import Foundation
import Platform
import SQLite

/// What must hold of every library that nobody is writing to, whatever happened to it before.
public enum LibraryInvariants {
    /// Checks a library's catalogue against itself and against the files in its directory.
    ///
    /// - Returns: one sentence for each thing that is wrong.
    public static func problems(in library: String) throws -> [String] {
        let connection = try Connection(path: library + "/catalog.sqlite", access: .readOnly)
        var problems: [String] = []
        try checkDatabase(connection, &problems)
        try checkTree(connection, &problems)
        try checkAssets(connection, &problems)
        try checkPairs(connection, &problems)
        try checkFiles(connection, library, &problems)
        return problems
    }

    private static func checkDatabase(_ connection: Connection, _ problems: inout [String]) throws {
        let found = try connection.all("PRAGMA integrity_check") { $0.text(0) }
        if found != ["ok"] { problems += found.map { "integrity_check: \($0)" } }
        problems += try connection.all("PRAGMA foreign_key_check") {
            "foreign_key_check: row \($0.int64(1)) of \($0.text(0)) refers to no row of \($0.text(2))"
        }
    }

    private static func checkPairs(_ connection: Connection, _ problems: inout [String]) throws {
        problems += try connection.all(
            """
            SELECT a.id FROM asset a LEFT JOIN asset p ON p.id = a.primary_asset
            WHERE a.primary_asset IS NOT NULL AND (p.id IS NULL OR p.primary_asset IS NOT NULL OR p.trashed_at IS NOT NULL
                OR a.trashed_at IS NOT NULL OR a.pairing IS NULL OR p.media_type <> 1
                OR (a.pairing = 9) <> (a.media_type = 2))
            """
        ) { "asset \($0.int64(0)) belongs to one that is none, or deleted, or of another kind" }
        problems += try connection.all(
            """
            SELECT primary_asset FROM asset WHERE primary_asset IS NOT NULL GROUP BY primary_asset, pairing
            HAVING count(*) > 1
            """
        ) { "asset \($0.int64(0)) has two of one kind" }
        problems += try connection.all(
            """
            SELECT a.id FROM asset a JOIN asset p ON p.id = a.primary_asset
            WHERE a.day <> p.day OR a.caption IS NOT p.caption
            """
        ) { "asset \($0.int64(0)) differs from what it belongs to" }
        problems += try connection.all("SELECT asset FROM unsettled_pair") { "asset \($0.int64(0)) is not settled" }
        problems += try connection.all(
            """
            SELECT a.id FROM asset a
            WHERE (a.subtypes & 8 <> 0) <> (a.pairing IS 9
                OR EXISTS (SELECT 1 FROM asset m WHERE m.primary_asset = a.id AND m.pairing = 9))
            """
        ) { "asset \($0.int64(0)) is not what its subtypes say" }
    }

    private static func checkTree(_ connection: Connection, _ problems: inout [String]) throws {
        problems += try connection.all(
            """
            SELECT n.id, n.links, (SELECT count(*) FROM dentry d WHERE d.node = n.id) AS names FROM node n
            WHERE n.kind <> 1 AND n.links <> names
            """
        ) { "node \($0.int64(0)) counts \($0.int64(1)) links and has \($0.int64(2)) names" }
        problems += try connection.all(
            """
            SELECT n.id, n.links, 2 + (SELECT count(*) FROM dentry d JOIN node c ON c.id = d.node
                WHERE d.parent = n.id AND c.kind = 1) AS counted
            FROM node n WHERE n.kind = 1 AND n.links <> counted
            """
        ) { "directory \($0.int64(0)) counts \($0.int64(1)) links, not \($0.int64(2))" }
        problems += try connection.all(
            """
            SELECT n.id, (SELECT count(*) FROM dentry d WHERE d.node = n.id) AS names FROM node n
            WHERE n.kind = 1 AND names <> (n.id <> 1)
            """
        ) { "directory \($0.int64(0)) has \($0.int64(1)) names" }
        problems += try connection.all(
            """
            SELECT n.id FROM node n LEFT JOIN asset a ON a.id = n.asset
            WHERE n.kind <> 1 AND a.trashed_at IS NULL AND NOT EXISTS (SELECT 1 FROM dentry d WHERE d.node = n.id)
            """
        ) { "node \($0.int64(0)) has no name and is not deleted" }
        problems += try connection.all(
            """
            SELECT d.id FROM dentry d LEFT JOIN node p ON p.id = d.parent LEFT JOIN node n ON n.id = d.node
            WHERE p.kind IS NOT 1 OR n.id IS NULL
            """
        ) { "name \($0.int64(0)) leads from no directory or to no node" }
        // A directory's room is its parent's, but for the two that lie at the root.
        problems += try connection.all(
            """
            SELECT n.id FROM dentry d JOIN node p ON p.id = d.parent JOIN node n ON n.id = d.node
            WHERE n.kind = 1 AND n.room <> CASE WHEN n.id = 2 THEN 1 WHEN p.id = 1 THEN 2 ELSE p.room END
            """
        ) { "directory \($0.int64(0)) belongs to another room than its parent" }
    }

    private static func checkAssets(_ connection: Connection, _ problems: inout [String]) throws {
        problems += try connection.all(
            """
            SELECT a.id, count(n.id) FROM asset a LEFT JOIN node n ON n.asset = a.id
            GROUP BY a.id HAVING count(n.id) <> 1
            """
        ) { "asset \($0.int64(0)) has \($0.int64(1)) nodes" }
        problems += try connection.all(
            """
            SELECT a.id FROM asset a JOIN node n ON n.asset = a.id
            LEFT JOIN resource r ON r.asset = a.id AND r.file = n.file
                AND r.version = (SELECT max(version) FROM resource WHERE asset = a.id)
            WHERE r.id IS NULL OR r.size <> n.size OR r.blocks <> n.blocks OR n.kind <> 2 OR n.captured <> a.captured
            """
        ) { "the node of asset \($0.int64(0)) does not show its latest version" }
        problems += try connection.all(
            """
            SELECT a.id FROM asset a WHERE NOT EXISTS (SELECT 1 FROM resource r WHERE r.asset = a.id AND r.version = 0)
            """
        ) { "asset \($0.int64(0)) has no original" }
        problems += try connection.all(
            """
            SELECT id, file FROM resource WHERE file NOT LIKE CASE version WHEN 0 THEN 'originals/%' ELSE 'renders/%' END
            """
        ) { "version \($0.int64(0)) lies in the wrong place: \($0.text(1))" }
        problems += try connection.all(
            """
            SELECT id FROM node WHERE (kind = 2) <> (asset IS NOT NULL) OR (kind = 2) <> (display_name IS NOT NULL)
                OR length(CAST(display_name AS BLOB)) NOT BETWEEN 1 AND 255
            """
        ) { "node \($0.int64(0)) is half an asset, or has no name for the views" }
        problems += try connection.all(
            """
            SELECT a.id FROM asset a JOIN node n ON n.asset = a.id
            WHERE (a.trashed_at IS NULL) <> EXISTS (
                SELECT 1 FROM dentry d JOIN node p ON p.id = d.parent WHERE d.node = n.id AND p.room = 1)
            """
        ) { "asset \($0.int64(0)) is deleted and has a name in the camera roll, or neither" }
        problems += try connection.all(
            """
            SELECT t.node FROM trashed_name t JOIN node n ON n.id = t.node LEFT JOIN asset a ON a.id = n.asset
            WHERE a.trashed_at IS NULL
            """
        ) { "node \($0.int64(0)) is not deleted and remembers where it was" }
    }

    private static func checkFiles(_ connection: Connection, _ library: String, _ problems: inout [String]) throws {
        let versions = try connection.all("SELECT file, size, hex(digest) FROM resource") {
            (file: $0.text(0), size: $0.int64(1), digest: $0.text(2).lowercased())
        }
        let others = try connection.all("SELECT file FROM node WHERE file IS NOT NULL AND asset IS NULL") { $0.text(0) }
        let doomed = try connection.all("SELECT file FROM doomed_file") { $0.text(0) }
        let digests = try digests(of: versions.map(\.file), in: library)
        for version in versions {
            guard let status = try Files.status("\(library)/\(version.file)") else {
                problems.append("\(version.file) is missing")
                continue
            }
            if status.size != version.size {
                problems.append("\(version.file) has \(status.size) bytes, not \(version.size)")
            } else if digests[version.file] != version.digest {
                problems.append("\(version.file) does not hold the bytes that were committed")
            }
        }
        for file in others where !Files.exists("\(library)/\(file)") { problems.append("\(file) is missing") }
        let known = Set(versions.map(\.file) + others + doomed)
        for area in ["staging", "originals", "renders"] {
            for file in try Files.tree("\(library)/\(area)").map({ "\(area)/\($0)" }) where !known.contains(file) {
                problems.append("\(file) belongs to nothing")
            }
        }
    }

    /// SHA-256 of files, by `sha256sum`; those that are missing are left out.
    private static func digests(of files: [String], in library: String) throws -> [String: String] {
        var digests: [String: String] = [:]
        var rest = files[...]
        while !rest.isEmpty {
            let outcome = try run("sha256sum", arguments: ["--"] + rest.prefix(500), cwd: library)
            rest = rest.dropFirst(500)
            for line in outcome.lines {
                guard let space = line.firstIndex(of: " ") else { continue }
                digests[String(line[line.index(space, offsetBy: 2)...])] = String(line[..<space])
            }
        }
        return digests
    }
}
