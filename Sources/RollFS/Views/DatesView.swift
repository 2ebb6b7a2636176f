internal import PhotoLibrary
internal import Platform

/// `Dates/2024/2024-05/2024-05-17/`: assets by capture day, in the capture's own local time.
///
/// A directory's number is its date: year, year and month, or year, month and day, in decimal.
struct DatesView: View {
    let library: Library
    let name = "Dates"

    private enum Level {
        case top
        case year(Int)
        case month(Int)
        case day(Int)

        init?(_ directory: UInt64) {
            guard let number = Int(exactly: directory) else { return nil }
            switch number {
            case 0: self = .top
            case 1...9999: self = .year(number)
            case 10_000...999_999: self = .month(number)
            case 1_000_000...99_999_999: self = .day(number)
            default: return nil
            }
        }

        /// The days in it, as yyyymmdd.
        var days: ClosedRange<Int> {
            switch self {
            case .top: 0...99_999_999
            case .year(let year): year * 10_000...year * 10_000 + 9999
            case .month(let month): month * 100...month * 100 + 99
            case .day(let day): day...day
            }
        }
    }

    func parent(of directory: UInt64) throws(Errno) -> UInt64? {
        switch Level(directory) {
        case .top, nil: nil
        case .year: 0
        case .month, .day: directory / 100
        }
    }

    func check(_ directory: UInt64) throws(Errno) {
        guard let level = Level(directory) else { throw .noEntry }
        if case .top = level { return }
        guard try nextDay(from: level.days.lowerBound, in: level.days) != nil else { throw .noEntry }
    }

    func leads(_ directory: UInt64, to part: VisiblePart) -> Bool {
        guard let level = Level(directory) else { return false }
        if case .top = level { return true }
        return part.days.contains { level.days.contains($0) }
    }

    private func nextDay(from day: Int, in days: ClosedRange<Int>) throws(Errno) -> Int? {
        guard let next = try library.nextDay(after: day - 1), days.contains(next) else { return nil }
        return next
    }

    func lookup(_ name: FileName, in directory: UInt64) throws(Errno) -> ViewItem? {
        guard let level = Level(directory) else { return nil }
        if case .day(let day) = level {
            guard let found = try library.asset(displayedAs: name), found.day == day, !found.isHidden else {
                return nil
            }
            return .node(found.node)
        }
        guard let child = Self.number(named: name), try parent(of: child) == directory, let level = Level(child) else {
            return nil
        }
        return try nextDay(from: level.days.lowerBound, in: level.days) == nil ? nil : .directory(child)
    }

    func list(
        _ directory: UInt64, after cookie: UInt64, _ body: (UInt64, FileName, ViewItem) -> Bool
    ) throws(Errno) {
        guard let level = Level(directory) else { throw .noEntry }
        let divisor: Int
        switch level {
        case .day(let day):
            try library.forEachAsset(onDay: day, after: cookie) { node in
                guard let name = node.displayName, let asset = node.asset else { return true }
                return body(UInt64(asset), name, .node(node))
            }
            return
        case .top: divisor = 10_000
        case .year: divisor = 100
        case .month: divisor = 1
        }
        // Each step skips to the first day after the last child shown: as many look-ups as entries.
        guard cookie <= 99_999_999 else { return }
        var start = cookie == 0 ? level.days.lowerBound : (Int(cookie) + 1) * divisor
        while let day = try nextDay(from: start, in: level.days) {
            let child = UInt64(day / divisor)
            guard body(child, Self.name(ofNumber: child), .directory(child)) else { return }
            start = (Int(child) + 1) * divisor
        }
    }

    func remove(_ name: FileName, of node: NodeRecord, from directory: UInt64) throws(Errno) -> ViewRemoval {
        ViewRemoval(names: try library.moveToTrash(node.id))
    }

    func placement(in directory: UInt64) throws(Errno) -> Placement {
        guard case .day(let day) = Level(directory) else { throw .notPermitted }
        return .day(day)
    }

    func receive(
        _ node: NodeRecord, as name: FileName, into directory: UInt64, mayReplace: Bool
    ) throws(Errno) -> ViewRemoval {
        guard case .day(let day) = Level(directory) else { throw .notPermitted }
        try library.setCaptureDay(of: node.id, to: day, othersFollow: true)
        return ViewRemoval()
    }

    /// `2024`, `2024-05`, `2024-05-17`.
    private static func name(ofNumber number: UInt64) -> FileName {
        func padded(_ value: UInt64, _ digits: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let text =
            switch number {
            case ..<10_000: padded(number, 4)
            case ..<1_000_000: "\(padded(number / 100, 4))-\(padded(number % 100, 2))"
            default: "\(padded(number / 10_000, 4))-\(padded(number / 100 % 100, 2))-\(padded(number % 100, 2))"
            }
        return FileName(trusted: Array(text.utf8))
    }

    private static func number(named name: FileName) -> UInt64? {
        let digits = name.bytes.filter { $0 != 0x2D }
        guard digits.count <= 8, let number = UInt64(String(decoding: digits, as: UTF8.self)),
            Self.name(ofNumber: number) == name
        else { return nil }
        return number
    }
}
