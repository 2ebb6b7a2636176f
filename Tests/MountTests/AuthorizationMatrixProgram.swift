extension AuthorizationMatrix {
    /// Makes the files for one column, or tries every operation on them and prints what each answered.
    ///
    /// Called with what to do, the path of `DCIM`, the column's name and the path of a picture.
    static let program = #"""
        import ctypes, errno, hashlib, json, os, sys

        action, dcim, column, base = sys.argv[1:5]
        root = os.path.dirname(dcim)
        place = dcim + "/" + column
        day = root + "/Dates/2024/2024-05/2024-05-17"
        deleted = root + "/Recently Deleted"
        objects = ["own", "chosen", "theirs"]
        # Each attempt has a file of its own, since many change it.
        uses = ["look", "write", "xattr", "truncate", "mode", "times", "link", "unlink", "within", "onto", "swap", "copy",
                "trash", "view", "out", "purge"]
        libc = ctypes.CDLL(None, use_errno=True)

        def path(use, which): return "%s/%s-%s-%s.jpg" % (place, column, use, which)
        def name(use, which): return os.path.basename(path(use, which))
        def directory(which, what): return "%s/%s-%s-%s" % (place, column, what, which)

        def prepare(which):
            with open(base, "rb") as file: picture = file.read()
            def make(path, mark):
                with open(path, "wb") as file: file.write(picture + b" variant " + mark.encode())
            os.makedirs(place, exist_ok=True)
            for what in ["full", "empty"]: os.mkdir(directory(which, what))
            make(directory(which, "full") + "/" + name("inner", which), column + which)
            for use in uses: make(path(use, which), column + which + use)
            if which == "own":
                for other in objects: make(path("over" + other, which), column + "over" + other)
                for other in objects: make(path("swap" + other, which), column + "swap" + other)
            for use in ["out", "purge"]: os.unlink(path(use, which))

        def nothing_or(names): return "ok" if names else "emp"

        def copy(source, target):
            reader = os.open(source, os.O_RDONLY)
            try:
                writer = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
                try: os.copy_file_range(reader, writer, 1 << 20)
                finally: os.close(writer)
            finally: os.close(reader)

        def exchange(one, other):
            if libc.renameat2(-100, one.encode(), -100, other.encode(), 2) < 0: raise OSError(ctypes.get_errno(), "")

        def opened(path, flags): os.close(os.open(path, flags))

        def attempts():
            new = lambda what: "%s/%s-new-%s" % (dcim, column, what)
            yield "statfs", lambda: os.statvfs(dcim)
            yield "stat DCIM", lambda: os.stat(dcim)
            yield "readdir DCIM", lambda: nothing_or(os.listdir(dcim))
            yield "readdir a view", lambda: nothing_or(os.listdir(root + "/Dates"))
            yield "create", lambda: opened(new("file.tmp"), os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            yield "mkdir", lambda: os.mkdir(new("directory"))
            yield "symlink", lambda: os.symlink("x", new("symlink"))
            yield "mknod", lambda: os.mkfifo(new("fifo"))
            yield "setxattr DCIM", lambda: os.setxattr(dcim, "user.test", b"1")
            yield "lookup nothing", lambda: opened(place + "/nothing.jpg", os.O_PATH)
            for o in objects:
                def row(what, body): return what + " " + o, body
                p = lambda use: path(use, o)
                yield row("lookup", lambda: opened(p("look"), os.O_PATH))
                yield row("stat", lambda: os.stat(p("look")))
                yield row("open read", lambda: opened(p("look"), os.O_RDONLY))
                yield row("open write", lambda: opened(p("write"), os.O_WRONLY))
                yield row("getxattr", lambda: os.getxattr(p("look"), "user.cameraroll.state"))
                yield row("listxattr", lambda: os.listxattr(p("look")) and None)
                yield row("setxattr", lambda: os.setxattr(p("xattr"), "user.test", b"1"))
                yield row("truncate", lambda: os.truncate(p("truncate"), os.stat(base).st_size))
                yield row("chmod", lambda: os.chmod(p("mode"), 0o640))
                yield row("utimens", lambda: os.utime(p("times"), (1e9, 1e9)))
                yield row("link", lambda: os.link(p("link"), new("link-" + o + ".jpg")))
                yield row("rename within", lambda: os.rename(p("within"), new("renamed-" + o + ".jpg")))
                yield row("rename onto", lambda: os.rename(path("over" + o, "own"), p("onto")))
                yield row("exchange", lambda: exchange(path("swap" + o, "own"), p("swap")))
                yield row("unlink", lambda: os.unlink(p("unlink")))
                yield row("copy_file_range", lambda: copy(p("copy"), new("copy-" + o + ".jpg.tmp")))
                yield row("readdir", lambda: nothing_or(os.listdir(directory(o, "full"))))
                yield row("rmdir", lambda: os.rmdir(directory(o, "empty")))
                yield row("rmdir full", lambda: os.rmdir(directory(o, "full")))
                yield row("view stat", lambda: os.stat(day + "/" + name("view", o)))
                yield row("view unlink", lambda: os.unlink(day + "/" + name("view", o)))
                yield row("rename in", lambda: os.rename(p("trash"), deleted + "/" + name("trash", o)))
                yield row("rename out", lambda: os.rename(deleted + "/" + name("out", o), new("out-" + o + ".jpg")))
                yield row("purge", lambda: os.unlink(deleted + "/" + name("purge", o)))

        def attempt(body):
            try:
                result = body()
                return result if result == "emp" else "ok"
            except OSError as error:
                return {errno.EACCES: "acc", errno.EPERM: "prm", errno.ENOENT: "noe", errno.ENOTEMPTY: "not"}.get(
                    error.errno, errno.errorcode.get(error.errno, str(error.errno)))

        def contents(path):
            with open(path, "rb") as file: return hashlib.sha256(file.read()).hexdigest()

        def facts(which):
            """All that is to stay as it is of somebody else's files."""
            found = {}
            for top in [place, deleted]:
                for parent, directories, files in os.walk(top):
                    for found_name in directories + files:
                        if "-%s" % which not in found_name or "over" in found_name or "~" in found_name or "swap%s" % which in found_name: continue
                        path = parent + "/" + found_name
                        status = os.lstat(path)
                        found[path] = [status.st_mode, status.st_nlink, status.st_mtime_ns, os.listxattr(path)]
                        if not os.path.isdir(path): found[path].append(contents(path))
            return found

        if action == "attempt":
            print(json.dumps({what: attempt(body) for what, body in attempts()}))
        elif action == "facts":
            print(json.dumps({which: facts(which) for which in ["chosen", "theirs"]}, sort_keys=True))
        else:
            for which in action.split(","): prepare(which)
        """#
}
