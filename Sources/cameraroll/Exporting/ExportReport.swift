import Platform

/// What an export did, told while it goes on.
struct ExportReport: ~Copyable {
    private(set) var exported = 0
    private(set) var same = 0
    private(set) var sidecars = 0
    private(set) var failed = 0
    private(set) var bytes: Int64 = 0
    private var json: JSONWriter?
    private var bar: ProgressBar
    private var done = 0

    init(library: String, directory: String, asJSON: Bool, bar: ProgressBar) throws(CommandFailure) {
        self.bar = bar
        guard asJSON else { return }
        var writer = JSONWriter()
        try writer.beginObject()
        try writer.member("library", library)
        try writer.member("directory", directory)
        try writer.key("items")
        try writer.beginArray()
        json = consume writer
    }

    mutating func showProgress(_ doneBytes: Int64, _ name: String) {
        bar.show(files: done, bytes: doneBytes, name: name)
    }

    /// One asset's file lies where it belongs now.
    mutating func add(
        _ path: String, to target: String, isSame: Bool, sidecar: String?, size: Int64
    ) throws(CommandFailure) {
        done += 1
        if isSame { same += 1 } else { exported += 1 }
        if sidecar != nil { sidecars += 1 }
        if !isSame { bytes &+= size }
        try tell(path, isSame ? "same" : "exported", target, sidecar, nil)
    }

    mutating func addFailure(_ path: String, _ reason: String) throws(CommandFailure) {
        done += 1
        failed += 1
        bar.clear()
        StandardError.note("\(DisplayText.name(path)): \(reason)")
        try tell(path, "failed", nil, nil, reason)
    }

    private mutating func tell(
        _ path: String, _ outcome: String, _ target: String?, _ sidecar: String?, _ reason: String?
    ) throws(CommandFailure) {
        if json != nil {
            try json?.beginObject()
            try json?.member("path", path)
            try json?.member("outcome", outcome)
            try json?.member("to", target)
            try json?.member("sidecar", sidecar)
            try json?.member("reason", reason)
            try json?.endObject()
            return
        }
        guard let target else { return }
        bar.clear()
        let verb = outcome == "same" ? "same as" : "exported as"
        try Output.print("\(DisplayText.name(path)): \(verb) \(DisplayText.name(target))\n")
    }

    /// Ends with what it came to.
    consuming func finish(isInterrupted: Bool) throws(CommandFailure) {
        bar.clear()
        if var json = json.take() {
            try json.endArray()
            for (key, number) in [
                ("exported", exported), ("same", same), ("sidecars", sidecars), ("failed", failed),
            ] {
                try json.member(key, Int64(number))
            }
            try json.member("bytes", bytes)
            try json.member("interrupted", isInterrupted)
            try json.endObject()
            try json.finish()
            return
        }
        var parts = ["\(exported) exported" + (exported > 0 ? " (\(DisplayText.byteCount(bytes)))" : "")]
        if same > 0 { parts.append("\(same) there already") }
        if sidecars > 0 { parts.append("\(sidecars) with a sidecar") }
        if failed > 0 { parts.append("\(failed) failed") }
        try Output.print((isInterrupted ? "Interrupted: " : "") + parts.joined(separator: ", ") + ".\n")
    }
}
