internal import CFuse

extension fuse_lowlevel_ops {
    mutating func addStart() {
        self.`init` = { data, information in
            guard let data, let information else { return }
            negotiate(&information.pointee)
            Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue().start()
        }
    }
}

/// Settles with the kernel how the two sides talk (the FUSE_INIT request).
private func negotiate(_ information: inout fuse_conn_info) {
    let wanted =
        FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_ATOMIC_O_TRUNC
        | FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE
        | FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO
        // Cached pages go when the notifier says so, not when a time stamp differs.
        | FUSE_CAP_EXPLICIT_INVAL_DATA
    // Set anew, so that what libfuse asks for by default is off where it is not named: locks and flock stay with the
    // kernel, so does the clearing of setuid bits, and writes are not held back (no writeback cache).
    // libfuse refuses to go on where something is wanted that the kernel cannot do.
    information.want = UInt32(bitPattern: wanted) & information.capable
    information.max_write = 1 << 20
    information.max_readahead = 1 << 20
    information.max_background = 64
    information.congestion_threshold = 48
    information.time_gran = 1
}
