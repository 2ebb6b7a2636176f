import Glibc
import Platform
import Support

/// A directory of a mount and the model beside it, taking the same steps.
struct ModelRun {
    /// Where the mount did something else than the model.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    let directory: String
    private let tree = ModelTree()
    private let mask: UInt32
    private var files = [Int32?](repeating: nil, count: ModelOperation.slots)

    init(directory: String) throws {
        self.directory = directory
        // The mask can only be read by setting it; every test of this process wants the same one.
        mask = umask(0o022)
        umask(mask)
        try Posix.makeDirectory(directory)
        try Posix.setMode(directory, 0o755)
    }

    /// Takes one step on both sides. - Throws: a `Difference` where they do not agree.
    mutating func take(_ step: ModelOperation) throws {
        guard tree.covers(step) else { return }
        let fileMode = 0o644 & ~mask
        let bytes = Generated.jpeg()
        let expected = Self.outcome { () throws(Errno) -> String? in
            switch step {
            case .create(let path): try tree.create(path, mode: fileMode)
            case .write(let path, let offset, let count, let byte):
                try tree.write(path, offset: offset, count: count, byte: byte)
            case .append(let path, let count, let byte):
                try tree.append(path, count: count, byte: byte, mode: fileMode)
            case .truncate(let path, let size): try tree.truncate(path, size: size)
            case .picture(let path): try tree.picture(path, bytes: bytes, mode: fileMode)
            case .savePicture(let path, let temporary):
                try tree.picture(temporary, bytes: bytes, mode: fileMode)
                do throws(Errno) {
                    try tree.rename(temporary, path, .replace)
                } catch {
                    try tree.unlink(temporary)
                    throw error
                }
            case .rename(let old, let new, let mode): try tree.rename(old, new, mode)
            case .link(let old, let new): try tree.link(old, new)
            case .unlink(let path): try tree.unlink(path)
            case .makeDirectory(let path): try tree.makeDirectory(path, mode: 0o755 & ~mask)
            case .removeDirectory(let path): try tree.removeDirectory(path)
            case .symlink(let path, let target): try tree.symlink(path, target: target)
            case .setMode(let path, let mode): try tree.setMode(path, mode)
            case .setTime(let path, let time): try tree.setTime(path, time)
            case .read(let path): return Self.summary(try tree.read(path))
            case .list(let path): return try tree.list(path).joined(separator: " ")
            case .status(let path): return Self.facts(try tree.existing(path), like: nil)
            case .open(let slot, let path): try tree.open(slot: slot, path)
            case .writeOpen(let slot, let offset, let count, let byte):
                tree.writeOpen(slot: slot, offset: offset, count: count, byte: byte)
            case .readOpen(let slot, let offset, let count):
                return tree.readOpen(slot: slot, offset: offset, count: count).map(Self.summary)
            case .truncateOpen(let slot, let size): tree.truncateOpen(slot: slot, size: size)
            case .close(let slot): tree.close(slot: slot)
            }
            return nil
        }
        let actual = Self.outcome { () throws(Errno) -> String? in
            switch step {
            case .create(let path):
                try Posix.close(try Posix.open(at(path), O_CREAT | O_EXCL | O_WRONLY))
            case .write(let path, let offset, let count, let byte):
                try withFile(path, O_WRONLY) { file throws(Errno) in
                    try Self.write(file, [UInt8](repeating: byte, count: count), at: offset)
                }
            case .append(let path, let count, let byte):
                try Files.write([UInt8](repeating: byte, count: count), to: at(path), append: true)
            case .truncate(let path, let size): try Posix.check(Glibc.truncate(at(path), off_t(size)))
            case .picture(let path): try Files.write(bytes, to: at(path))
            case .savePicture(let path, let temporary):
                try Files.write(bytes, to: at(temporary))
                do throws(Errno) {
                    try Posix.rename(at(temporary), at(path))
                } catch {
                    try Posix.unlink(at(temporary))
                    throw error
                }
            case .rename(let old, let new, let mode): try Posix.rename(at(old), at(new), mode)
            case .link(let old, let new): try Posix.link(at(old), at(new))
            case .unlink(let path): try Posix.unlink(at(path))
            case .makeDirectory(let path): try Posix.makeDirectory(at(path))
            case .removeDirectory(let path): try Posix.removeDirectory(at(path))
            case .symlink(let path, let target): try Posix.symlink(target, at(path))
            case .setMode(let path, let mode): try Posix.setMode(at(path), mode)
            case .setTime(let path, let time): try Files.setTimes(at(path), to: time)
            case .read(let path): return Self.summary(try Files.read(at(path)))
            case .list(let path): return try Files.names(in: at(path)).joined(separator: " ")
            case .status(let path):
                guard let status = try Directory("/").status(of: at(path)) else { throw .noEntry }
                return Self.facts(status, target: status.kind == .symbolicLink ? try Posix.readLink(at(path)) : "")
            case .open(let slot, let path):
                try closeSlot(slot)
                files[slot] = try Posix.open(at(path), O_RDWR)
            case .writeOpen(let slot, let offset, let count, let byte):
                if let file = files[slot] {
                    try Self.write(file, [UInt8](repeating: byte, count: count), at: offset)
                }
            case .readOpen(let slot, let offset, let count):
                return try files[slot].map { file throws(Errno) in
                    Self.summary(try Posix.pread(file, count: count, at: offset))
                }
            case .truncateOpen(let slot, let size):
                if let file = files[slot] { try Posix.truncate(file, to: size) }
            case .close(let slot): try closeSlot(slot)
            }
            return nil
        }
        // Times count only where a client has set them, which the model alone knows.
        if case .status(let path) = step, let node = try? tree.existing(path) {
            let comparable = Self.facts(node, like: actual)
            guard comparable == actual else { throw Difference(description: "\(comparable) expected, \(actual) found") }
        } else if expected != actual {
            throw Difference(description: "\(expected) expected, \(actual) found")
        }
    }

    /// Closes what is open, as the last step of a sequence.
    mutating func finish() throws {
        for slot in 0..<ModelOperation.slots { try take(.close(slot: slot)) }
    }

    /// Compares the whole tree. - Throws: a `Difference`.
    func compare(_ when: String) throws {
        do {
            try compare(tree.root, at: directory)
        } catch {
            throw Difference(description: "\(when): \(error)")
        }
    }

    private func compare(_ node: ModelTree.Node, at path: String) throws {
        let status = try Files.existing(path)
        let target = status.kind == .symbolicLink ? try Posix.readLink(path) : ""
        let found = Self.facts(status, target: target)
        let expected = Self.facts(node, like: found)
        if expected != found { throw Difference(description: "\(path): \(expected) expected, \(found) found") }
        switch node.kind {
        case .file:
            let bytes = Self.summary(try Files.read(path))
            let model = Self.summary(node.bytes)
            if bytes != model { throw Difference(description: "\(path): \(model) expected, \(bytes) found") }
        case .directory:
            let names = try Files.names(in: path)
            let model = node.children.keys.sorted()
            if names != model { throw Difference(description: "\(path) lists \(names), not \(model)") }
            for (name, child) in node.children.sorted(by: { $0.key < $1.key }) {
                try compare(child, at: "\(path)/\(name)")
            }
        case .symbolicLink: break
        }
    }

    private func at(_ path: String) -> String { path.isEmpty ? directory : "\(directory)/\(path)" }

    private mutating func closeSlot(_ slot: Int) throws(Errno) {
        guard let file = files[slot] else { return }
        files[slot] = nil
        try Posix.close(file)
    }

    private func withFile(_ path: String, _ flags: Int32, _ body: (Int32) throws(Errno) -> Void) throws(Errno) {
        let file = try Posix.open(at(path), flags)
        do throws(Errno) {
            try body(file)
        } catch {
            try Posix.close(file)
            throw error
        }
        try Posix.close(file)
    }

    private static func write(_ file: Int32, _ bytes: [UInt8], at offset: Int) throws(Errno) {
        let count = try Posix.pwrite(file, bytes, at: offset)
        if count != bytes.count { throw .ioError }
    }

    private static func outcome(_ body: () throws(Errno) -> String?) -> String {
        do throws(Errno) {
            return try body() ?? "success"
        } catch {
            return error.name
        }
    }

    /// A file's contents in a few words that differ where the contents do.
    private static func summary(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "\(bytes.count) bytes #\(String(hash, radix: 16))"
    }

    private static func facts(_ status: FileStatus, target: String) -> String {
        let time = "time \(status.modificationTime)"
        let mode = String(status.mode & 0o777, radix: 8)
        return switch status.kind {
        case .regular: "file \(mode) size \(status.size) links \(status.links) \(time)"
        case .directory: "directory \(mode) \(time)"
        case .symbolicLink: "link to \(target) links \(status.links) \(time)"
        default: "kind \(String(describing: status.kind))"
        }
    }

    /// The same of a model's file; the time is taken from `found` where the model does not know it.
    private static func facts(_ node: ModelTree.Node, like found: String?) -> String {
        let foundTime = found?.split(separator: " ").last.map(String.init) ?? "unknown"
        // A directory's time moves with its entries.
        let time = "time \(node.kind == .directory ? foundTime : node.time.map(String.init) ?? foundTime)"
        let mode = String(node.mode, radix: 8)
        return switch node.kind {
        case .file: "file \(mode) size \(node.bytes.count) links \(node.links) \(time)"
        case .directory: "directory \(mode) \(time)"
        case .symbolicLink: "link to \(node.target) links \(node.links) \(time)"
        }
    }
}
