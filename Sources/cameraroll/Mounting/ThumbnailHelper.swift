import Rendering

/// The subcommand under which the mount starts its helper processes; nobody else has a use for it, so that no help
/// names it.
enum ThumbnailHelper {
    static let name = "thumbnail-worker"

    static func run() throws(CommandFailure) -> ExitCode {
        guard ThumbnailWorker.serve() else {
            throw CommandFailure(.usage, "\(name) is started by a mount only, and serves it through a socket.")
        }
        return .done
    }
}
