import Glibc

/// What the kernel says of a running process (proc(5)).
public enum RunningProcess {
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
