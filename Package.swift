// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func systemLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func room(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "CameraRoll",
    products: [
        .executable(name: "cameraroll", targets: ["cameraroll"])
    ],
    targets: [
        systemLibrary("CFuse", pkgConfig: "fuse3", apt: "libfuse3-dev"),
        systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        systemLibrary("CExif", pkgConfig: "libexif", apt: "libexif-dev"),
        systemLibrary("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
        systemLibrary("CHEIF", pkgConfig: "libheif", apt: "libheif-dev"),
        systemLibrary("CSystemd", pkgConfig: "libsystemd", apt: "libsystemd-dev"),
        systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        systemLibrary("CExpat", pkgConfig: "expat", apt: "libexpat1-dev"),
        .target(name: "CLinux"),
        // Loaded at run time; see its header.
        .target(name: "CAV", linkerSettings: [.linkedLibrary("dl")]),
        room("Platform", ["CLinux"]),
        room("SQLite", ["CSQLite", "Platform"]),
        room("Media", ["CExif", "CExpat", "CHEIF", "CZlib", "CCrypto", "Platform"]),
        room("PhotoLibrary", ["Media", "SQLite", "Platform"]),
        room("Rendering", ["CAV", "CHEIF", "Media", "Platform"]),
        room("Agent", ["PhotoLibrary", "Platform"]),
        room("FUSE", ["CFuse", "Platform"]),
        room("RollFS", ["FUSE", "PhotoLibrary", "Rendering", "Media", "Platform"]),
        .executableTarget(
            name: "cameraroll",
            dependencies: ["RollFS", "FUSE", "Agent", "CSystemd", "PhotoLibrary", "Rendering", "Media", "Platform"],
            swiftSettings: settings),

        .target(
            name: "Support", dependencies: ["CLinux", "SQLite", "Platform"], path: "Tests/Support",
            swiftSettings: settings),
        tests("PlatformTests", ["Platform", "Support"]),
        tests("SQLiteTests", ["SQLite", "Platform", "Support"]),
        tests("MediaTests", ["Media", "CExif", "Platform", "Support"]),
        tests("PhotoLibraryTests", ["PhotoLibrary", "Media", "SQLite", "Platform", "Support"]),
        tests("RenderingTests", ["Rendering", "Media", "Platform", "Support"]),
        tests("AgentTests", ["Agent", "PhotoLibrary", "Platform", "Support"]),
        tests("FUSETests", ["FUSE", "Platform", "Support"]),
        tests("RollFSTests", ["RollFS", "FUSE", "PhotoLibrary", "Platform", "Support"]),
        tests("CommandTests", ["cameraroll", "PhotoLibrary", "Media", "SQLite", "Platform", "Support"]),
        tests("MountTests", ["Platform", "Support"]),
    ]
)
