import Foundation
import Glibc
import Platform
import Support
import Testing

/// Thumbnails where file managers look for them; gio judges.
@Suite(.serialized) struct DesktopThumbnailTests {
    private func mount(_ roll: MountedLibrary, _ cache: String, _ options: String) throws {
        try roll.unmount()
        let outcome = try run(
            Product.command, "mount", roll.library, roll.root, "--authorize", "read-write", "-o", options,
            environment: ["XDG_CACHE_HOME": cache, "TZ": "UTC"])
        guard outcome.succeeded else { throw HarnessError(outcome.description) }
    }

    /// What gio knows of a file's thumbnail, by attribute.
    private func thumbnail(_ path: String, _ cache: String) throws -> [String: String] {
        let outcome = try require(
            "gio", "info", "-a", "thumbnail::*", path, environment: ["XDG_CACHE_HOME": cache])
        var found: [String: String] = [:]
        for line in outcome.lines {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            if parts.count == 2, parts[0].hasPrefix("thumbnail::") {
                found[String(parts[0].dropFirst(11).dropLast())] = String(parts[1])
            }
        }
        return found
    }

    private func wait(_ seconds: Double = 20, until isSo: () throws -> Bool) throws -> Bool {
        let deadline = Date().addingTimeInterval(seconds)
        while Date() < deadline {
            if try isSo() { return true }
            usleep(20_000)
        }
        return false
    }

    @Test func fileManagersFindThem() throws {
        try withMountedLibrary { roll in
            let cache = roll.place("cache")
            try Files.makeDirectory(cache)
            try mount(roll, cache, "desktop_thumbnails")
            let name = "Größe & [1] 100%.jpg"
            let path = roll.dcim + "/" + name
            try Generated.photo(at: roll.place("a.jpg"), date: "2024:05:17 10:00:00")
            try require("cp", roll.place("a.jpg"), path)
            try require("ln", path, roll.dcim + "/second.jpg")
            #expect(try thumbnail(path, cache) == [:])
            _ = try Files.read(roll.root + "/Thumbnails/" + name)
            for each in [path, roll.dcim + "/second.jpg"] {
                #expect(try wait { try thumbnail(each, cache)["is-valid"] == "TRUE" }, "\(each)")
                let file = try #require(try thumbnail(each, cache)["path"])
                #expect(file.hasPrefix(cache + "/thumbnails/"))
            }
            #expect(try wait { try Files.tree(cache).count == 4 })
            for file in try Files.tree(cache) {
                let status = try Files.existing("\(cache)/\(file)")
                #expect(status.mode & 0o777 == 0o600)
                let tags = try require("exiftool", "-s", "-PNG:all", "\(cache)/\(file)").stdout
                #expect(tags.contains("file://") && tags.contains("RGB with Alpha"), "\(tags)")
                let whole = try run("ffmpeg", "-v", "error", "-i", "\(cache)/\(file)", "-f", "null", "-")
                #expect(whole.succeeded && whole.stderr.isEmpty, "\(whole)")
            }
            #expect(try Files.existing(cache + "/thumbnails/normal").mode & 0o777 == 0o700)
            let status = try Product.run("status", roll.library).stdout
            #expect(status.contains("kept for the desktop in \(cache)/thumbnails"), "\(status)")

            // Of another version there is another one.
            try require("exiftool", "-q", "-overwrite_original", "-DateTimeOriginal=2023:01:01 00:00:00", path)
            if try thumbnail(path, cache)["is-valid"] != "TRUE" {
                _ = try Files.read(roll.root + "/Thumbnails/" + name)
                #expect(try wait { try thumbnail(path, cache)["is-valid"] == "TRUE" })
            }
        }
    }

    /// Nobody asked for it, or the cache cannot be written: thumbnails are made all the same.
    @Test(arguments: ["ro", "desktop_thumbnails"]) func without(options: String) throws {
        try withMountedLibrary { roll in
            try Generated.photo(at: roll.dcim + "/a.jpg", date: nil)
            let cache = roll.place("cache")
            // A file where the directory should be.
            if options == "desktop_thumbnails" { try Files.write([], to: cache) }
            try mount(roll, cache, options)
            #expect(try Files.read(roll.root + "/Thumbnails/a.jpg").count > 100)
            usleep(300_000)
            #expect(try Files.existing(roll.root + "/DCIM/a.jpg").size > 0)
            if options == "ro" { #expect(!Files.exists(cache)) }
            #expect(try Product.run("status", roll.library).stdout.contains("kept for") == (options != "ro"))
        }
    }
}
