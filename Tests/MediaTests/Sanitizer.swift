import Glibc

/// What the tests are built with.
enum Sanitizer {
    /// Whether the address sanitizer is on: it keeps freed memory for a while, so that the process's size says little. It
    /// looks for leaks itself when the tests end.
    static let isAddress: Bool = {
        let isOn = dlsym(nil, "__asan_init") != nil
        if isOn { print("SKIPPED: memory is not measured under the address sanitizer") }
        return isOn
    }()
}
