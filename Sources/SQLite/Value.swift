/// A value bound to a statement's parameter.
public enum Value: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    /// UTF-8 bytes, bound as text.
    case text([UInt8])
    case blob([UInt8])

    public static func text(_ string: String) -> Value { .text(Array(string.utf8)) }
    public static func text(_ string: String?) -> Value { string.map { .text(Array($0.utf8)) } ?? .null }
    public static func integer(_ value: Int64?) -> Value { value.map { .integer($0) } ?? .null }
    public static func integer(_ value: Int) -> Value { .integer(Int64(value)) }
    public static func integer(_ value: Int?) -> Value { value.map { .integer(Int64($0)) } ?? .null }
    public static func integer(_ value: UInt32) -> Value { .integer(Int64(value)) }
    /// The same 64 bits; SQLite's integers are signed.
    public static func integer(_ value: UInt64) -> Value { .integer(Int64(bitPattern: value)) }
    public static func real(_ value: Double?) -> Value { value.map { .real($0) } ?? .null }
    public static func bool(_ value: Bool) -> Value { .integer(value ? 1 as Int64 : 0) }
}
