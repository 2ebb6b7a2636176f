import Glibc
import PhotoLibrary
import Platform

extension Subcommand {
    static let mount = Subcommand(
        name: "mount", operands: "LIBRARY MOUNTPOINT", summary: "Mount a library at a directory.",
        details: """
            Returns once the mount answers; a process in the background serves it until it is unmounted, and writes to
            LIBRARY/logs/mount.log. A mount point whose process has died is cleared first.

            Who may use the mount is kept in the library: see cameraroll authorization. --authorize answers for the
            mounting user. read-write allows it to see, add and change everything; add-only allows it to add and denies
            it the rest, also where that was allowed before. Anyone else is asked for when it first uses the mount: by
            cameraroll agent, and with --foreground on this terminal.

            Mount options (-o), separated by commas:
              ro                     nothing can be changed
              allow_other            other users get in, each as its authorization says
              relaxed                closing a file does not wait for the disk
              passthrough=auto|off   whether the kernel may read files without asking (auto: where it can)
              prompt_timeout=60      seconds that a question about access waits for its answer
              desktop_thumbnails     what Thumbnails makes also goes where file managers look for it (~/.cache/thumbnails)
              authorize=LEVEL        as --authorize
            and the flags of mount(8), such as nosuid, nodev, noexec, noatime.
            """,
        options: [
            .flag("--create", help: "Make the library, and the mount point, where they do not exist."),
            .flag("--foreground", short: "-f", help: "Serve in this process; interrupt it to unmount."),
            .valued(
                "--authorize", "LEVEL", choices: ["read-write", "add-only"],
                help: "Allow the mounting user read-write or add-only access."),
            .valued("--options", short: "-o", "WORDS", isRepeatable: true, help: "Mount options, see above."),
            Option(name: BackgroundMount.option, isInternal: true, help: ""),
        ],
        operandCount: 2...2, run: MountCommand.run)
}

/// Mounts a library.
enum MountCommand {
    @Sendable static func run(_ arguments: Arguments) throws(CommandFailure) -> ExitCode {
        if arguments.has(BackgroundMount.option) {
            // The paths were checked and made absolute by the process that started this one.
            return try BackgroundMount.serve(try request(arguments, arguments.operands[0], arguments.operands[1]))
        }
        // The words first: a mistake in them is told before anything is made.
        _ = try request(arguments, "", "")
        let creates = arguments.has("--create")
        let library = try findLibrary(arguments.operands[0], creates: creates)
        try MountPoint.refuseOverlap(of: try MountPoint.locate(arguments.operands[1]), with: library)
        let mountPoint = try MountPoint.prepare(arguments.operands[1], creates: creates)
        let request = try request(arguments, library, mountPoint)
        MountPoint.noteHiddenFiles(in: mountPoint)
        if arguments.has("--foreground") {
            return try MountServer(
                request: request, ready: { true }, journal: { StandardError.note($0) },
                terminal: TerminalDisplay.standardInput()
            ).run()
        }
        try BackgroundMount.start(request)
        return .done
    }

    private static func request(
        _ arguments: Arguments, _ library: String, _ mountPoint: String
    ) throws(CommandFailure) -> MountRequest {
        var request = MountRequest(library: library, mountPoint: mountPoint)
        for list in arguments.values("--options") { try request.apply(optionList: list) }
        if let level = arguments.value("--authorize") {
            request.authorization = AccessLevel.allCases.first { $0.name == level }
        }
        if request.passthrough == .on {
            throw CommandFailure(
                .mountFailed,
                "passthrough=on: this version always serves reads and writes itself. Use passthrough=auto.")
        }
        return request
    }

    private static func findLibrary(_ argument: String, creates: Bool) throws(CommandFailure) -> String {
        if creates, !argument.isEmpty, isVacant(argument) {
            do throws(LibraryError) { try Library.create(at: argument) } catch { throw CommandFailure(error) }
        }
        let path = try LibraryLocation.resolve(argument)
        guard Library.isLibrary(path) else {
            // Says what it is instead.
            try OpenLibrary.open(path, forReading: true).close()
            return path
        }
        return path
    }

    /// Nothing is there, or a directory that holds nothing.
    private static func isVacant(_ path: String) -> Bool {
        do throws(Errno) {
            var isEmpty = true
            try Directory(path).forEachName { (name) throws(Errno) in
                if name != "lost+found" { isEmpty = false }
            }
            return isEmpty
        } catch { return error == .noEntry }
    }
}
