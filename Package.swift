// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// What every target of ours is built with.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// Fronts live on the main actor.
let front = strict + [.defaultIsolation(MainActor.self)]

let package = Package(
    name: "napkin",
    products: [
        .library(name: "NapkinCore", targets: ["NapkinCore"]),
        .library(name: "NapkinDaemon", targets: ["NapkinDaemon"]),
        .library(name: "NapkinFront", targets: ["NapkinFront"]),
        .executable(name: "napkind", targets: ["napkind"]),
    ],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.1"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(
            url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
    ],
    targets: [
        // The macros, at compile time.
        .macro(
            name: "NapkinMacros",
            dependencies: [
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
            ], swiftSettings: strict),

        // Pure: bytes in, values out.
        .target(
            name: "NapkinCoding", dependencies: ["NapkinMacros"],
            path: "Protocol/NapkinCoding", swiftSettings: strict),
        .target(
            name: "NapkinProtocol", dependencies: ["NapkinCoding"],
            path: "Protocol/NapkinProtocol", swiftSettings: strict),

        // The loop.
        .systemLibrary(name: "CLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .target(name: "NapkinTransport", dependencies: ["CLibuv"], swiftSettings: strict),

        // The pattern.
        .target(
            name: "NapkinCore", dependencies: ["NapkinCoding", "NapkinMacros"],
            swiftSettings: strict),

        // The three together, and the two ends.
        .target(
            name: "NapkinRuntime",
            dependencies: ["NapkinCoding", "NapkinProtocol", "NapkinTransport", "NapkinCore"],
            swiftSettings: strict),
        .target(
            name: "NapkinFront",
            dependencies: [
                "NapkinCoding", "NapkinProtocol", "NapkinTransport", "NapkinCore", "NapkinRuntime",
            ], swiftSettings: strict),
        .target(
            name: "NapkinDaemon",
            dependencies: [
                "NapkinCoding", "NapkinProtocol", "NapkinTransport", "NapkinCore", "NapkinRuntime",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "napkind", dependencies: ["NapkinDaemon"], path: "daemon",
            exclude: ["systemd"], swiftSettings: strict),

        // Measurements.
        .target(name: "CFloor"),
        .executableTarget(
            name: "napkin-bench",
            dependencies: [
                "CFloor",
                "NapkinCore", "NapkinProtocol", "NapkinTransport", "NapkinDaemon", "NapkinFront",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ], swiftSettings: strict),
    ]
)
