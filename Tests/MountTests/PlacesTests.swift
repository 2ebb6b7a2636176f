import Foundation
import Platform
import Support
import Testing

/// What places an asset has, in libraries of the size that people have, and with the programs that they keep copies with.
@Suite(.serialized) struct PlacesTests {
    private static let count = 20_000
    private static let albums = 200

    /// Makes directories, writes small pictures, each a file of its own, and lists directories; one process for all of it,
    /// since to start a program takes longer than to write a picture.
    private static let program = """
        import os, struct, sys
        task, root = sys.argv[1], sys.argv[2]
        def picture(number):
            # As Picture.jpeg makes them: what lies behind the end of the picture tells them apart.
            return template + b'variant' + struct.pack('>Q', number)
        if task == 'fill':
            for number in range(int(sys.argv[3])):
                os.mkdir('%s/Albums/A%03d' % (root, number))
                os.mkdir('%s/DCIM/D%03d' % (root, number))
        elif task == 'disturb':
            template = open(sys.argv[3], 'rb').read()
            number = 1 << 40
            while True:
                number += 1
                path = '%s/DCIM/D%03d/noise.jpg' % (root, number % 200)
                with open(path, 'wb') as file:
                    file.write(picture(number))
                os.link(path, '%s/Albums/A%03d/noise.jpg' % (root, number % 200))
                os.link(path, root + '/Favorites/noise.jpg')
                os.unlink(path)
        elif task == 'check':
            expected = set('p%05d.jpg' % number for number in range(int(sys.argv[3])))
            def check(view, names):
                names = [name for name in names if not name.startswith('noise')]
                assert len(names) == len(set(names)), view + ' lists a name twice'
                assert set(names) == expected, '%s lists %d of %d' % (view, len(set(names) & expected), len(expected))
                print(view)
            def below(view):
                return [name for _, _, files in os.walk(root + '/' + view) for name in files]
            def listed(view):
                return [entry.name for entry in os.scandir(root + '/' + view)]
            check('Recently Added', listed('Recently Added'))
            check('Favorites', listed('Favorites'))
            check('Keywords/all', listed('Keywords/all'))
            check('Search/type:photo', listed('Search/type:photo'))
            for view in ['DCIM', 'Albums', 'Dates', 'Thumbnails']:
                check(view, below(view))
        """

    /// Makes rows of many assets after the pattern of one that was copied in, which then goes. What is tested is listing;
    /// to copy so many files in takes minutes on a slow machine.
    private func addMany(to roll: MountedLibrary) throws {
        let first = "(SELECT * FROM asset LIMIT 1)"
        _ = try roll.sql(
            """
            BEGIN;
            CREATE TEMP TABLE number AS WITH RECURSIVE n (i) AS (
                SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(Self.count)
            ) SELECT i, 100000 + i AS id, printf('p%05d.jpg', i) AS name,
                i / \(Self.count / Self.albums) AS album FROM n;
            INSERT INTO asset (id, identifier, media_type, subtypes, width, height, orientation, captured,
                captured_offset, captured_source, day, added_at, modified_at, client, favorite)
            SELECT n.id, printf('%08d-0000-4000-8000-000000000000', n.i), media_type, subtypes, width, height,
                orientation, captured, captured_offset, captured_source, day, added_at, modified_at, client, 1
            FROM number n, \(first);
            INSERT INTO resource (asset, type, version, file, size, blocks, digest, uniform_type, kind, filename)
            SELECT n.id, type, 0, printf('originals/%d.JPG', n.i), size, blocks, randomblob(32), uniform_type, kind,
                n.name
            FROM number n, (SELECT * FROM resource LIMIT 1);
            INSERT INTO node (id, kind, room, mode, uid, gid, links, size, blocks, changed, captured, file, asset,
                display_name, client)
            SELECT n.id, kind, room, mode, uid, gid, 1, size, blocks, changed, captured,
                printf('originals/%d.JPG', n.i), n.id, n.name, client
            FROM number n, (SELECT * FROM node WHERE asset IS NOT NULL LIMIT 1);
            INSERT INTO dentry (parent, name, node)
            SELECT d.node, n.name, n.id FROM number n JOIN dentry d ON d.name = printf('D%03d', n.album);
            INSERT INTO album_entry (album, name, asset)
            SELECT a.id, n.name, n.id FROM number n JOIN album a ON a.name = printf('A%03d', n.album);
            INSERT INTO keyword (name) VALUES ('all');
            INSERT INTO asset_keyword (keyword, asset) SELECT k.id, n.id FROM keyword k, number n;
            COMMIT;
            """)
    }

    @Test func twentyThousandInTwoHundredAlbums() throws {
        try withMountedLibrary(MountOptions(options: ["relaxed"]), limit: 300) { roll in
            let template = roll.place("template.jpg")
            try Files.write(Array(Picture.jpeg(0).dropLast(15)), to: template)
            expectSuccess(try run("python3", "-c", Self.program, "fill", roll.root, "\(Self.albums)"))
            try require("cp", template, roll.dcim + "/first.jpg")
            try roll.unmount()
            try addMany(to: roll)
            try roll.mount()
            try require("rm", roll.dcim + "/first.jpg")
            let noise = try RunningProgram("python3", ["-c", Self.program, "disturb", roll.root, template])
            defer { noise.kill() }
            let checked = try run(
                "python3", "-c", Self.program, "check", roll.root, "\(Self.count)", timeout: 100)
            expectSuccess(checked)
            #expect(checked.lines.count == 8)
            #expect(noise.isRunning, "\(noise.errorSoFar)")
            #expect(try roll.peakMemory() < 96 << 20)
        }
    }

    /// An album and a disk are kept alike by rsync, in both directions, with times and permissions; a second run has
    /// nothing to do.
    @Test(arguments: ["", "--inplace"]) func rsyncThereAndBack(option: String) throws {
        try withMountedLibrary { roll in
            let (album, disk) = (roll.root + "/Albums/Trip", roll.place("disk"))
            try require("mkdir", "-p", album + "/Day", disk)
            for number in UInt64(1)...8 {
                let target = number < 6 ? album : album + "/Day"
                try Files.write(Picture.jpeg(number), to: "\(target)/\(number).jpg")
            }
            let options = ["-ai"] + (option.isEmpty ? [] : [option])
            func sync(_ source: String, _ target: String) throws -> Outcome {
                let outcome = try run("rsync", arguments: options + [source + "/", target + "/"])
                expectSuccess(outcome)
                return outcome
            }
            _ = try sync(album, disk)
            #expect(try Files.tree(disk).count == 8)
            // Another mode, an old time, and something new on the disk.
            try require("chmod", "2770", disk + "/Day")
            try Files.write(Picture.jpeg(9, look: 9, date: "2024:05:17 10:00:00"), to: disk + "/Day/9.jpg")
            try Files.setTimes(disk + "/Day/9.jpg", to: 1_000_000_000_123_456_789)
            try Files.setTimes(disk + "/Day", to: 1_100_000_000_123_456_789)
            try Files.setTimes(disk, to: 1_200_000_000_000_000_000)
            #expect(try !sync(disk, album).lines.isEmpty)
            #expect(try sync(disk, album).lines == [])
            #expect(try sync(album, disk).lines == [])
            try roll.remount()
            #expect(try sync(disk, album).lines == [])
            #expect(try sync(album, disk).lines == [])
            #expect(try Files.existing(album + "/Day").mode & 0o7777 == 0o2770)
            #expect(try Files.existing(album).modificationTime == 1_200_000_000_000_000_000)
            // A change of what it lists is a change of its time, as of every directory.
            try require("rm", roll.dcim + "/9.jpg")
            #expect(try Files.existing(album + "/Day").modificationTime > 1_700_000_000_000_000_000)
            #expect(try Files.existing(album).modificationTime == 1_200_000_000_000_000_000)
        }
    }

    /// What cannot keep a directory's time passes over it; what nobody can mean is refused.
    @Test func attributesOfViewDirectories() throws {
        try withMountedLibrary { roll in
            let disk = roll.place("disk")
            try require("mkdir", disk, roll.root + "/Keywords/word")
            try Files.write(Picture.jpeg(1, look: 1, date: "2024:05:17 10:00:00"), to: disk + "/a.jpg")
            expectSuccess(try run("rsync", "-a", disk + "/", roll.root + "/Favorites/"))
            expectSuccess(try run("rsync", "-a", disk + "/", roll.root + "/Keywords/word/"))
            expectSuccess(try run("cp", "-a", disk, roll.root + "/Albums/Copied"))
            for view in ["Favorites", "Keywords/word", "Dates/2024", "Recently Added", "Search/a"] {
                let path = "\(roll.root)/\(view)"
                #expect(try run("chmod", "700", path).stderr.contains("Operation not permitted"), "\(view)")
                #expect(try run("chown", "12345", path).stderr.contains("Operation not permitted"), "\(view)")
                expectSuccess(try run("touch", path))
            }
            // tar finds no directory changed while it reads.
            usleep(20_000)
            let archive = try run(
                "tar", "-C", roll.root, "-cf", "/dev/null", "Albums", "Dates", "DCIM", "Favorites", "Keywords",
                "Media Types", "Recently Added", "Recently Deleted", "Originals", "Hidden")
            expectSuccess(archive)
            #expect(archive.stderr == "")
        }
    }

    /// The processes that a mount has started, and the most memory that each ever held, in bytes.
    private static func workers(of mount: Int32) throws -> [Int32: Int64] {
        var found: [Int32: Int64] = [:]
        for process in try Files.names(in: "/proc").compactMap({ Int32($0) }) {
            let lines = ((try? Files.text("/proc/\(process)/status")) ?? "").split(separator: "\n")
            guard lines.contains("PPid:\t\(mount)"), let peak = lines.first(where: { $0.hasPrefix("VmHWM:") })
            else { continue }
            found[process] = (Int64(peak.filter(\.isNumber)) ?? 0) * 1024
        }
        return found
    }

    @Test(.enabled(if: Samples.available, "needs the samples")) func memoryOfThumbnails() throws {
        try withMountedLibrary(MountOptions(options: ["relaxed"]), limit: 300) { roll in
            for folder in Samples.goodFolders { _ = try run("cp", "-r", Samples.file(folder), roll.dcim) }
            let readers = try (0..<3).map { _ in
                try RunningProgram("sh", ["-c", "cat -- \"$0\"/*/* > /dev/null; true", roll.root + "/Thumbnails"])
            }
            var (most, peak): (Int, Int64) = (0, 0)
            while readers.contains(where: \.isRunning) {
                let workers = try Self.workers(of: roll.pid)
                most = max(most, workers.count)
                peak = max(peak, workers.values.max() ?? 0)
                for process in workers.keys {
                    guard let limits = try? Files.text("/proc/\(process)/limits"),
                        let line = limits.split(separator: "\n").first(where: { $0.hasPrefix("Max address space") }),
                        // Until it has set its limits, and once it has ended, there is none.
                        let limit = Int64(line.split(separator: " ")[3])
                    else { continue }
                    #expect(limit <= 512 << 20)
                }
                Clock.sleep(5_000_000)
            }
            #expect((1...2).contains(most), "\(most) helpers at a time")
            #expect(peak > 0 && peak <= 512 << 20, "a helper held \(peak >> 20) MiB")
            #expect(try roll.peakMemory() < 96 << 20)
            #expect(try Files.tree(roll.library + "/thumbnails").count > 80)
        }
    }
}
