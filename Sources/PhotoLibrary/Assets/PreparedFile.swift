internal import Media
public import Platform

/// Bytes that were found to be a whole photo or video and are on the disk, ready to become an asset's version.
struct PreparedFile: Sendable {
    /// Where they lie, relative to the library.
    var path: String
    var name: FileName
    var inspection: MediaInspection
    /// SHA-256.
    var digest: [UInt8]
    var size: Int64
    /// Of 512 bytes.
    var blocks: Int64
    /// The file's own modification time.
    var modified: Int64
}

/// Why bytes did not become an asset.
public enum CommitFailure: Error, Sendable {
    /// They are no whole photo or video; a sentence for a person. Nothing was changed, nothing is lost.
    case refused(reason: String)
    case failed(Errno)

    /// What the file system answers with.
    public var errno: Errno {
        switch self {
        case .refused: .invalid
        case .failed(let error): error
        }
    }

    /// A sentence for a person.
    public var reason: String {
        switch self {
        case .refused(let reason): reason
        case .failed(let error): "The file could not be stored: \(error). It was not added to the library."
        }
    }
}

extension Library {
    /// Looks at staged bytes and puts them on the disk; reading, hashing and writing back overlap.
    ///
    /// - Parameter stream: what was hashed while the file was written.
    func prepare(
        path: String, file: FileDescriptor, name: FileName, stream: StreamingDigest? = nil
    ) throws(CommitFailure) -> PreparedFile {
        let status: FileStatus
        do throws(Errno) { status = try file.status() } catch { throw .failed(error) }
        let isRelaxed = options.isRelaxed
        let synced = syncers.submit { () -> Errno? in
            if isRelaxed { return nil }
            do throws(Errno) { try file.syncData() } catch { return error }
            return nil
        }
        let examined = Self.examine(file, size: status.size, name: name, stream)
        // Also where the bytes were refused: the sync must not outlive this call.
        let syncError = synced.wait()
        let (inspection, digest) = try examined.get()
        if let syncError { throw .failed(syncError) }
        return PreparedFile(
            path: path, name: name, inspection: inspection, digest: digest, size: status.size,
            blocks: status.blocks, modified: status.modificationTime)
    }

    private static func examine(
        _ file: FileDescriptor, size: Int64, name: FileName, _ stream: StreamingDigest?
    ) -> Result<(MediaInspection, [UInt8]), CommitFailure> {
        let inspection: MediaInspection
        do throws(MediaError) {
            inspection = try MediaInspector.inspect(file, size: size, name: name.description)
        } catch {
            switch error {
            case .rejected(let reason): return .failure(.refused(reason: reason))
            case .unreadable(let errno): return .failure(.failed(errno))
            }
        }
        if let digest = stream?.finish(file, size: size) { return .success((inspection, digest)) }
        do throws(Errno) {
            return .success((inspection, try SHA256Digest.of(file, size: size)))
        } catch { return .failure(.failed(error)) }
    }
}
