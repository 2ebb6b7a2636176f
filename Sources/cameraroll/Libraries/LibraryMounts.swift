import FUSE
import Platform

/// Where this machine has a library mounted.
enum LibraryMounts {
    /// The device numbers (`st_dev`) of a library's mounts, from the mount table: a mount that does not answer cannot
    /// be asked.
    static func devices(of library: String) throws(CommandFailure) -> Set<UInt64> {
        let table: MountTable
        do throws(Errno) { table = try MountTable() } catch {
            throw CommandFailure(system: error, "The mount table /proc/self/mountinfo cannot be read")
        }
        var devices: Set<UInt64> = []
        for mount in table.mounts
        where mount.type == LibraryLocation.mountType && mount.source.utf8.elementsEqual(library.utf8) {
            let numbers = mount.device.split(separator: ":").compactMap { UInt64($0) }
            guard numbers.count == 2 else { continue }
            let (major, minor) = (numbers[0], numbers[1])
            // As makedev(3) puts them together.
            devices.insert(
                minor & 0xFF | (major & 0xFFF) << 8 | (minor & 0xFFFF_FF00) << 12 | (major & 0xFFFF_F000) << 32)
        }
        return devices
    }
}
