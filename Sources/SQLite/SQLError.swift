internal import CSQLite
import Glibc
public import Platform

/// What SQLite reports: its extended result code, its words, and the statement that met it.
public struct SQLError: Error, Sendable, CustomStringConvertible {
    /// The extended result code (https://www.sqlite.org/rescode.html).
    public let code: Int32
    public let message: String
    /// The statement's text, empty where none was running.
    public let statement: String

    public var description: String {
        statement.isEmpty ? "SQLite: \(message) (\(code))" : "SQLite: \(message) (\(code)) in: \(statement)"
    }

    public init(code: Int32, message: String, statement: String) {
        self.code = code
        self.message = message
        self.statement = statement
    }

    /// The errno that a file system answers with: a full disk says so, damage is an input/output error.
    public var errno: Errno {
        switch code & 0xFF {
        case SQLITE_FULL: .noSpace
        case SQLITE_READONLY: .readOnlyFileSystem
        case SQLITE_NOMEM: .outOfMemory
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_TOOBIG: .fileTooLarge
        case SQLITE_CONSTRAINT where code == Self.uniqueConstraint || code == Self.primaryKeyConstraint: .exists
        default: .ioError
        }
    }

    /// The file itself is damaged or no database.
    public var isDamage: Bool { code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB }

    /// The code of a file that is no database (`SQLITE_NOTADB`).
    public static let notADatabase: Int32 = SQLITE_NOTADB

    // SQLITE_CONSTRAINT_UNIQUE and _PRIMARYKEY are macros over an expression, which the importer leaves out.
    private static let uniqueConstraint = SQLITE_CONSTRAINT | (8 << 8)
    private static let primaryKeyConstraint = SQLITE_CONSTRAINT | (6 << 8)
}
