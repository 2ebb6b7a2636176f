import PhotoLibrary

extension Subcommand {
    static let status = Subcommand(
        name: "status", operands: "[LIBRARY]", summary: "Show counts, space, mounts and warnings.",
        details: """
            Without LIBRARY: every library that is mounted on this machine.

            With --json one object: library, version, assets, photos, videos, pending, trash, bytes, free, mounts
            (mountpoint, pid, desktop_thumbnails), passthrough, warnings. Without LIBRARY these stand in an array, libraries.
            What is not open to this user is null.
            """,
        options: [.json], operandCount: 0...1, run: StatusCommand.run)
}

/// Tells how libraries are.
enum StatusCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        guard let argument = arguments.operands.first else { return try runForAll(arguments) }
        let status = try LibraryStatus.of(try LibraryLocation.resolve(argument))
        if arguments.has("--json") {
            var json = JSONWriter()
            try write(status, &json)
            try json.finish()
        } else {
            try Output.print(text(of: status))
        }
        return .done
    }

    private static func runForAll(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        var statuses: [LibraryStatus] = []
        for library in try LibraryStatus.mountedLibraries() {
            do throws(CommandFailure) { statuses.append(try LibraryStatus.of(library)) } catch {
                statuses.append(.closed(library, error))
            }
        }
        if arguments.has("--json") {
            var json = JSONWriter()
            try json.beginObject()
            try json.key("libraries")
            try json.beginArray()
            for status in statuses { try write(status, &json) }
            try json.endArray()
            try json.endObject()
            try json.finish()
        } else if statuses.isEmpty {
            try Output.print("No library is mounted.\n")
        } else {
            try Output.print(statuses.map(text).joined(separator: "\n"))
        }
        return .done
    }

    private static func write(_ status: LibraryStatus, _ json: inout JSONWriter) throws(CommandFailure) {
        let statistics = status.statistics
        try json.beginObject()
        try json.member("library", status.library)
        try json.member("version", Version.current)
        for (key, value) in [
            ("assets", statistics.map { Int64($0.photos + $0.videos) }),
            ("photos", statistics.map { Int64($0.photos) }), ("videos", statistics.map { Int64($0.videos) }),
            ("pending", statistics.map { Int64($0.pending) }), ("trash", statistics.map { Int64($0.trash) }),
            ("bytes", statistics.map(\.bytes)), ("free", status.free),
        ] {
            try json.member(key, value)
        }
        try json.key("mounts")
        try json.beginArray()
        for mount in status.mounts {
            try json.beginObject()
            try json.member("mountpoint", mount.path)
            try json.member("pid", mount.pid.map { Int64($0) })
            try json.member("desktop_thumbnails", mount.desktopThumbnails)
            try json.endObject()
        }
        try json.endArray()
        try json.member("passthrough", false)
        try json.member("warnings", status.warnings)
        try json.endObject()
    }

    private static func text(of status: LibraryStatus) -> String {
        var rows: [(String, String)] = [("library", DisplayText.name(status.library))]
        if let statistics = status.statistics {
            rows.append(
                (
                    "assets",
                    "\(statistics.photos + statistics.videos)"
                        + " (\(count(statistics.photos, "photo")), \(count(statistics.videos, "video")))"
                ))
            rows.append(("size", DisplayText.byteCount(statistics.bytes)))
            rows.append(("pending", "\(statistics.pending)"))
            rows.append(("trash", "\(statistics.trash)"))
        }
        if let free = status.free { rows.append(("free", DisplayText.byteCount(free))) }
        for mount in status.mounts {
            let process = mount.pid.map { "process \($0)" } ?? "no process"
            rows.append(("mounted at", "\(DisplayText.name(mount.path)) (\(process))"))
            if let directory = mount.desktopThumbnails {
                rows.append(("thumbnails", "kept for the desktop in \(DisplayText.name(directory))"))
            }
        }
        if status.mounts.isEmpty { rows.append(("mounted at", "nowhere")) }
        rows.append(("passthrough", "off"))
        rows.append(("version", Version.current))
        for warning in status.warnings { rows.append(("warning", DisplayText.singleLine(warning))) }
        return Columns.aligned(rows)
    }

    /// `1 photo`, `2 photos`.
    private static func count(_ number: some BinaryInteger, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
