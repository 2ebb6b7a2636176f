import PhotoLibrary

extension Subcommand {
    static let initialize = Subcommand(
        name: "init", operands: "LIBRARY", summary: "Make an empty library.",
        details: """
            LIBRARY is a directory that is empty or does not exist yet. A directory that holds anything is left as it is
            (exit status 9). Only the user who makes a library can open it; others reach it through a mount.
            """,
        options: [], operandCount: 1...1
    ) { (arguments) throws(CommandFailure) in
        let path = arguments.operands[0]
        guard !path.isEmpty else { throw .usage("LIBRARY is empty. Name a directory.") }
        do throws(LibraryError) { try Library.create(at: path) } catch { throw CommandFailure(error) }
        return .done
    }
}
