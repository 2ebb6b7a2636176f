/// What a file is, decided by its content.
public enum MediaKind: String, Sendable, CaseIterable {
    case jpeg, heic, avif, png, gif, webp, tiff
    case dng, nef, arw, cr2, orf, rw2, cr3, raf
    case quickTime, mp4, m4v, threeGP, avi, matroska, webm

    /// PHAssetMediaType: 1 image, 2 video.
    public enum MediaType: Int, Sendable {
        case image = 1
        case video = 2
    }

    public var mediaType: MediaType {
        switch self {
        case .quickTime, .mp4, .m4v, .threeGP, .avi, .matroska, .webm: .video
        default: .image
        }
    }

    public var isRAW: Bool {
        switch self {
        case .dng, .nef, .arw, .cr2, .orf, .rw2, .cr3, .raf: true
        default: false
        }
    }

    /// The uniform type identifier that Apple's frameworks use for it.
    public var uniformTypeIdentifier: String {
        switch self {
        case .jpeg: "public.jpeg"
        case .heic: "public.heic"
        case .avif: "public.avif"
        case .png: "public.png"
        case .gif: "com.compuserve.gif"
        case .webp: "org.webmproject.webp"
        case .tiff: "public.tiff"
        case .dng: "com.adobe.raw-image"
        case .nef: "com.nikon.raw-image"
        case .arw: "com.sony.arw-raw-image"
        case .cr2: "com.canon.cr2-raw-image"
        case .orf: "com.olympus.raw-image"
        case .rw2: "com.panasonic.rw2-raw-image"
        case .cr3: "com.canon.cr3-raw-image"
        case .raf: "com.fuji.raw-image"
        case .quickTime: "com.apple.quicktime-movie"
        case .mp4: "public.mpeg-4"
        case .m4v: "com.apple.m4v-video"
        case .threeGP: "public.3gpp"
        case .avi: "public.avi"
        case .matroska: "org.matroska.mkv"
        case .webm: "org.webmproject.webm"
        }
    }

    /// The extension that files of this kind have, in upper case as cameras write it.
    public var preferredExtension: String {
        switch self {
        case .jpeg: "JPG"
        case .tiff: "TIF"
        case .quickTime: "MOV"
        case .threeGP: "3GP"
        case .matroska: "MKV"
        default: rawValue.uppercased()
        }
    }
}
