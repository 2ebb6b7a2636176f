import Glibc
import Platform
import Support

/// A directory tree in memory that does what POSIX and Linux's own man pages say of each call.
///
/// The reference that a mounted library is held against. It keeps to what the contract leaves as POSIX has it: pictures
/// are never written over, and a file's name never changes its class (picture, temporary, kept as it is).
final class ModelTree {
    final class Node {
        enum Kind { case file, directory, symbolicLink }
        let kind: Kind
        var bytes: [UInt8] = []
        var children: [String: Node] = [:]
        var target = ""
        var mode: UInt32
        var links = 1
        /// As a client set it; nil where anything may be shown.
        var time: Int64?
        init(_ kind: Kind, mode: UInt32) {
            self.kind = kind
            self.mode = mode
        }
    }

    /// What a name says of how its file is treated.
    enum NameKind { case plain, temporary, picture, link, folder }

    let root = Node(.directory, mode: 0o755)
    private(set) var slots = [Node?](repeating: nil, count: ModelOperation.slots)

    static func kind(of path: String) -> NameKind {
        let name = path.split(separator: "/").last ?? ""
        if name.hasPrefix("._") || name == ".DS_Store" { return .plain }
        if name.hasSuffix(".tmp") || name.hasSuffix(".part") { return .temporary }
        if name.hasPrefix("p") { return .picture }
        return name.hasPrefix("l") ? .link : .folder
    }

    /// Where a path leads: the directory it lies in, its last name, and what is there.
    struct Place {
        var parent: Node
        var name: String
        var node: Node?
        /// The directories on the way, the root first.
        var ancestors: [Node]
    }

    func find(_ path: String) throws(Errno) -> Place {
        let parts = path.split(separator: "/").map(String.init)
        guard let name = parts.last else { return Place(parent: root, name: "", node: root, ancestors: []) }
        var directory = root
        var ancestors = [root]
        for part in parts.dropLast() {
            guard let next = directory.children[part] else { throw .noEntry }
            guard next.kind == .directory else { throw .notDirectory }
            directory = next
            ancestors.append(next)
        }
        return Place(parent: directory, name: name, node: directory.children[name], ancestors: ancestors)
    }

    func existing(_ path: String) throws(Errno) -> Node {
        guard let node = try find(path).node else { throw .noEntry }
        return node
    }

    private func vacant(_ path: String) throws(Errno) -> Place {
        let place = try find(path)
        if place.node != nil { throw .exists }
        return place
    }

    private func file(_ path: String) throws(Errno) -> Node {
        let node = try existing(path)
        if node.kind == .directory { throw .isDirectory }
        return node
    }

    /// Whether a step stays within what this tree can tell. The others are passed over.
    func covers(_ step: ModelOperation) -> Bool {
        func node(_ path: String) -> Node? { (try? find(path))?.node }
        func isFile(_ path: String) -> Bool { node(path)?.kind != .directory }
        switch step {
        case .picture(let path):
            return node(path)?.kind != .file || node(path)?.bytes.isEmpty == true
        case .savePicture(let path, let temporary):
            // Over an empty file of that name only, and through a temporary file that is new.
            return node(temporary) == nil && (node(path) == nil || node(path)?.bytes.isEmpty == true && isFile(path))
        case .rename(let old, let new, let mode):
            let sameKind = Self.kind(of: old) == Self.kind(of: new)
            if let source = node(old), source.kind != .directory, !sameKind { return false }
            guard let target = node(new) else { return true }
            if mode == .exchange, target.kind != .directory, !sameKind { return false }
            // A picture renamed over another one steps aside or becomes its edit: the contract's own rules.
            let source = node(old)
            return mode != .replace || Self.kind(of: new) != .picture || source === target
                || target.bytes.isEmpty || target.kind != .file || source?.kind != .file
        case .link(let old, let new):
            return node(old)?.kind == .directory || Self.kind(of: old) == Self.kind(of: new)
        case .setMode(let path, _), .read(let path): return node(path)?.kind != .symbolicLink
        default: return true
        }
    }

    func create(_ path: String, mode: UInt32) throws(Errno) {
        let place = try vacant(path)
        place.parent.children[place.name] = Node(.file, mode: mode)
    }

    func write(_ path: String, offset: Int, count: Int, byte: UInt8) throws(Errno) {
        Self.write(try file(path), offset: offset, count: count, byte: byte)
    }

    private static func write(_ node: Node, offset: Int, count: Int, byte: UInt8) {
        let end = offset + count
        if node.bytes.count < end { node.bytes += [UInt8](repeating: 0, count: end - node.bytes.count) }
        node.bytes.replaceSubrange(offset..<end, with: repeatElement(byte, count: count))
        node.time = nil
    }

    private static func truncate(_ node: Node, to size: Int) {
        let excess = node.bytes.count - size
        if excess > 0 { node.bytes.removeLast(excess) } else { node.bytes += [UInt8](repeating: 0, count: -excess) }
        node.time = nil
    }

    func append(_ path: String, count: Int, byte: UInt8, mode: UInt32) throws(Errno) {
        if try find(path).node == nil { try create(path, mode: mode) }
        let node = try file(path)
        Self.write(node, offset: node.bytes.count, count: count, byte: byte)
    }

    func truncate(_ path: String, size: Int) throws(Errno) { Self.truncate(try file(path), to: size) }

    func picture(_ path: String, bytes: [UInt8], mode: UInt32) throws(Errno) {
        if try find(path).node == nil { try create(path, mode: mode) }
        let node = try file(path)
        node.bytes = bytes
        node.time = nil
    }

    func rename(_ old: String, _ new: String, _ mode: Posix.RenameMode) throws(Errno) {
        let source = try find(old)
        let target = try find(new)
        guard let moved = source.node else { throw .noEntry }
        if mode == .noReplace, target.node != nil { throw .exists }
        if mode == .exchange, target.node == nil { throw .noEntry }
        if target.ancestors.contains(where: { $0 === moved }) { throw .invalid }
        if let there = target.node {
            if source.ancestors.contains(where: { $0 === there }) {
                throw mode == .exchange ? .invalid : .notEmpty
            }
            if there === moved { return }
            if mode == .exchange {
                source.parent.children[source.name] = there
                target.parent.children[target.name] = moved
                return
            }
            if moved.kind == .directory, there.kind != .directory { throw .notDirectory }
            if moved.kind != .directory, there.kind == .directory { throw .isDirectory }
            if !there.children.isEmpty { throw .notEmpty }
            there.links -= 1
        }
        source.parent.children[source.name] = nil
        target.parent.children[target.name] = moved
    }

    func link(_ old: String, _ new: String) throws(Errno) {
        let node = try existing(old)
        let place = try vacant(new)
        if node.kind == .directory { throw .notPermitted }
        place.parent.children[place.name] = node
        node.links += 1
    }

    func unlink(_ path: String) throws(Errno) {
        let place = try find(path)
        guard let node = place.node else { throw .noEntry }
        if node.kind == .directory { throw .isDirectory }
        place.parent.children[place.name] = nil
        node.links -= 1
    }

    func makeDirectory(_ path: String, mode: UInt32) throws(Errno) {
        let place = try vacant(path)
        place.parent.children[place.name] = Node(.directory, mode: mode)
    }

    func removeDirectory(_ path: String) throws(Errno) {
        let place = try find(path)
        guard let node = place.node else { throw .noEntry }
        guard node.kind == .directory else { throw .notDirectory }
        guard node.children.isEmpty else { throw .notEmpty }
        place.parent.children[place.name] = nil
    }

    func symlink(_ path: String, target: String) throws(Errno) {
        let place = try vacant(path)
        let node = Node(.symbolicLink, mode: 0o777)
        node.target = target
        place.parent.children[place.name] = node
    }

    func setMode(_ path: String, _ mode: UInt32) throws(Errno) { try existing(path).mode = mode }
    func setTime(_ path: String, _ time: Int64) throws(Errno) { try existing(path).time = time }
    func read(_ path: String) throws(Errno) -> [UInt8] { try file(path).bytes }

    func list(_ path: String) throws(Errno) -> [String] {
        let node = try existing(path)
        guard node.kind == .directory else { throw .notDirectory }
        return node.children.keys.sorted()
    }

    // Open files. A slot that is taken is closed first; one that is free does nothing.
    func open(slot: Int, _ path: String) throws(Errno) {
        slots[slot] = nil
        slots[slot] = try file(path)
    }
    func writeOpen(slot: Int, offset: Int, count: Int, byte: UInt8) {
        if let node = slots[slot] { Self.write(node, offset: offset, count: count, byte: byte) }
    }
    func readOpen(slot: Int, offset: Int, count: Int) -> [UInt8]? {
        slots[slot].map { Array($0.bytes.dropFirst(offset).prefix(count)) }
    }
    func truncateOpen(slot: Int, size: Int) {
        if let node = slots[slot] { Self.truncate(node, to: size) }
    }
    func close(slot: Int) { slots[slot] = nil }
}
