import Glibc
public import Platform

/// What is mounted, as this process sees it (proc_pid_mountinfo(5)).
public struct MountTable: Sendable {
    /// The mounts, in the order in which the kernel lists them: of two at one path the later one covers the other.
    public let mounts: [Mount]

    /// One line of the table.
    public struct Mount: Sendable, Hashable {
        /// A number that no other mount has while this one lasts.
        public var identifier: Int
        /// The device number, `major:minor`.
        public var device: String
        public var path: String
        /// Such as `rw,nosuid,nodev`.
        public var options: [String]
        /// Such as `fuse.cameraroll`.
        public var type: String
        public var source: String
    }

    /// Reads the table.
    public init() throws(Errno) {
        let file = try FileDescriptor.open("/proc/self/mountinfo", [.readOnly])
        var text: [UInt8] = []
        while text.count < Self.sizeLimit {
            let part = try file.readBytes(Self.partSize, at: Int64(text.count))
            if part.isEmpty { break }
            text += part
        }
        self.init(parsing: text)
    }

    private static let partSize = 1 << 16
    private static let sizeLimit = 1 << 24

    init(parsing text: [UInt8]) {
        mounts = text.split(separator: UInt8(ascii: "\n")).compactMap { Mount(line: $0) }
    }

    /// A path as the table shows it: absolute, without symbolic links. The corresponding C function is `realpath`.
    public static func resolve(_ path: String) throws(Errno) -> String {
        guard let resolved = realpath(path, nil) else { throw .current }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The mount at a path, the topmost of several. The path is absolute, without symbolic links.
    public func mount(at path: String) -> Mount? {
        mounts.last { $0.path.utf8.elementsEqual(path.utf8) }
    }
}

extension MountTable.Mount {
    /// Reads `36 35 98:0 /root /path rw,noatime master:1 - type source rw,errors=continue`.
    init?(line: ArraySlice<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: " ")).map { Self.unescaped($0) }
        // Optional fields stand before a lone hyphen.
        guard fields.count > 6, let hyphen = fields[6...].firstIndex(of: "-"), hyphen + 2 < fields.count,
            let identifier = Int(fields[0])
        else { return nil }
        self.identifier = identifier
        device = fields[2]
        path = fields[4]
        options = fields[5].split(separator: ",").map(String.init)
        type = fields[hyphen + 1]
        source = fields[hyphen + 2]
    }

    /// Space, tab, line feed and backslash come as a backslash with three octal digits.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
