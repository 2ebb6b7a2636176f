/// Text in columns, for a person.
enum Columns {
    /// Labels and values, one line each, the values below each other.
    static func aligned(_ rows: [(label: String, value: String)]) -> String {
        let width = rows.map(\.label.count).max() ?? 0
        return rows.map { DisplayText.padded($0.label, to: width) + "  " + $0.value + "\n" }.joined()
    }
}
