import PhotoLibrary
import Platform

/// Reads a library's logs: the files' ends, line by line. The catalogue is not needed, so that what went wrong can be read
/// when that is damaged.
enum EventReader {
    /// A refusal or failure as a line tells it.
    struct Event: Sendable, Equatable {
        /// Nanoseconds since 1970 UTC.
        var time: Int64
        var client: String
        var operation: String
        var path: String
        var errno: String
        var reason: String
        /// Of what is about access, such as "add-only"; else empty.
        var level: String

        /// Nil for a line that is no event.
        init?(line: [UInt8]) {
            guard let object = try? JSONParser.parse(line, limit: EventReader.lineLimit),
                let time = object["time"]?.integer, let operation = object["operation"]?.text
            else { return nil }
            self.time = time
            self.operation = operation
            client = object["client"]?.text ?? ""
            path = object["path"]?.text ?? ""
            let error = object["errno"]?.text ?? ""
            // What a decision is stored with, which is no error.
            errno = error == "errno 0" ? "" : error
            reason = object["reason"]?.text ?? ""
            level = object["level"]?.text ?? ""
        }
    }

    /// The log keeps its files below 2 MiB; more than this is not looked at.
    private static let fileLimit: Int64 = 8 << 20
    private static let partSize = 1 << 16
    private static let lineLimit = 1 << 16

    /// The last events of a log, oldest first.
    ///
    /// - Parameters:
    ///   - names: files in the library's `logs` directory, oldest first; one that is missing is empty.
    ///   - limit: how many.
    /// - Returns: the events, and how many lines could not be understood.
    static func last(
        _ limit: Int, of names: [String], library: String
    ) throws(CommandFailure) -> (events: [Event], broken: Int) {
        var events: [Event] = []
        var broken = 0
        do throws(Errno) {
            let logs = try Directory("logs", in: Directory(library))
            for name in names {
                let file: FileDescriptor
                do throws(Errno) { file = try logs.open(name, [.readOnly, .noFollow, .nonBlocking]) } catch .noEntry {
                    continue
                }
                guard try file.status().kind == .regular else { continue }
                try forEachLine(of: file) { line in
                    guard let event = Event(line: line) else {
                        broken += 1
                        return
                    }
                    events.append(event)
                    // Dropped in heaps, so that each is moved once on average.
                    if events.count >= 2 * max(limit, 512) { events.removeFirst(events.count - limit) }
                }
            }
        } catch { throw CommandFailure(system: error, "The logs of \(library) cannot be read") }
        return (Array(events.suffix(limit)), broken)
    }

    private static func forEachLine(of file: FileDescriptor, _ body: ([UInt8]) -> Void) throws(Errno) {
        let size = try file.status().size
        var position = max(0, size - fileLimit)
        // The first piece of a file that is read from its middle is half a line.
        var skipsLine = position > 0
        var line: [UInt8] = []
        while position < size {
            let part = try file.readBytes(partSize, at: position)
            if part.isEmpty { break }
            position += Int64(part.count)
            for byte in part {
                if byte == 0x0A {
                    if !skipsLine, !line.isEmpty { body(line) }
                    skipsLine = false
                    line.removeAll(keepingCapacity: true)
                } else if line.count < lineLimit {
                    line.append(byte)
                }
            }
        }
        if !skipsLine, !line.isEmpty { body(line) }
    }
}
