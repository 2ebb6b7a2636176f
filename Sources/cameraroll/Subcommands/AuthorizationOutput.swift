import PhotoLibrary
import Platform

/// What `authorization` prints.
struct AuthorizationOutput {
    let library: Library
    let isJSON: Bool

    /// Every record.
    func list() throws(CommandFailure) {
        let records = try records { _ in true }
        if isJSON {
            var json = JSONWriter()
            try json.beginObject()
            try write(records, &json)
            try json.endObject()
            try json.finish()
            return
        }
        let width = records.map { DisplayText.name($0.record.client).count }.max() ?? 0
        try Output.print(
            records.map { entry in
                let record = entry.record
                let selected = entry.selected.map { " (\($0 == 1 ? "1 asset" : "\($0) assets") chosen)" } ?? ""
                return DisplayText.padded(DisplayText.name(record.client), to: width) + "  "
                    + DisplayText.padded(record.level.name, to: 10) + "  "
                    + DisplayText.padded(record.status.name, to: 14) + "  " + TimeText.local(record.changed) + selected
                    + "\n"
            }.joined())
    }

    /// What nobody answered.
    func pending() throws(CommandFailure) {
        let requests: [AuthorizationRequest]
        do throws(Errno) { requests = try library.authorization.requests() } catch {
            throw OpenLibrary.failure(error, library, "The requests of \(library.path) cannot be read")
        }
        guard isJSON else {
            try Output.print(requests.map { Self.line($0) + "\n" }.joined())
            return
        }
        var json = JSONWriter()
        try json.beginObject()
        try json.key("pending")
        try json.beginArray()
        for request in requests {
            try json.beginObject()
            try json.member("client", request.client)
            try json.member("program", request.program)
            try json.member("level", request.level.name)
            try json.member("operation", request.operation)
            try json.member("path", request.path)
            try json.member("asked", TimeText.utc(request.asked))
            try json.member("count", Int64(request.count))
            try json.endObject()
        }
        try json.endArray()
        try json.endObject()
        try json.finish()
    }

    /// What a client has after a change.
    func changed(_ client: Client, _ count: (key: String, value: Int)?) throws(CommandFailure) {
        guard isJSON else { return }
        var json = JSONWriter()
        try json.beginObject()
        try json.member("client", client.description)
        if let count { try json.member(count.key, Int64(count.value)) }
        try write(try records { $0.client.utf8.elementsEqual(client.description.utf8) }, &json)
        try json.endObject()
        try json.finish()
    }

    private static func line(_ request: AuthorizationRequest) -> String {
        let program = request.program.map { " by \(DisplayText.name($0))" } ?? ""
        let count = request.count == 1 ? "" : ", \(request.count) times"
        return "\(DisplayText.name(request.client))  \(TimeText.local(request.asked))  \(request.level.name): "
            + "\(DisplayText.singleLine(request.operation)) \(DisplayText.name(request.path))\(program)\(count)"
    }

    /// A record; of a limited client with the number of assets that were chosen for it.
    private typealias Entry = (record: AuthorizationRecord, selected: Int?)

    private func records(_ isWanted: (AuthorizationRecord) -> Bool) throws(CommandFailure) -> [Entry] {
        do throws(Errno) {
            var entries: [Entry] = []
            for record in try library.authorization.records() where isWanted(record) {
                var selected: Int?
                if record.status == .limited, let client = Client(record.client) {
                    selected = try library.authorization.selectionCount(of: client)
                }
                entries.append((record, selected))
            }
            return entries
        } catch { throw OpenLibrary.failure(error, library, "The authorizations of \(library.path) cannot be read") }
    }

    private func write(_ entries: [Entry], _ json: inout JSONWriter) throws(CommandFailure) {
        try json.key("records")
        try json.beginArray()
        for (record, selected) in entries {
            try json.beginObject()
            try json.member("client", record.client)
            try json.member("level", record.level.name)
            try json.member("status", record.status.name)
            try json.member("changed", TimeText.utc(record.changed))
            try json.member("selected", selected.map { Int64($0) })
            try json.endObject()
        }
        try json.endArray()
    }
}
