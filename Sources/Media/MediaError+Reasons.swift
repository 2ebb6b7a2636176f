extension MediaError {
    /// The file ends in the middle of what it holds; `what` names it, such as "The JPEG picture".
    static func cutOff(_ what: String) -> MediaError {
        .rejected(reason: "\(what) is not complete: the file was probably cut off while it was copied. Copy it again.")
    }

    /// The file contradicts itself at `detail`.
    static func damaged(_ what: String, _ detail: String) -> MediaError {
        .rejected(reason: "\(what) is damaged (\(detail)). Copy it again from where it came from.")
    }
}
