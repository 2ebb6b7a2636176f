import CHEIF

/// libheif as the reader of a HEIF file's Exif item.
///
/// Left alone, libheif 1.15 reads nearly all of a file to find its metadata: the data of every item, pictures included,
/// each into memory, up to 512 MiB; and it keeps all items that describe a picture, however many there are. So it is
/// shown what it needs only: a copy of the list of items in which every item but the metadata is short, and the metadata
/// items. What those other items hold makes no difference, and is zeros.
///
/// It stops at an assertion where a read fails that it had announced; so none does, but zeros are given for what
/// cannot be read, and what libheif made of them is not used.
enum HEIFLibrary {
    /// What libheif gets to see.
    struct Scope {
        /// The `meta` box, with the other items' lengths made short.
        var list: [UInt8]
        /// Where that box begins in the file.
        var start: Int64
        /// The places of the metadata items.
        var pieces: [Range<Int64>]

        /// The largest `meta` box. libheif's objects take up to some twenty times its room; a box of that size describes
        /// a picture of more than 2000 tiles.
        static let metaLimit: Int64 = 128 << 10
        /// The largest piece of a metadata item, and the largest Exif item.
        static let itemLimit: Int64 = 1 << 20
        static let pieceLimit = 64
        /// How much of all items together is read.
        static let totalLimit: Int64 = 2 << 20
        /// What other items are cut to; those that say how a picture is put together are shorter.
        static let otherLength: UInt8 = 64
    }

    /// The bytes of the Exif item that describes the primary picture; nil where libheif refuses the file, or finds none.
    ///
    /// - Throws: `MediaError.unreadable` where reading the file fails.
    static func exifItem(_ source: Source) throws(MediaError) -> [UInt8]? {
        // libheif keeps the address of the table of functions.
        var item: [UInt8]?
        withUnsafePointer(to: Source.functions) { functions in
            item = exifItem(source, functions)
        }
        if let failure = source.failure { throw failure }
        return source.isComplete ? item : nil
    }

    private static func exifItem(_ source: Source, _ functions: UnsafePointer<heif_reader>) -> [UInt8]? {
        guard let context = heif_context_alloc() else { return nil }
        defer { heif_context_free(context) }
        heif_context_set_maximum_image_size_limit(context, 32768)
        let pointer = Unmanaged.passUnretained(source).toOpaque()
        guard heif_context_read_from_reader(context, functions, pointer, nil).code == heif_error_Ok else { return nil }
        var handle: OpaquePointer?
        guard heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok else { return nil }
        defer { heif_image_handle_release(handle) }
        var item: heif_item_id = 0
        guard heif_image_handle_get_list_of_metadata_block_IDs(handle, "Exif", &item, 1) == 1 else { return nil }
        let size = heif_image_handle_get_metadata_size(handle, item)
        guard size > 0, size <= Scope.itemLimit else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        guard heif_image_handle_get_metadata(handle, item, &bytes).code == heif_error_Ok else { return nil }
        return bytes
    }
}

extension HEIFLibrary {
    /// A file as libheif sees it, for one thread and for one reading.
    final class Source {
        private let reader: ByteReader
        private let scope: HEIFLibrary.Scope
        private let listRange: Range<Int64>
        private var position: Int64 = 0
        /// The structure has been read, and items are.
        private var isAtItems = false
        /// How much was read of boxes.
        private(set) var structureBytes: Int64 = 0
        /// How much was read of items.
        private(set) var itemBytes: Int64 = 0
        /// All that was read was there.
        private(set) var isComplete = true
        /// Why the file could not be read.
        private(set) var failure: MediaError?

        init(_ reader: ByteReader, _ scope: HEIFLibrary.Scope) {
            self.reader = reader
            self.scope = scope
            listRange = scope.start..<scope.start + Int64(scope.list.count)
        }

        private static func source(_ pointer: UnsafeMutableRawPointer?) -> Source? {
            pointer.map { Unmanaged<Source>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Zero means success.
        fileprivate static let functions = heif_reader(
            reader_api_version: 1,
            get_position: { source($0)?.position ?? 0 },
            read: { data, size, pointer in
                source(pointer)?.read(into: UnsafeMutableRawBufferPointer(start: data, count: size))
                return 0
            },
            seek: { position, pointer in
                source(pointer)?.position = position
                return 0
            },
            wait_for_file_size: { size, pointer in
                source(pointer)?.shows(upTo: size) == true
                    ? heif_reader_grow_status_size_reached : heif_reader_grow_status_size_beyond_eof
            })

        /// Whether libheif may read up to there; it asks before it allocates memory for an item.
        ///
        /// The first place behind the list that it asks for is the header of the next box. Told that there is none, it goes
        /// on to the items.
        private func shows(upTo end: Int64) -> Bool {
            if isAtItems { return end <= reader.size && itemBytes < Scope.totalLimit }
            if end <= listRange.upperBound, structureBytes <= 2 * Scope.metaLimit { return true }
            isAtItems = true
            return false
        }

        private func read(into buffer: UnsafeMutableRawBufferPointer) {
            let count = Int64(buffer.count)
            if isAtItems { itemBytes += count } else { structureBytes += count }
            defer { position &+= count }
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            guard position >= 0, position <= reader.size - count else {
                isComplete = false
                return
            }
            let range = position..<position + count
            if listRange.contains(range) {
                let start = Int(range.lowerBound - listRange.lowerBound)
                scope.list.withUnsafeBytes {
                    buffer.copyMemory(from: .init(rebasing: $0[start..<start + buffer.count]))
                }
                return
            }
            guard !isAtItems || scope.pieces.contains(where: { $0.contains(range) }) else { return }
            do throws(MediaError) {
                if try reader.copy(to: buffer, from: position) < buffer.count { isComplete = false }
            } catch {
                failure = error
            }
        }
    }
}
