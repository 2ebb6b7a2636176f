import Glibc
import Platform

/// From the command line to the exit status.
enum CommandRun {
    /// The most bytes of all arguments that are looked at.
    private static let argumentLimit = 1 << 20

    static func run(_ words: [String]) -> ExitCode {
        do throws(CommandFailure) {
            try checkEncoding()
            return try dispatch(words)
        } catch {
            report(error)
            return error.code
        }
    }

    private static func dispatch(_ words: [String]) throws(CommandFailure) -> ExitCode {
        guard let first = words.first else {
            throw .usage("no subcommand is given. See: cameraroll --help")
        }
        switch first {
        case "--version":
            try Output.print("cameraroll \(Version.current)\n")
            return .done
        case "--help", "-h":
            try Output.print(overview)
            return .done
        case "help":
            guard words.count > 1 else {
                try Output.print(overview)
                return .done
            }
            try Output.print(try subcommand(words[1]).help)
            return .done
        case ThumbnailHelper.name:
            return try ThumbnailHelper.run()
        default:
            return try subcommand(first).run(words: words.dropFirst())
        }
    }

    private static func subcommand(_ name: String) throws(CommandFailure) -> Subcommand {
        guard let found = Subcommand.all.first(where: { $0.name == name }) else {
            let kind = name.utf8.first == UInt8(ascii: "-") ? "option" : "subcommand"
            throw .usage("unknown \(kind) \(DisplayText.excerpt(name)). See: cameraroll --help")
        }
        return found
    }

    private static var overview: String {
        var text = """
            Usage: cameraroll SUBCOMMAND …

            A photo and video library that is mounted as a drive: what is copied in becomes a photo or video of the
            library, what is there can be copied out like any file.

            LIBRARY is a library's directory, or a mount point of one.

            Subcommands:

            """
        for subcommand in Subcommand.all {
            text += "  " + DisplayText.padded(subcommand.name, to: 14) + " " + subcommand.summary + "\n"
        }
        text += """

            cameraroll SUBCOMMAND --help tells more of each; cameraroll --version prints the version.

            Exit status: 0 done, 1 some items failed, 2 wrong usage, 3 not authorized, 4 library damaged, 5 busy, 6 no
            such item, 7 mount failed, 8 system failure, 9 refused for the sake of what is there, 10 output failed, 129, 130
            and 143 interrupted by a signal.

            """
        return text
    }

    /// Swift repairs arguments that are not UTF-8, so that they would name another file than the one that was meant.
    private static func checkEncoding() throws(CommandFailure) {
        var total = 0
        for index in 0..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            total += strlen(argument)
            guard String(validatingCString: argument) != nil else {
                throw .usage("argument \(index) is not UTF-8. Rename the file, or name its directory another way.")
            }
        }
        guard total <= argumentLimit else { throw .usage("the arguments are longer than \(argumentLimit) bytes.") }
    }

    /// Writes a failure to standard error.
    static func report(_ failure: CommandFailure) {
        // Who closed the pipe knows that it did.
        guard failure.code != .outputFailed || !failure.message.isEmpty else { return }
        StandardError.write(([DisplayText.singleLine("cameraroll: \(failure.message)")] + failure.details))
    }
}
