import Glibc

exit(CommandRun.run(Array(CommandLine.arguments.dropFirst())).rawValue)
