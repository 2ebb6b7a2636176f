import Glibc

/// What the kernel says of a running process (proc(5)).
public enum RunningProcess {
    /// When a process or thread started, in clock ticks since boot: with its number it names it for good.
    ///
    /// Nil where it is gone.
    public static func startTime(of pid: Int32) -> UInt64? {
        guard pid > 0 else { return nil }
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try FileDescriptor.open("/proc/\(pid)/stat", .readOnly).readBytes(4096, at: 0)
        } catch { return nil }
        // The name, in brackets, may hold anything; the start is the 20th field behind it (proc(5), field 22).
        guard let end = bytes.lastIndex(of: 0x29) else { return nil }
        let fields = bytes[(end + 1)...].split(separator: 0x20)
        guard fields.count > 19 else { return nil }
        return UInt64(String(decoding: fields[fields.startIndex + 19], as: UTF8.self))
    }

    /// The program that a process runs, as an absolute path with symbolic links resolved; " (deleted)" follows where
    /// the file is gone. Nil where the process is gone or may not be looked at.
    public static func program(of pid: Int32) -> String? {
        guard pid > 0 else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            let length = buffer.withMemoryRebound(to: CChar.self) { characters in
                characters.baseAddress.map { readlink("/proc/\(pid)/exe", $0, characters.count) } ?? 0
            }
            count = max(0, length)
        }
        return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }
}
