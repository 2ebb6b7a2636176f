import Support

/// One step of a random sequence. Paths are relative to the sequence's own directory.
enum ModelOperation: CustomStringConvertible {
    case create(String)
    case write(String, offset: Int, count: Int, byte: UInt8)
    case append(String, count: Int, byte: UInt8)
    case truncate(String, size: Int)
    /// Writes a picture of its own into a file that is new or empty.
    case picture(String)
    /// Writes a picture to a temporary name and renames it, as programs that save safely do.
    case savePicture(String, by: String)
    case rename(String, String, Posix.RenameMode)
    case link(String, String)
    case unlink(String)
    case makeDirectory(String)
    case removeDirectory(String)
    case symlink(String, target: String)
    case setMode(String, UInt32)
    case setTime(String, Int64)
    case read(String)
    case list(String)
    case status(String)
    case open(slot: Int, String)
    case writeOpen(slot: Int, offset: Int, count: Int, byte: UInt8)
    case readOpen(slot: Int, offset: Int, count: Int)
    case truncateOpen(slot: Int, size: Int)
    case close(slot: Int)

    static let slots = 3

    /// As it is written in this file, so that a shrunk sequence can be pasted into a test.
    var description: String {
        switch self {
        case .create(let path): ".create(\"\(path)\")"
        case .write(let path, let offset, let count, let byte):
            ".write(\"\(path)\", offset: \(offset), count: \(count), byte: \(byte))"
        case .append(let path, let count, let byte): ".append(\"\(path)\", count: \(count), byte: \(byte))"
        case .truncate(let path, let size): ".truncate(\"\(path)\", size: \(size))"
        case .picture(let path): ".picture(\"\(path)\")"
        case .savePicture(let path, let temporary): ".savePicture(\"\(path)\", by: \"\(temporary)\")"
        case .rename(let old, let new, let mode): ".rename(\"\(old)\", \"\(new)\", .\(mode))"
        case .link(let old, let new): ".link(\"\(old)\", \"\(new)\")"
        case .unlink(let path): ".unlink(\"\(path)\")"
        case .makeDirectory(let path): ".makeDirectory(\"\(path)\")"
        case .removeDirectory(let path): ".removeDirectory(\"\(path)\")"
        case .symlink(let path, let target): ".symlink(\"\(path)\", target: \"\(target)\")"
        case .setMode(let path, let mode): ".setMode(\"\(path)\", 0o\(String(mode, radix: 8)))"
        case .setTime(let path, let time): ".setTime(\"\(path)\", \(time))"
        case .read(let path): ".read(\"\(path)\")"
        case .list(let path): ".list(\"\(path)\")"
        case .status(let path): ".status(\"\(path)\")"
        case .open(let slot, let path): ".open(slot: \(slot), \"\(path)\")"
        case .writeOpen(let slot, let offset, let count, let byte):
            ".writeOpen(slot: \(slot), offset: \(offset), count: \(count), byte: \(byte))"
        case .readOpen(let slot, let offset, let count):
            ".readOpen(slot: \(slot), offset: \(offset), count: \(count))"
        case .truncateOpen(let slot, let size): ".truncateOpen(slot: \(slot), size: \(size))"
        case .close(let slot): ".close(slot: \(slot))"
        }
    }

    /// A random step. Names come from small pools, so that steps meet the same files again and again.
    static func random(using random: inout SeededGenerator) -> ModelOperation {
        func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random) ?? values[0] }
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        func byte() -> UInt8 { UInt8.random(in: 1...255, using: &random) }
        func directory() -> String {
            pick(["", "", "", "d0/", "d0/", "d1/", "d2/", "d0/d1/", "d1/d0/", "d0/d1/d2/", "._0/", "p0.jpg/"])
        }
        func plain() -> String { directory() + pick(["._0", "._1", "._2", ".DS_Store"]) }
        func temporary() -> String { directory() + pick(["0.tmp", "1.tmp", "2.jpg.part"]) }
        func photo() -> String { directory() + pick((0...5).map { "p\($0).jpg" }) }
        func symlink() -> String { directory() + pick(["l0", "l1"]) }
        func folder() -> String { directory() + pick(["d0", "d1", "d2"]) }
        func writable() -> String { number(0...1) == 0 ? plain() : temporary() }
        func any() -> String { pick([plain(), temporary(), photo(), photo(), symlink(), folder()]) }
        func pair() -> (String, String) {
            switch number(0...9) {
            case 0...1: (plain(), plain())
            case 2...3: (temporary(), temporary())
            case 4...6: (photo(), photo())
            case 7: (symlink(), symlink())
            case 8: (folder(), folder())
            default: (folder(), any())
            }
        }
        func offset() -> Int { pick([0, 0, 1, 100, 4095, 4096, 5000, 70_000]) }
        func count() -> Int { pick([1, 10, 4096, 4097, 10_000]) }
        let slot = number(0...slots - 1)
        switch number(0...99) {
        case 0..<6: return .create(pick([plain(), temporary(), photo()]))
        case 6..<14: return .write(writable(), offset: offset(), count: count(), byte: byte())
        case 14..<20: return .append(writable(), count: count(), byte: byte())
        case 20..<24: return .truncate(writable(), size: offset() + number(0...5))
        case 24..<34: return .picture(photo())
        case 34..<38: return .savePicture(photo(), by: temporary())
        case 38..<50:
            let (old, new) = pair()
            return .rename(old, new, pick([.replace, .replace, .replace, .noReplace, .exchange]))
        case 50..<56:
            let (old, new) = pair()
            return .link(old, new)
        case 56..<63: return .unlink(any())
        case 63..<71: return .makeDirectory(number(0...9) == 0 ? any() : folder())
        case 71..<74: return .removeDirectory(number(0...9) == 0 ? any() : folder())
        case 74..<77: return .symlink(symlink(), target: pick(["._0", "../somewhere", "d0/none"]))
        case 77..<80: return .setMode(any(), pick([0o644, 0o600, 0o755, 0o700, 0o777]))
        case 80..<83:
            return .setTime(
                any(), Int64(number(0...2_000_000_000)) * 1_000_000_000 + Int64(number(0...999)) * 1_000_000)
        case 83..<86: return .read(pick([plain(), temporary(), photo()]))
        case 86..<89: return .list(pick(["", folder(), folder()]))
        case 89..<92: return .status(any())
        case 92..<94: return .open(slot: slot, writable())
        case 94..<96: return .writeOpen(slot: slot, offset: offset(), count: count(), byte: byte())
        case 96..<98: return .readOpen(slot: slot, offset: offset(), count: 12_000)
        case 98: return .truncateOpen(slot: slot, size: offset())
        default: return .close(slot: slot)
        }
    }
}
