import PhotoLibrary
import Platform

/// What an import did, told while it goes on.
struct ImportReport: ~Copyable {
    /// What became of one file.
    enum Result {
        case outcome(ImportOutcome)
        /// A file that goes along with a photo or video.
        case companion(ImportOutcome)
        case failure(reason: String)
        /// Nothing in the library for it to go along with.
        case alone
    }

    private(set) var added = 0
    private(set) var same = 0
    private(set) var restored = 0
    private(set) var companions = 0
    private(set) var refused = 0
    private(set) var passedOver = 0
    private(set) var removed = 0
    /// Of what was added.
    private(set) var bytes: Int64 = 0
    private var json: JSONWriter?
    private var bar: ProgressBar
    private var done = 0

    init(library: String, asJSON: Bool, bar: ProgressBar) throws(CommandFailure) {
        self.bar = bar
        guard asJSON else { return }
        var writer = JSONWriter()
        try writer.beginObject()
        try writer.member("library", library)
        try writer.key("items")
        try writer.beginArray()
        json = consume writer
    }

    mutating func showProgress(_ doneBytes: Int64, _ name: String) {
        bar.show(files: done, bytes: doneBytes, name: name)
    }

    mutating func addPassedOver() { passedOver += 1 }
    mutating func addRemoved() { removed += 1 }

    mutating func add(_ source: String, _ result: Result, size: Int64) throws(CommandFailure) {
        done += 1
        switch result {
        case .outcome(.added(let path)):
            added += 1
            bytes += size
            try tell(source, "added", path)
        case .outcome(.restored(let path)):
            restored += 1
            try tell(source, "restored", path)
        case .outcome(.same(let path)):
            same += 1
            try tell(source, "same", path)
        case .companion(.same(let path)):
            companions += 1
            try tell(source, "same", path)
        case .companion(.added(let path)), .companion(.restored(let path)):
            companions += 1
            try tell(source, "sidecar", path)
        case .alone: passedOver += 1
        case .failure(let reason):
            refused += 1
            try tell(source, "refused", nil, reason)
        }
    }

    /// Something beside the results.
    mutating func note(_ text: String) {
        bar.clear()
        StandardError.note(text)
    }

    private mutating func tell(
        _ source: String, _ outcome: String, _ path: String?, _ reason: String? = nil
    ) throws(CommandFailure) {
        if reason != nil || json == nil { bar.clear() }
        if let reason { StandardError.note("\(DisplayText.name(source)): \(reason)") }
        if json != nil {
            try json?.beginObject()
            try json?.member("source", source)
            try json?.member("outcome", outcome)
            try json?.member("path", path)
            try json?.member("reason", reason)
            try json?.endObject()
            return
        }
        guard let path else { return }
        let words = ["added": "added as", "same": "same as", "restored": "restored as", "sidecar": "kept as"]
        try Output.print(
            "\(DisplayText.name(source)): \(words[outcome] ?? outcome) \(DisplayText.name(path))\n")
    }

    /// Ends with what it came to.
    consuming func finish(isInterrupted: Bool) throws(CommandFailure) {
        bar.clear()
        if var json = json.take() {
            try json.endArray()
            for (key, number) in [
                ("added", added), ("same", same), ("restored", restored), ("sidecars", companions),
                ("refused", refused), ("passed_over", passedOver), ("removed", removed),
            ] {
                try json.member(key, Int64(number))
            }
            try json.member("bytes", bytes)
            try json.member("interrupted", isInterrupted)
            try json.endObject()
            try json.finish()
            return
        }
        var parts = ["\(added) added" + (added > 0 ? " (\(DisplayText.byteCount(bytes)))" : "")]
        if same > 0 { parts.append("\(same) there already") }
        if restored > 0 { parts.append("\(restored) restored") }
        if companions > 0 { parts.append("\(companions) sidecar\(companions == 1 ? "" : "s")") }
        if refused > 0 { parts.append("\(refused) refused") }
        if passedOver > 0 { parts.append("\(passedOver) passed over") }
        if removed > 0 { parts.append("\(removed) moved away from where they were") }
        try Output.print((isInterrupted ? "Interrupted: " : "") + parts.joined(separator: ", ") + ".\n")
    }
}
