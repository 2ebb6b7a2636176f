import FUSE
import Foundation
import Platform
import Testing

extension MountTests {
    /// Names, directories and attributes on a real mount.
    struct MountedNameTests {
        @Test(arguments: [1, 2, 5, 12, 13, 17, 22, 28, 30, 75, 84, 116, 122])
        func errorsArrive(number: Int32) throws {
            try withMount { mount in
                let output = try mount.python(
                    """
                    import os
                    try: os.stat("error-\(number)")
                    except OSError as e: print(e.errno)
                    """)
                #expect(output.text == "\(number)")
            }
        }

        @Test func notImplementedIsNoWordForGood() throws {
            try withMount { mount in
                for _ in 0..<2 {
                    let output = try mount.shell("stat error-38; echo x > f; cat f")
                    #expect(output.text.contains("Operation not supported"))
                    #expect(output.text.hasSuffix("x"))
                }
            }
        }

        @Test func badNamesAreRefused() throws {
            try withMount { mount in
                let output = try mount.python(
                    """
                    import os
                    open("file", "w").close()
                    for name in [b"n" * 256, b"\\xff\\xfe", b"a\\x01b", b"n" * 255, "\\u00e9\\n".encode()]:
                        for call in [lambda: os.stat(name), lambda: os.mkdir(name), lambda: os.rename("file", name)]:
                            try: call(); print(0, end=" ")
                            except OSError as e: print(e.errno, end=" ")
                        print()
                    """)
                #expect(
                    output.text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) } == [
                        "36 36 36", "84 84 84", "22 22 22", "2 0 21", "2 0 21",
                    ], "\(output.text)")
            }
        }

        @Test func renamesInEveryMode() throws {
            try withMount { mount in
                let output = try mount.python(
                    """
                    import ctypes, os
                    libc = ctypes.CDLL(None, use_errno=True)
                    def rename2(a, b, flags):
                        result = libc.renameat2(-100, a, -100, b, flags)
                        return 0 if result == 0 else ctypes.get_errno()
                    open("a", "w").write("A"); open("b", "w").write("B")
                    print(rename2(b"a", b"b", 1), rename2(b"a", b"c", 1), rename2(b"c", b"b", 2))
                    print(open("b").read(), open("c").read())
                    print(rename2(b"b", b"none", 2), rename2(b"b", b"d", 4), rename2(b"b", b"c", 3))
                    os.rename("b", "c"); print(open("c").read(), sorted(os.listdir(".")))
                    """)
                #expect(output.text == "17 0 0\nA B\n2 22 22\nA ['c']")
            }
        }

        @Test(.enabled(if: isRoot)) func linksNodesAndSymbolicLinks() throws {
            let system = ScratchFileSystem()
            try withMount(system) { mount in
                let output = try mount.shell(
                    """
                    umask 027
                    echo data > a; ln a b; stat -c '%h %a' b; rm a; cat b
                    ln -s 'some where/é' s; readlink s
                    mkfifo p; stat -c '%F %a' p
                    mknod dev c 1 3; stat -c '%F %t %T' dev
                    mkdir d; stat -c '%a %h' d; rmdir d; ls
                    """)
                #expect(
                    output.text == """
                        2 640
                        data
                        some where/é
                        fifo 640
                        character special file 1 3
                        750 2
                        b
                        dev
                        p
                        s
                        """)
            }
        }

        @Test(.enabled(if: isRoot)) func attributesAreSet() throws {
            let system = ScratchFileSystem()
            try withMount(system) { mount in
                let output = try mount.shell(
                    """
                    echo x > f; chmod 4711 f; stat -c %a f; chown 12:34 f; stat -c '%u %g %a' f
                    touch -d @-1.25 f; stat -c '%.Y %.X' f | tr , .
                    touch -d @1700000000.123456789 f; stat -c '%.9Y' f | tr , .
                    touch -a -d @5 f; stat -c '%X %Y' f
                    before=$(date +%s); touch f; test $(stat -c %Y f) -ge $before && echo now
                    stat -f -c '%s %b %f %a %c %d %l' .
                    """)
                #expect(
                    output.text.replacingOccurrences(of: ".250000000", with: ".25").replacingOccurrences(
                        of: ".750000000", with: ".75")
                            == """
                            4711
                            12 34 711
                            -1.25 -1.25
                            1700000000.123456789
                            5 1700000000
                            now
                            4096 1000 600 500 100 77 255
                            """)
            }
        }

        @Test func extendedAttributesAndTheirSizes() throws {
            try withMount { mount in
                let output = try mount.python(
                    """
                    import ctypes, os
                    libc = ctypes.CDLL(None, use_errno=True)
                    def errno(call, *arguments):
                        try: return call(*arguments)
                        except OSError as e: return e.errno
                    def raw(call, *arguments):
                        result = call(*arguments)
                        return result if result >= 0 else -ctypes.get_errno()
                    open("f", "w").close()
                    print(os.listxattr("f"), errno(os.getxattr, "f", "user.none"))
                    os.setxattr("f", "user.a", b"value"); os.setxattr("f", "user.empty", b"")
                    print(os.listxattr("f"), os.getxattr("f", "user.a"), os.getxattr("f", "user.empty"))
                    buffer = ctypes.create_string_buffer(100)
                    print(raw(libc.getxattr, b"f", b"user.a", buffer, 0), raw(libc.getxattr, b"f", b"user.a", buffer, 4),
                          raw(libc.getxattr, b"f", b"user.a", buffer, 5))
                    print(raw(libc.listxattr, b"f", buffer, 0), raw(libc.listxattr, b"f", buffer, 17),
                          raw(libc.listxattr, b"f", buffer, 18))
                    print(errno(os.setxattr, "f", "user.a", b"", os.XATTR_CREATE),
                          errno(os.setxattr, "f", "user.new", b"", os.XATTR_REPLACE))
                    os.removexattr("f", "user.a"); print(errno(os.removexattr, "f", "user.a"), os.listxattr("f"))
                    print(errno(os.setxattr, "f", b"user.\\xff", b""), errno(os.getxattr, "f", b"user.\\xff"))
                    big = bytes(range(256)) * 256
                    os.setxattr("f", "user.big", big); print(os.getxattr("f", "user.big") == big)
                    """)
                #expect(
                    output.text == """
                        [] 61
                        ['user.a', 'user.empty'] b'value' b''
                        5 -34 5
                        18 -34 18
                        17 61
                        61 ['user.empty']
                        84 61
                        True
                        """)
            }
        }

        @Test func tenThousandNamesAreListed() throws {
            let system = ScratchFileSystem()
            let names = Set((0..<10_000).map { "file with some length \($0)" })
            try system.tree.withLock { tree throws(Errno) in
                for name in names {
                    let inode = tree.nextInode
                    tree.nextInode += 1
                    tree.nodes[inode] = .init(attributes: Attributes(inode: inode, mode: 0o100644))
                    tree.add(try FileName(name), inode, to: 1)
                }
            }
            try withMount(system) { mount in
                let plain = try mount.shell("ls -f | grep -v '^[.]*$'").text.split(separator: "\n").map(String.init)
                #expect(plain.count == 10_000)
                #expect(Set(plain) == names)
                #expect(try mount.shell("ls -a | head -2").text == ".\n..")
                let long = try mount.shell("ls -l | tail -n +2").text.split(separator: "\n")
                #expect(long.count == 10_000)
                #expect(long.allSatisfy { $0.hasPrefix("-rw-r--r--") })
                #expect(system.counted("readDirectoryPlus") > 0)
                #expect(eventually { system.counted("releaseDirectory") == system.counted("openDirectory") })
            }
        }

        @Test func directoryPositionsAreKept() throws {
            try withMount { mount in
                let output = try mount.python(
                    """
                    import ctypes, os
                    libc = ctypes.CDLL(None, use_errno=True)
                    class Entry(ctypes.Structure):
                        _fields_ = [("ino", ctypes.c_ulong), ("off", ctypes.c_long), ("len", ctypes.c_ushort),
                                    ("type", ctypes.c_ubyte), ("name", ctypes.c_char * 256)]
                    libc.opendir.restype = ctypes.c_void_p
                    libc.readdir.restype = ctypes.POINTER(Entry)
                    libc.telldir.restype = ctypes.c_long
                    for f in (libc.readdir, libc.telldir, libc.rewinddir): f.argtypes = [ctypes.c_void_p]
                    libc.seekdir.argtypes = [ctypes.c_void_p, ctypes.c_long]
                    for i in range(500): open(f"{i:03}", "w").close()
                    d = libc.opendir(b".")
                    def read():
                        e = libc.readdir(d)
                        return e.contents.name if e else None
                    names, places = [], []
                    while True:
                        places.append(libc.telldir(d)); name = read()
                        if name is None: break
                        names.append(name)
                    print(len(names), len(set(names)))
                    good = 0
                    for i in (400, 3, 501, 250, 0):
                        libc.seekdir(d, places[i]); good += read() == names[i]
                    libc.rewinddir(d); good += read() == names[0]
                    print(good)
                    libc.seekdir(d, places[300])
                    for name in names[2:100]: os.unlink(name)
                    rest = []
                    while (name := read()) is not None: rest.append(name)
                    print(rest == names[300:])
                    fd = os.open(".", os.O_RDONLY | os.O_DIRECTORY); os.fsync(fd)
                    """)
                #expect(output.text == "502 502\n6\nTrue")
                #expect(mount.fileSystem.counted("syncDirectory") == 1)
            }
        }

        @Test func lookupReferencesAreGivenBack() throws {
            let system = ScratchFileSystem(timeout: 60)
            try withMount(system) { mount in
                _ = try mount.shell("mkdir d; touch d/{1..50}; ls -l d; ls d; stat d/7; echo x > d/7; ls -l d")
                #expect(system.references > 0)
                // Removed names leave the kernel's caches at once.
                _ = try mount.shell("rm -r d")
                #expect(eventually { system.references == 0 })
            }
        }
    }
}
