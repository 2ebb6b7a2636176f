extension XMPScan {
    /// Writes what only XMP tells into an inspection: that a picture is a panorama (Photo Sphere XMP,
    /// `GPano`) or one of a burst (`GCamera:BurstID`).
    func apply(to inspection: inout MediaInspection) {
        if value(of: "ProjectionType") != nil || value(of: "FullPanoWidthPixels") != nil {
            inspection.subtypes.insert(.panorama)
        }
        if value(of: "BurstID") != nil { inspection.subtypes.insert(.burst) }
    }
}
