import Foundation
import Glibc
import PhotoLibrary
import Platform
import Support
import Testing

/// A process that changes names in the camera roll of a library that another one has mounted, and says so.
@Suite(.serialized) struct ChangesByOthersTests {
    private func announce(_ library: Library) throws {
        let begun = Clock.monotonic()
        library.announcements.waitUntilFollowed(library.announcements.announce(), timeout: 5_000_000_000)
        #expect(Clock.monotonic() - begun < 2_000_000_000, "nobody followed")
    }

    /// Names come, go and lead elsewhere while others look at them without a pause.
    @Test func names() throws {
        try withMountedLibrary { roll in
            let library = try Library(path: roll.library)
            defer { library.close() }
            let (a, b) = (try FileName("a.jpg"), try FileName("b.jpg"))
            try Files.makeDirectory(roll.dcim + "/d")
            let directory = try #require(try library.node(atPath: "DCIM/d")?.id)
            try Files.write(Generated.jpeg(), to: roll.dcim + "/d/a.jpg")
            let inode = try Files.existing(roll.dcim + "/d/a.jpg").inode
            let looks = (0..<2).map { _ in
                "while :; do ls -lR '\(roll.dcim)'; stat '\(roll.dcim)/d/a.jpg' '\(roll.dcim)/d/b.jpg'; done"
            }
            let lookers = try looks.map { try RunningProgram("bash", ["-c", "(\($0)) >/dev/null 2>&1"]) }
            defer { for looker in lookers { looker.kill() } }
            for round in 0..<60 {
                let (from, to) = round % 2 == 0 ? (a, b) : (b, a)
                _ = try library.rename(
                    from, in: directory, to: to, in: directory, mayReplace: false, openFile: nil, client: "user:0")
                try announce(library)
                #expect(try Files.existing("\(roll.dcim)/d/\(to)").inode == inode, "round \(round)")
                #expect(try Files.status("\(roll.dcim)/d/\(from)") == nil, "round \(round)")
                #expect(try Files.names(in: roll.dcim + "/d") == ["\(to)"])
            }
            // A directory that goes while it is the current one of somebody.
            _ = try library.unlink(a, in: directory)
            try announce(library)
            #expect(try Files.names(in: roll.dcim + "/d") == [])
            _ = try library.removeDirectory(FileName("d"), in: Library.cameraRollNode)
            try announce(library)
            #expect(try Files.status(roll.dcim + "/d") == nil)
            #expect(try Files.names(in: roll.dcim) == [])
        }
    }

    /// A current directory stays one where others change the library.
    @Test func currentDirectory() throws {
        try withMountedLibrary { roll in
            let library = try Library(path: roll.library)
            defer { library.close() }
            try Files.makeDirectory(roll.dcim + "/d")
            let script = "cd '\(roll.dcim)/d' && echo ready && read line && /bin/pwd && ls .."
            let shell = try Terminal("bash", ["-c", script])
            try shell.expect("ready")
            for _ in 0..<3 {
                _ = try Files.existing(roll.dcim + "/d")
                try announce(library)
            }
            try shell.type("")
            try shell.expect(roll.dcim + "/d")
            #expect(try shell.wait() == 0)
        }
    }
}
