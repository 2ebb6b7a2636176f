import Foundation
import Glibc
import Platform
import Support
import Testing

/// Records that change, and programs that come and go, while files are copied.
///
/// Not tested: a process number that is used again between a request and its answer; nothing makes the kernel do that
/// in the time of a test.
@Suite(.serialized, .enabled(if: Machine.isRoot, "needs root, to make users"))
struct AuthorizationRaceTests {
    private func withGuest(_ body: (MountedLibrary, TestUser) throws -> Void) throws {
        try withUsers(["guest"]) { users in
            try withMountedLibrary(MountOptions(options: ["allow_other", "relaxed", "prompt_timeout=1"])) { roll in
                try Posix.setMode(roll.dcim, 0o777)
                try Files.write(Generated.jpeg(), to: roll.dcim + "/a.jpg")
                try roll.authorize("allow", "user:\(users[0].uid)")
                try body(roll, users[0])
            }
        }
    }

    private func wait(until condition: () throws -> Bool) throws {
        let end = Date().addingTimeInterval(20)
        while try !condition() {
            guard Date() < end else { throw HarnessError("what the test waits for does not happen") }
            usleep(2000)
        }
    }

    @Test(arguments: ["deny", "reset"]) func revokedWhileFilesAreCopied(verb: String) throws {
        try withGuest { roll, guest in
            let source = roll.place("source")
            try Files.makeDirectory(source)
            for number in 0..<400 {
                try Files.write(Generated.jpeg(size: 20_000), to: "\(source)/\(number).jpg")
            }
            let copy = try RunningProgram("cp", ["-r", source, roll.dcim], user: guest)
            try wait { try Files.exists(roll.dcim + "/source") && Files.names(in: roll.dcim + "/source").count > 20 }
            try roll.authorize(verb, "user:\(guest.uid)")
            // Before anything else is done: the very next system call.
            let after = try run("cat", roll.dcim + "/a.jpg", user: guest)
            #expect(after.stderr.contains("Permission denied"), "\(after)")
            let outcome = copy.wait()
            #expect(outcome.status != 0)
            #expect(outcome.stderr.contains("Permission denied"), "\(outcome)")
            let copied = try Files.names(in: roll.dcim + "/source")
            #expect(copied.count > 20 && copied.count < 400, "\(copied.count)")
            for name in copied {
                let path = "\(roll.dcim)/source/\(name)"
                if try Files.attribute("user.cameraroll.state", of: path) == "asset" {
                    try expectAsset(path, holding: "\(source)/\(name)")
                }
            }
            // The file that was open was closed as a whole: nothing is left half.
            #expect(try roll.pendingFiles().filter { $0.size > 0 }.isEmpty)
            #expect(try roll.assets().count == copied.count + 1)
        }
    }

    /// What is open stays usable, for reading and for writing; nothing can be opened anew.
    @Test func revokedWithOpenFiles() throws {
        try withGuest { roll, guest in
            let source = roll.place("large.mp4")
            try Generated.bigMovie(at: source, size: 60 << 20, seed: 7)
            let program = """
                import errno, os, sys
                dcim, source, flag = sys.argv[1:4]
                import time
                reader = os.open(dcim + '/a.jpg', os.O_RDONLY)
                writer = os.open(dcim + '/large.mp4', os.O_RDWR | os.O_CREAT, 0o644)
                data = open(source, 'rb')
                os.write(writer, data.read(30 << 20))
                print('half', flush=True)
                while not os.path.exists(flag): time.sleep(0.01)
                def attempt(body):
                    try: return body()
                    except OSError as error: return errno.errorcode[error.errno]
                print(len(os.read(reader, 100)), os.fstat(reader).st_size > 100)
                print(attempt(lambda: os.ftruncate(writer, 40 << 20)), os.lseek(writer, 30 << 20, 0) > 0)
                while True:
                    part = data.read(1 << 20)
                    if not part: break
                    os.write(writer, part)
                print(attempt(lambda: os.fsync(writer)), attempt(lambda: os.close(writer)))
                print(attempt(lambda: os.open(dcim + '/a.jpg', os.O_RDONLY)))
                print(attempt(lambda: os.open('/proc/self/fd/%d' % reader, os.O_RDONLY)))
                """
            let writer = try RunningProgram(
                "/usr/bin/python3", ["-c", program, roll.dcim, source, roll.place("flag")], user: guest)
            try wait { writer.outputSoFar.contains("half") }
            try roll.authorize("deny", "user:\(guest.uid)")
            try Files.write([], to: roll.place("flag"))
            let outcome = writer.wait()
            let lines = outcome.lines
            #expect(lines.first == "half", "\(outcome)")
            #expect(lines.dropFirst().first == "100 True", "\(outcome)")
            // ftruncate(2) works on what was opened for writing.
            #expect(lines.dropFirst(2).first == "None True", "\(outcome)")
            #expect(lines.dropFirst(3).first == "None None", "\(outcome)")
            #expect(lines.suffix(2) == ["EACCES", "EACCES"], "\(outcome)")
            try expectAsset(roll.dcim + "/large.mp4", holding: source)
        }
    }

    /// A process that waited in vain is not made to wait again. One that gets its number is another.
    @Test(.enabled(if: Files.exists("/proc/sys/kernel/ns_last_pid"), "the kernel does not let numbers be chosen"))
    func numbersOfProcessesAreUsedAgain() throws {
        let script = """
            "$1" init "$2" && mkdir "$3" && "$1" mount "$2" "$3" -o prompt_timeout=2 || exit
            sleep 100 | script -qfc "'$1' agent '$2'" /dev/null >"$2.log" 2>&1 &
            until grep -q 'waiting for questions' "$2.log"; do sleep 0.1; done
            before=$(date +%s%N)
            sh -c 'echo $$; ls "$0/DCIM"; exec ls "$0/DCIM"' "$3" >"$2.first" 2>&1
            middle=$(date +%s%N)
            number=$(head -n 1 "$2.first")
            echo $((number - 1)) >/proc/sys/kernel/ns_last_pid
            sh -c 'echo $$; exec ls "$0/DCIM"' "$3" >"$2.second" 2>&1
            after=$(date +%s%N)
            echo "$number $(head -n 1 "$2.second") $(((middle - before) / 1000000)) $(((after - middle) / 1000000))"
            "$1" unmount "$3"
            """
        try withTemporaryPlace { place in
            let outcome = try run(
                "unshare", "--pid", "--fork", "--mount", "--mount-proc", "sh", "-c", script, "sh", Product.command,
                place("library"), place("mount"))
            let numbers = outcome.stdout.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
            guard numbers.count == 4 else { throw HarnessError(outcome.description) }
            #expect(numbers[0] == numbers[1], "\(outcome)")
            // Milliseconds: two processes wait one after the other; then one more, though its number has waited.
            #expect(numbers[2] > 3500, "\(outcome)")
            #expect(numbers[3] > 1800, "\(outcome)")
        }
    }

    /// A program is what the kernel names as the file that the process runs.
    @Test func namesOfPrograms() throws {
        try withGuest { roll, guest in
            try roll.authorize("deny", "user:\(guest.uid)")
            let file = roll.dcim + "/a.jpg"
            try Files.makeDirectory(roll.place("bin"))
            let reader = roll.place("bin/reader")
            try require("cp", "/bin/cat", reader)
            try roll.authorize("allow", "program:\(reader)@\(guest.uid)")
            func reads(_ words: String...) throws -> Bool {
                let outcome = try run(words[0], arguments: Array(words.dropFirst()) + [file], user: guest)
                #expect(outcome.succeeded || outcome.stderr.contains("Permission denied"), "\(outcome)")
                return outcome.succeeded
            }
            #expect(try reads(reader))
            #expect(try !reads("cat"))
            // A symbolic link counts as what it leads to, a copy as itself.
            try Posix.symlink(reader, roll.place("bin/link"))
            #expect(try reads(roll.place("bin/link")))
            try require("cp", reader, roll.place("bin/copy"))
            #expect(try !reads(roll.place("bin/copy")))
            // Renamed it is another program; what has its name now is the one that was meant.
            try Posix.rename(reader, roll.place("bin/renamed"))
            #expect(try !reads(roll.place("bin/renamed")))
            #expect(try !reads(roll.place("bin/copy")))
            try Posix.rename(roll.place("bin/copy"), reader)
            #expect(try reads(reader))

            // A script is its interpreter.
            let shell = try require("readlink", "-f", "/bin/sh").lines[0]
            let script = roll.place("bin/script")
            try Files.write(Array("#!\(shell)\nread line < \"$1\"; test -n \"$line\"\n".utf8), to: script)
            try Posix.setMode(script, 0o755)
            try roll.authorize("allow", "program:\(script)@\(guest.uid)")
            #expect(try run(script, file, user: guest).status != 0)
            try roll.authorize("allow", "program:\(shell)@\(guest.uid)")
            _ = try run(script, file, user: guest)
            #expect(try run("sh", "-c", ": < \"$0\"", file, user: guest).succeeded)
        }
    }

    /// While it runs its file is renamed, then removed: the record no longer names it, which " (deleted)" says.
    @Test func fileOfARunningProgram() throws {
        try withGuest { roll, guest in
            try roll.authorize("deny", "user:\(guest.uid)")
            try Files.makeDirectory(roll.place("bin"))
            let shell = roll.place("bin/shell")
            try require("cp", try require("readlink", "-f", "/bin/sh").lines[0], shell)
            try roll.authorize("allow", "program:\(shell)@\(guest.uid)")
            try Files.makeDirectory(roll.place("flags"))
            let program = """
                for step in 1 2 3 4; do
                    while ! test -e "$2/$step"; do sleep 0.01; done
                    if true < "$1"; then echo "$step yes"; else echo "$step no"; fi
                done 2>/dev/null
                """
            let running = try RunningProgram(
                shell, ["-c", program, "shell", roll.dcim + "/a.jpg", roll.place("flags")], user: guest)
            func step(_ number: Int) throws {
                try Files.write([], to: roll.place("flags/\(number)"))
                try wait { running.outputSoFar.contains("\(number) ") || !running.isRunning }
            }
            try step(1)
            try Posix.rename(shell, shell + "2")
            try step(2)
            try Posix.rename(shell + "2", shell)
            try step(3)
            try Posix.unlink(shell)
            try step(4)
            #expect(running.wait().lines == ["1 yes", "2 no", "3 yes", "4 no"])
        }
    }

    /// The same without other users on the mount, where the kernel keeps names and attributes.
    @Test func revokedWhereTheKernelKeepsNames() throws {
        try withMountedLibrary { roll in
            try Files.write(Generated.jpeg(), to: roll.dcim + "/a.jpg")
            for _ in 0..<5 {
                let program = """
                    import os, subprocess, sys
                    path = sys.argv[1]
                    before = os.stat(path).st_size, os.listdir(os.path.dirname(path))
                    subprocess.run(sys.argv[2:], check=True)
                    try: print('still', os.stat(path).st_size)
                    except OSError as error: print(error.strerror)
                    """
                let outcome = try run(
                    "/usr/bin/python3", "-c", program, roll.dcim + "/a.jpg", Product.command, "authorization",
                    roll.library, "deny", "user:0")
                #expect(outcome.stdout == "Permission denied\n", "\(outcome)")
                try roll.authorize("allow", "user:0")
            }
        }
    }
}
