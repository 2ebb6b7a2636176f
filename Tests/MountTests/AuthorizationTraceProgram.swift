/// What a client does who looks for traces of what it may not see.
enum AuthorizationTrace {
    /// Called with what to do, the mount point, and a path of a picture or a process's number.
    ///
    /// - `make`: makes everything that is called "secret", and the one picture that is not.
    /// - `walk`: prints all that can be found, by path.
    /// - `process`: prints what can be read of the mount process, and where links of own descriptors lead.
    static let program = #"""
        import errno, json, os, sys

        action, root, extra = sys.argv[1:4]
        dcim, own, added = root + "/DCIM", root + "/DCIM/own", root + "/Recently Added"
        counter = [0]

        def picture():
            counter[0] += 1
            with open(extra, "rb") as file: return file.read() + b"variant %09d %06d" % (os.getpid(), counter[0])
        def write(path, data):
            with open(path, "wb") as file: file.write(data)
        long = "secret-" + "a" * 244 + ".jpg"

        def make():
            os.chmod(dcim, 0o777)
            write(dcim + "/x.jpg", picture())
            for name in ["secret-photo.jpg", "secret-twice.jpg", "secret-gone.jpg", long]: write(dcim + "/" + name, picture())
            os.link(dcim + "/secret-twice.jpg", dcim + "/secret-again.jpg")
            os.unlink(dcim + "/secret-gone.jpg")
            os.setxattr(dcim + "/secret-photo.jpg", "user.xdg.tags", b"secret-keyword")
            try: write(dcim + "/secret-pending.jpg", picture()[:600])
            except OSError as error: assert error.errno == errno.EINVAL
            write(dcim + "/.secret.jpg.part", b"half")
            write(dcim + "/._secret", b"junk")
            os.symlink("secret-photo.jpg", dcim + "/secret-symlink")
            os.mkfifo(dcim + "/secret-fifo")
            for name in ["secret-dir", "secret-full", "secret-full/below"]: os.mkdir(dcim + "/" + name)
            for name in ["inner.jpg", "below/secret-deep.jpg"]: write(dcim + "/secret-full/" + name, picture())
            # Days that only hidden pictures have.
            for name, date in [("secret-18.jpg", b"2024:05:18"), ("secret-2023.jpg", b"2023:01:02")]:
                write(dcim + "/" + name, picture().replace(b"2024:05:17", date))
            os.makedirs(root + "/.Trash-0/files")

        def walk():
            found = {}
            for parent, directories, files in os.walk(root):
                for name in directories + files:
                    path = parent + "/" + name
                    status = os.lstat(path)
                    found[path[len(root) + 1:]] = status.st_nlink if os.path.isfile(path) else min(status.st_nlink, 2)
            return found

        def process():
            found = []
            for name in ["fd", "fdinfo", "environ", "maps", "io", "cwd", "exe", "mem"]:
                path = "/proc/%s/%s" % (extra, name)
                try: found.append(os.readlink(path) if name in ["cwd", "exe"] else os.listdir(path) if name[:2] == "fd" else open(path, "rb").read(64).decode())
                except OSError: pass
            opens = [os.open(place, os.O_RDONLY) for place in [dcim, own, own + "/own.jpg", added]]
            os.chdir(own)
            return {"mount": found, "links": [os.readlink("/proc/self/fd/%d" % file) for file in opens] + [os.readlink("/proc/self/cwd")]}

        if action == "make": make()
        elif action == "walk": print(json.dumps(walk()))
        elif action == "process": print(json.dumps(process()))
        """#
}
