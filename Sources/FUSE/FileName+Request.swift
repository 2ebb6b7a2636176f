import Glibc
internal import Platform

extension FileName {
    /// Takes a name from a request.
    ///
    /// - Throws: `ENAMETOOLONG`, `EILSEQ` or `EINVAL`, as `FileName(validating:)` does.
    init(request name: UnsafePointer<CChar>?) throws(Errno) {
        guard let name else { throw .invalid }
        try self.init(validating: UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }
}
