import PhotoLibrary
import Platform

/// Opening a library for one command.
enum OpenLibrary {
    /// Opens the library that an argument names, and closes it after `body`.
    ///
    /// - Parameter forReading: a store that is full or cannot be written is no hindrance.
    static func with<Result>(
        _ argument: String, forReading: Bool, _ body: (Library) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        let library = try open(try LibraryLocation.resolve(argument), forReading: forReading)
        defer { library.close() }
        return try body(library)
    }

    static func open(_ path: String, forReading: Bool) throws(CommandFailure) -> Library {
        do throws(LibraryError) {
            do throws(LibraryError) {
                return try Library(path: path)
            } catch  where forReading && [.noSpace, .quotaExceeded, .readOnlyFileSystem].contains(error.errno) {
                var options = Library.Options()
                options.isReadOnly = true
                return try Library(path: path, options: options)
            }
        } catch { throw CommandFailure(error) }
    }

    /// What a failure inside an open library means.
    static func failure(_ error: Errno, _ library: Library, _ what: String) -> CommandFailure {
        if library.isDamaged {
            return CommandFailure(
                .damaged,
                "The catalogue of \(library.path) is damaged. The photos are safe in its originals directory.")
        }
        return CommandFailure(system: error, what)
    }
}
