internal import CSQLite

/// The current row of a running statement. Valid only inside the closure that receives it.
public struct Row {
    let statement: OpaquePointer

    public func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }
    public func int64(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }
    public func int(_ column: Int) -> Int { Int(int64(column)) }
    public func uint64(_ column: Int) -> UInt64 { UInt64(bitPattern: int64(column)) }
    public func uint32(_ column: Int) -> UInt32 { UInt32(truncatingIfNeeded: int64(column)) }
    public func bool(_ column: Int) -> Bool { int64(column) != 0 }
    public func double(_ column: Int) -> Double { sqlite3_column_double(statement, Int32(column)) }
    public func optionalInt64(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }
    public func optionalInt(_ column: Int) -> Int? { isNull(column) ? nil : int(column) }
    public func optionalDouble(_ column: Int) -> Double? { isNull(column) ? nil : double(column) }

    /// The bytes of a text or blob, empty where it is null.
    public func bytes(_ column: Int) -> [UInt8] {
        // The order matters: column_blob first, then column_bytes (sqlite.org/c3ref/column_blob.html).
        guard let start = sqlite3_column_blob(statement, Int32(column)) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    public func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }
    public func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    public func optionalBytes(_ column: Int) -> [UInt8]? { isNull(column) ? nil : bytes(column) }
}
