/// An asset as `find` and `info` describe it.
public struct AssetRecord: Decodable, Sendable {
    public var id: String
    public var name: String
    /// A path of it from the mount's root.
    public var path: String
    public var paths: [String]
    /// `photo` or `video`.
    public var type: String
    public var uti: String
    public var width: Int
    public var height: Int
    public var orientation: Int
    /// RFC 3339 with offset.
    public var captured: String?
    public var capturedSource: String?
    public var latitude: Double?
    public var longitude: Double?
    public var altitude: Double?
    public var make: String?
    public var model: String?
    public var lens: String?
    /// Seconds.
    public var duration: Double?
    public var size: Int64
    public var sha256: String
    public var added: String?
    public var favorite: Bool?
    public var hidden: Bool?
    public var edited: Bool?
    public var links: Int?

    enum CodingKeys: String, CodingKey {
        case id, name, path, paths, type, uti, width, height, orientation, captured
        case capturedSource = "captured_source"
        case latitude, longitude, altitude, make, model, lens, duration, size, sha256, added, favorite, hidden, edited
        case links
    }
}

/// `cameraroll find --json`
public struct AssetList: Decodable, Sendable { public var assets: [AssetRecord] }

/// `cameraroll pending --json`
public struct PendingList: Decodable, Sendable {
    public struct File: Decodable, Sendable {
        public var path: String
        public var size: Int64
        public var reason: String?
    }
    public var pending: [File]
}

/// `cameraroll trash list --json`
public struct TrashList: Decodable, Sendable {
    public struct Item: Decodable, Sendable {
        public var id: String
        public var name: String
        public var from: String?
        public var deleted: String?
        public var size: Int64
    }
    public var trash: [Item]
}

/// `cameraroll status --json`
public struct LibraryStatus: Decodable, Sendable {
    public struct Mount: Decodable, Sendable {
        public var mountpoint: String
        public var pid: Int32
    }
    public var assets: Int
    public var photos: Int
    public var videos: Int
    public var pending: Int
    public var trash: Int
    public var bytes: Int64?
    public var free: Int64?
    public var mounts: [Mount]
    public var warnings: [String]?
}

/// `cameraroll log --json`
public struct EventList: Decodable, Sendable {
    public struct Event: Decodable, Sendable {
        public var time: String
        public var client: String?
        public var operation: String?
        public var path: String?
        public var errno: String?
        public var reason: String?
        public var level: String?
    }
    public var events: [Event]
}

/// `cameraroll authorization list --json`
public struct AuthorizationList: Decodable, Sendable {
    public struct Record: Decodable, Sendable {
        public var client: String
        public var level: String
        public var status: String
    }
    public var records: [Record]
}
