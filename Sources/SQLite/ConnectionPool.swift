internal import Platform

/// Connections for readers: each thread that reads takes one and gives it back.
public final class ConnectionPool: Sendable {
    private let idle: Lock<[Connection]>
    private let make: @Sendable () throws(SQLError) -> Connection

    public init(make: @escaping @Sendable () throws(SQLError) -> Connection) {
        idle = Lock([])
        self.make = make
    }

    /// Runs `body` with a connection that no other thread has meanwhile.
    public func withConnection<Result, Failure: Error>(
        mapping: (SQLError) -> Failure, _ body: (Connection) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let connection: Connection
        if let waiting = idle.withLock({ $0.popLast() }) {
            connection = waiting
        } else {
            do throws(SQLError) { connection = try make() } catch { throw mapping(error) }
        }
        defer { idle.withLock { $0.append(connection) } }
        return try body(connection)
    }
}
