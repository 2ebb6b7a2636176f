/// A program that tries every kind of operation on names that something hidden has, and on names that nothing ever had.
///
/// Called with the mount point and pairs `hidden::never` of names below it. Prints how many attempts it compared, and
/// where the two answered differently: in what they did, in what the directory lists then, or in the error.
enum NameGuesses {
    static let program = #"""
        import ctypes, errno, json, os, stat, sys

        root = sys.argv[1]
        pairs = [pair.split("::") for pair in sys.argv[2:]]
        libc = ctypes.CDLL(None, use_errno=True)
        own = root + "/DCIM/own-source.tmp"
        held = root + "/DCIM/own-directory"

        def renameat2(one, other, flags):
            if libc.renameat2(-100, one.encode(), -100, other.encode(), flags) < 0: raise OSError(ctypes.get_errno(), "")

        def shown(status):
            return [stat.S_IFMT(status.st_mode), status.st_nlink, status.st_size, status.st_uid]

        def opened(path, flags):
            file = os.open(path, flags, 0o600)
            try: return [shown(os.fstat(file)), os.path.basename(os.readlink("/proc/self/fd/%d" % file)) == os.path.basename(path)]
            finally: os.close(file)

        def fresh():
            with open(own, "w") as file: file.write("not a picture")
            return own

        def with_fresh(body):
            def run(path):
                fresh()
                body(path)
                return shown(os.lstat(path))
            return run

        def with_directory(body):
            def run(path):
                os.makedirs(held, exist_ok=True)
                body(path)
                return shown(os.lstat(path))
            return run

        operations = {
            "stat": lambda p: shown(os.stat(p)), "lstat": lambda p: shown(os.lstat(p)),
            "access": lambda p: os.access(p, os.F_OK), "readlink": os.readlink, "statvfs": lambda p: list(os.statvfs(p))[:8],
            "path": lambda p: opened(p, os.O_PATH), "read": lambda p: opened(p, os.O_RDONLY),
            "write": lambda p: opened(p, os.O_WRONLY), "directory": lambda p: opened(p, os.O_RDONLY | os.O_DIRECTORY),
            "below": lambda p: shown(os.stat(p + "/x")), "slash": lambda p: shown(os.stat(p + "/")),
            "list": os.listdir, "chdir": os.chdir, "getxattr": lambda p: os.getxattr(p, "user.cameraroll.id"),
            "listxattr": os.listxattr, "setxattr": lambda p: os.setxattr(p, "user.x", b"1"),
            "truncate": lambda p: os.truncate(p, 0), "chmod": lambda p: os.chmod(p, 0o600),
            "chown": lambda p: os.chown(p, os.getuid(), os.getgid()), "utime": lambda p: os.utime(p, (1, 1)),
            "unlink": os.unlink, "rmdir": os.rmdir, "rename from": lambda p: os.rename(p, root + "/DCIM/taken.tmp"),
            "link from": lambda p: os.link(p, root + "/DCIM/taken.tmp"),
            "create": lambda p: opened(p, os.O_RDWR | os.O_CREAT), "exclusive": lambda p: opened(p, os.O_RDWR | os.O_CREAT | os.O_EXCL),
            "truncating": lambda p: opened(p, os.O_RDWR | os.O_CREAT | os.O_TRUNC), "mkdir": os.mkdir, "fifo": os.mkfifo,
            "symlink": lambda p: os.symlink("x", p), "rename onto": with_fresh(lambda p: os.rename(own, p)),
            "keeping": with_fresh(lambda p: renameat2(own, p, 1)), "exchange": with_fresh(lambda p: renameat2(own, p, 2)),
            "link onto": with_fresh(lambda p: os.link(own, p)), "directory onto": with_directory(lambda p: os.rename(held, p)),
        }

        def clean(path):
            for gone in [path, own]:
                try: os.unlink(gone)
                except OSError: pass
            for gone in [path, held]:
                try: os.rmdir(gone)
                except OSError: pass

        def attempt(operation, name):
            path = root + "/" + name
            try: result = operation(path)
            except OSError as error: result = errno.errorcode[error.errno]
            parent = os.path.dirname(path)
            try: listed = os.path.basename(path) in os.listdir(parent)
            except OSError as error: listed = errno.errorcode[error.errno]
            try: twins = [n for n in os.listdir(parent) if "~" in n]
            except OSError as error: twins = []
            clean(path)
            return [result, listed, twins]

        os.umask(0)
        differences = []
        count = 0
        for hidden, never in pairs:
            for what, operation in operations.items():
                # A file that was closed a moment ago may count as open still: what differs once has to differ again.
                for _ in range(4):
                    one, other = attempt(operation, hidden), attempt(operation, never)
                    if one == other: break
                count += 1
                if one != other: differences.append("%s of %s: %s, of %s: %s" % (what, hidden, one, never, other))
        print(json.dumps({"count": count, "differences": differences}))
        """#

    struct Report: Decodable {
        var count: Int
        var differences: [String]
    }
}
