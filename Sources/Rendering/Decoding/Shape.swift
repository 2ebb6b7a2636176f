/// Sizes of pictures, compared.
enum Shape {
    /// Whether two sizes have the same ratio of their sides within 2 %, or one that rounding to whole pixels explains.
    static func isSame(_ one: (width: Int, height: Int), _ other: (width: Int, height: Int)) -> Bool {
        guard one.width > 0, one.height > 0, other.width > 0, other.height > 0 else { return false }
        let expected = Double(other.width) * Double(one.height) / Double(one.width)
        let difference = abs(expected - Double(other.height))
        return difference <= max(1, 0.02 * expected)
    }
}
