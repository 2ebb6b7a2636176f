internal import CSQLite

/// Functions of our own in SQL.
extension Connection {
    /// A value that SQL passes to a function. Texts come as their bytes; null and blobs are `null`.
    public enum Argument {
        case null
        case number(Double)
        case text([UInt8])
    }

    private final class Function: Sendable {
        let body: @Sendable ([Argument]) -> Bool
        init(_ body: @escaping @Sendable ([Argument]) -> Bool) { self.body = body }
    }

    /// Adds a function that tells true or false from its arguments alone, for statements of this connection; the
    /// schema of the database cannot call it. No statement may be running.
    public func addPredicate(
        _ name: String, arguments: Int, _ body: @escaping @Sendable ([Argument]) -> Bool
    ) throws(SQLError) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let code = sqlite3_create_function_v2(
            handle, name, Int32(arguments), flags, Unmanaged.passRetained(Function(body)).toOpaque(),
            Self.call, nil, nil, Self.release)
        if code != SQLITE_OK {
            throw SQLError(code: code, message: String(cString: sqlite3_errmsg(handle)), statement: name)
        }
    }

    private static let call:
        @convention(c) (
            OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
        ) -> Void = { context, count, values in
            guard let pointer = sqlite3_user_data(context) else { return }
            let function = Unmanaged<Function>.fromOpaque(pointer).takeUnretainedValue()
            let arguments = (0..<Int(count)).map { index in argument(values?[index]) }
            sqlite3_result_int(context, function.body(arguments) ? 1 : 0)
        }

    private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
        if let pointer { Unmanaged<Function>.fromOpaque(pointer).release() }
    }

    private static func argument(_ value: OpaquePointer?) -> Argument {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER, SQLITE_FLOAT: return .number(sqlite3_value_double(value))
        case SQLITE_TEXT:
            // The order matters: sqlite3_value_text first, then its length (sqlite.org/c3ref/value_blob.html).
            guard let text = sqlite3_value_text(value) else { return .null }
            return .text(Array(UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))))
        default: return .null
        }
    }
}
