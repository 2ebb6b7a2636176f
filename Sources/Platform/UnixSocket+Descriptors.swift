internal import CLinux
import Glibc

/// Passing open files to another process (unix(7), `SCM_RIGHTS`).
extension UnixSocket {
    /// Sends bytes, and an open file with the first of them.
    ///
    /// - Returns: the number of bytes sent; 0 where there is no room, and the file was not sent either.
    /// - Throws: `EPIPE` where the other side has closed the connection.
    public func send(_ bytes: [UInt8], passing file: FileDescriptor) throws(Errno) -> Int {
        let number = descriptor.rawValue
        do throws(Errno) {
            return try retryingInterrupts { cl_send_descriptor(number, bytes, bytes.count, file.rawValue) }
        } catch .wouldBlock {
            return 0
        }
    }

    /// Takes what has come, at most `count` bytes, and the file that was sent with them.
    ///
    /// - Returns: no bytes where the other side has closed the connection; nil where nothing is there.
    public func receiveWithFile(_ count: Int) throws(Errno) -> (bytes: [UInt8], file: FileDescriptor?)? {
        var failure: Errno?
        var passed: Int32 = -1
        let number = descriptor.rawValue
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(Errno) {
                initialized = try retryingInterrupts {
                    cl_receive_descriptor(number, buffer.baseAddress, buffer.count, &passed)
                }
            } catch {
                failure = error
                initialized = 0
            }
        }
        if failure == .wouldBlock { return nil }
        if let failure { throw failure }
        return (bytes, passed < 0 ? nil : FileDescriptor(owning: passed))
    }
}
