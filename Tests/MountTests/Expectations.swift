import Platform
import Support
import Testing

/// Expects a path of the mount to be an asset that holds just what `source` holds.
func expectAsset(
    _ path: String, holding source: String, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let same = try Files.sameContents(source, path)
    #expect(same, comment ?? "\(path) holds other bytes than \(source)", sourceLocation: sourceLocation)
    let state = try Files.attribute("user.cameraroll.state", of: path)
    #expect(state == "asset", comment ?? "the state of \(path)", sourceLocation: sourceLocation)
}

/// Expects that DCIM lists just these paths, that nothing is pending but empty files, and that there are `assets` assets.
func expectLibrary(
    _ roll: MountedLibrary, lists paths: [String], assets: Int, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let tree = try Files.tree(roll.dcim)
    #expect(Set(tree) == Set(paths), sourceLocation: sourceLocation)
    let pending = try roll.pendingFiles().filter { $0.size > 0 }
    #expect(pending.map(\.path) == [], sourceLocation: sourceLocation)
    let found = try roll.assets()
    #expect(found.count == assets, "\(found.map(\.paths))", sourceLocation: sourceLocation)
}

/// Expects a program to have ended well.
func expectSuccess(_ outcome: Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(outcome.succeeded, "\(outcome)", sourceLocation: sourceLocation)
}
