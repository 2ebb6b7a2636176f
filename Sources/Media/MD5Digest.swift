internal import CCrypto

/// MD5 (RFC 1321), by libcrypto: for names that others make by it, never for what has to be safe.
public enum MD5Digest {
    /// The digest in hexadecimal; nil where this machine's libcrypto does not have it.
    public static func text(of bytes: [UInt8]) -> String? {
        var digest = [UInt8](repeating: 0, count: 16)
        guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_md5(), nil) == 1 else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
