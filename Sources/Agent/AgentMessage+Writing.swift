internal import PhotoLibrary

/// From messages to lines, their line feed included.
extension AgentMessage.Answer {
    public var line: [UInt8] {
        Array(
            "{\"type\":\"answer\",\"id\":\(id),\"decision\":\"\(decision.rawValue)\",\"scope\":\"\(scope.rawValue)\"}\n"
                .utf8)
    }
}

extension AgentMessage.FromMount {
    /// At most `AgentMessage.lineLimit` bytes: long texts are cut at their beginning, as the end of a path tells more.
    public var line: [UInt8] {
        let text =
            switch self {
            case .hello(let version, let library):
                "\"hello\",\"version\":\(version),\"library\":\(AgentMessage.quoted(library))"
            case .question(let question): AgentMessage.members(of: question)
            case .ready: "\"ready\""
            case .closed(let id, let outcome): "\"closed\",\"id\":\(id),\"outcome\":\"\(outcome.rawValue)\""
            case .result(let id, let isAccepted, let reason):
                "\"result\",\"id\":\(id),\"accepted\":\(isAccepted),\"reason\":\(AgentMessage.quoted(reason))"
            case .error(let reason): "\"error\",\"reason\":\(AgentMessage.quoted(reason))"
            }
        return Array("{\"type\":\(text)}\n".utf8)
    }
}

extension AgentMessage {
    /// The most bytes that one text takes in a line: three of them and the rest of a message fit.
    private static let textLimit = 1200

    fileprivate static func members(of question: AuthorizationQuestion) -> String {
        "\"question\",\"id\":\(question.id),\"user\":\(question.uid)"
            + ",\"program\":\(question.program.map { quoted($0) } ?? "null"),\"pid\":\(question.pid)"
            + ",\"level\":\"\(question.level.name)\",\"operation\":\(quoted(question.operation))"
            + ",\"path\":\(quoted(question.path)),\"asked\":\(question.asked),\"expires\":\(question.expires)"
    }

    fileprivate static func quoted(_ text: String) -> String {
        let whole = JSONText.quoted(text)
        guard whole.utf8.count > textLimit else { return whole }
        var kept = Substring.UnicodeScalarView(text.unicodeScalars)[...]
        var size = 16
        var start = kept.endIndex
        while start > kept.startIndex {
            let previous = kept.index(before: start)
            size += JSONText.quoted(String(kept[previous])).utf8.count - 2
            if size > textLimit { break }
            start = previous
        }
        kept = kept[start...]
        return JSONText.quoted("…" + String(String.UnicodeScalarView(kept)))
    }
}
