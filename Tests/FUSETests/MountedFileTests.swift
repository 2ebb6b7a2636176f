import FUSE
import Glibc
import Platform
import Testing

extension MountTests {
    /// Files on a real mount, driven by real programs.
    struct MountedFileTests {
        @Test func writesAndReadsBack() throws {
            try withMount { mount in
                let output = try mount.shell("echo hello > a && cat a && stat -c %s a")
                #expect(output.text == "hello\n6")
                #expect(output.status == 0)
            }
        }

        @Test(arguments: ["4k", "128k", "1M", "3M"]) func largeFileKeepsItsDigest(block: String) throws {
            try withMount { mount in
                let output = try mount.shell(
                    """
                    set -e
                    source=$(mktemp); trap 'rm -f $source' EXIT
                    head -c 20000123 /dev/urandom > $source
                    dd if=$source of=big bs=\(block) status=none
                    stat -c %s big
                    cmp $source big
                    echo 1 > /proc/self/clear_refs
                    dd if=big bs=\(block) status=none | cmp - $source
                    dd if=big bs=\(block) iflag=direct status=none | cmp - $source
                    dd if=$source of=direct bs=\(block) oflag=direct conv=notrunc status=none
                    cmp direct $source
                    cp big copy
                    sha256sum < $source; sha256sum < copy
                    """)
                let lines = output.text.split(separator: "\n")
                #expect(output.status == 0, "\(output.text)")
                #expect(lines.first == "20000123")
                #expect(lines.count == 3 && lines[1] == lines[2])
            }
        }

        @Test func readsNearTheEndAreShort() throws {
            try withMount { mount in
                let output = try mount.python(
                    """
                    import os
                    size = 1000003
                    open("f", "wb").write(bytes(i * 7 % 251 for i in range(size)))
                    fd = os.open("f", os.O_RDONLY | os.O_DIRECT)
                    print(len(os.pread(fd, 65536, size - 10)), len(os.pread(fd, 65536, size)), len(os.pread(fd, 4096, size + 9)))
                    data = os.pread(fd, 2 << 20, 4096)
                    print(len(data) == size - 4096, data[-1] == (size - 1) * 7 % 251)
                    """)
                #expect(output.text == "10 0 0\nTrue True")
            }
        }

        @Test func truncatesByPathByHandleAndAtOpen() throws {
            let system = ScratchFileSystem()
            try withMount(system) { mount in
                let output = try mount.python(
                    """
                    import os
                    open("f", "w").write("0123456789")
                    os.truncate("f", 7); print(open("f").read())
                    with open("f", "r+") as f: f.truncate(3)
                    print(open("f").read())
                    open("f", "w").close(); print(os.stat("f").st_size)
                    """)
                #expect(output.text == "0123456\n012\n0")
                #expect(system.counted("truncate") == 1)
                #expect(system.counted("truncateHandle") == 1)
                #expect(system.counted("openTruncating") == 1)
            }
        }

        @Test func allocatesPunchesSeeksAndCopiesRanges() throws {
            let system = ScratchFileSystem()
            try withMount(system) { mount in
                let output = try mount.python(
                    """
                    import os, ctypes
                    libc = ctypes.CDLL(None, use_errno=True)
                    libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]
                    fd = os.open("f", os.O_RDWR | os.O_CREAT)
                    os.posix_fallocate(fd, 0, 1 << 20); print(os.fstat(fd).st_size)
                    os.ftruncate(fd, 0)
                    os.pwrite(fd, b"x" * 65536, 0); os.pwrite(fd, b"y" * 65536, 1 << 20)
                    print(os.lseek(fd, 0, os.SEEK_HOLE), os.lseek(fd, 65536, os.SEEK_DATA))
                    print(libc.fallocate(fd, 3, 0, 65536), os.pread(fd, 2, 0), os.lseek(fd, 0, os.SEEK_DATA))
                    try: os.lseek(fd, 5 << 20, os.SEEK_DATA)
                    except OSError as e: print(e.errno)
                    to = os.open("g", os.O_RDWR | os.O_CREAT)
                    print(os.copy_file_range(fd, to, 65536, 1 << 20, 10), os.pread(to, 8, 8))
                    print(os.copy_file_range(fd, to, 65536, 2 << 20, 0))
                    """)
                #expect(
                    output.text == """
                        1048576
                        65536 1048576
                        0 b'\\x00\\x00' 1048576
                        6
                        65536 b'\\x00\\x00yyyyyy'
                        0
                        """)
                #expect(system.counted("copyRange") >= 1)
            }
        }

        @Test func opensFlushesAndReleasesAreCounted() throws {
            let system = ScratchFileSystem()
            try withMount(system) { mount in
                let output = try mount.python(
                    """
                    import os
                    fd = os.open("f", os.O_RDWR | os.O_CREAT)
                    other = os.dup(fd)
                    os.close(other)
                    if os.fork() == 0:
                        os.close(fd); os._exit(0)
                    os.wait()
                    os.fsync(fd); os.fdatasync(fd)
                    os.close(fd)
                    """)
                #expect(output.status == 0, "\(output.text)")
                #expect(system.counted("open") == 1)
                #expect(system.counted("flush") == 3)
                #expect(eventually { system.counted("release") == 1 })
                #expect(system.counted("sync") == 1)
                #expect(system.counted("syncData") == 1)
            }
        }

        @Test(.enabled(if: isRoot)) func aFullStoreIsToldAndKeepsWhatItTook() throws {
            let store = try temporaryDirectory()
            try #require(run("/bin/mount", ["-t", "tmpfs", "-o", "size=1300k", "small", store], in: "/").status == 0)
            defer {
                _ = try? run("/bin/umount", ["-l", store], in: "/")
                rmdir(store)
            }
            try withMount(ScratchFileSystem(dataDirectory: store)) { mount in
                let output = try mount.python(
                    """
                    import os
                    data = bytes(i * 31 % 253 for i in range(3 << 20))
                    fd = os.open("f", os.O_RDWR | os.O_CREAT)
                    done = 0
                    try:
                        while done < len(data): done += os.write(fd, data[done:])
                    except OSError as e: print(e.errno)
                    print(1000000 < done <= 1331200, os.fstat(fd).st_size == done, os.pread(fd, 3 << 20, 0) == data[:done])
                    """)
                #expect(output.text == "28\nTrue True True")
            }
        }

        @Test func partOfAMappingIsWritten() throws {
            try withMount { mount in
                let output = try mount.python(
                    """
                    import mmap, os
                    with open("f", "wb") as f: f.write(b"a" * 10000)
                    with open("f", "r+b") as f:
                        m = mmap.mmap(f.fileno(), 0); m[5000:5003] = b"xyz"; m.flush(); m.close()
                    print(os.pread(os.open("f", os.O_RDONLY | os.O_DIRECT), 5, 4999))
                    """)
                #expect(output.text == "b'axyza'")
            }
        }

        @Test func manyClientsAtOnce() throws {
            let system = ScratchFileSystem()
            try withMount(system) { mount in
                let output = try mount.shell(
                    """
                    for i in 1 2 3 4 5 6; do
                      ( mkdir d$i; for j in $(seq 40); do head -c $((i * 7001 + j)) /dev/zero | tr '\\0' $i > d$i/$j; done
                        for j in $(seq 40); do test $(stat -c %s d$i/$j) = $((i * 7001 + j)) || echo wrong $i $j; done
                        cat d$i/* | wc -c; mv d$i/1 d$i/x; rm -r d$i ) &
                    done | sort -n
                    """)
                let sizes = (1...6).map { String($0 * 7001 * 40 + 820) }
                #expect(output.text == sizes.joined(separator: "\n"))
                #expect(eventually { system.counted("release") == system.counted("open") })
            }
        }

        @Test func aClientThatWaitsDoesNotHoldUpOthers() throws {
            let system = ScratchFileSystem()
            try withMount(system) { mount in
                let waiting = try (0..<8).map { index in
                    // Each in a directory of its own: the kernel looks one name up once, whoever asks.
                    try mount.shell("mkdir d\(index)")
                    return try Client("/bin/bash", ["-c", "stat d\(index)/slow"], in: mount.directory)
                }
                #expect(eventually { system.counted("slow") == 8 })
                #expect(try mount.shell("echo quick > q; cat q").text == "quick")
                system.openGate()
                for client in waiting { client.finish() }
            }
        }

        @Test func requestsWaitWhereThePoolIsExhausted() throws {
            let system = ScratchFileSystem()
            try withMount(system, threads: 2) { mount in
                let waiting = try (0..<2).map { index in
                    try mount.shell("mkdir d\(index)")
                    return try Client("/bin/bash", ["-c", "stat d\(index)/slow"], in: mount.directory)
                }
                #expect(eventually { system.counted("slow") == 2 })
                let third = try Client("/bin/bash", ["-c", "echo late > late; cat late"], in: mount.directory)
                Clock.sleep(100_000_000)
                #expect(third.isRunning)
                system.openGate()
                for client in waiting { client.finish() }
                #expect(third.finish().text == "late")
            }
        }
    }
}
