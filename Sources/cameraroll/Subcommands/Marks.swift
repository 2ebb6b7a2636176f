import PhotoLibrary
import Platform

extension Subcommand {
    private static let paths = """
        PATH lies in a mount, in DCIM or in another view, or is a library's directory with a path of the camera roll
        behind it, such as LIBRARY/DCIM/IMG_0001.JPG. A directory of DCIM stands for all that lies below it.
        """

    static let favorite = Subcommand(
        name: "favorite", operands: "PATH…", summary: "Make photos and videos favorites.",
        details: paths, options: [.flag("--off", help: "They are favorites no more.")], operandCount: 1...4096
    ) { (arguments) throws(CommandFailure) in
        try MarkCommand.run(arguments, .favorite)
    }

    static let hide = Subcommand(
        name: "hide", operands: "PATH…", summary: "Hide photos and videos from all views but DCIM and Albums.",
        details: paths, options: [.flag("--off", help: "They show again.")], operandCount: 1...4096
    ) { (arguments) throws(CommandFailure) in
        try MarkCommand.run(arguments, .hidden)
    }

    static let revert = Subcommand(
        name: "revert", operands: "PATH…", summary: "Bring edited photos and videos back as they were before any edit.",
        details: paths + "\n\nThe edits go. What is not edited is left as it is.", options: [], operandCount: 1...4096
    ) { (arguments) throws(CommandFailure) in
        try ItemSelection.change(arguments.operands) { (library, node, _) throws(Errno) in
            _ = try library.revert(node)
        }
    }
}

/// Sets or takes away a mark.
enum MarkCommand {
    static func run(_ arguments: Arguments, _ flag: AssetFlag) throws(CommandFailure) -> ExitCode {
        let isSet = !arguments.has("--off")
        return try ItemSelection.change(arguments.operands) { (library, node, _) throws(Errno) in
            try library.set(flag, of: node, to: isSet)
        }
    }
}
