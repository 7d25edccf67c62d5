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
        .library(name: "NapkinTesting", targets: ["NapkinTesting"]),
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
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
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
            name: "napkind", dependencies: ["NapkinDaemon", "RibHouseFeature"], path: "daemon",
            exclude: ["systemd"], swiftSettings: strict),

        // For tests of features: no daemon, no second process.
        .target(
            name: "NapkinTesting",
            dependencies: [
                "NapkinCoding", "NapkinProtocol", "NapkinTransport", "NapkinCore", "NapkinRuntime",
                "NapkinFront",
            ], swiftSettings: strict),

        // The client: a terminal, a pipe, a script.
        .systemLibrary(
            name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
        .target(
            name: "NapkinTerminal",
            dependencies: [
                "CNcurses", "NapkinCoding", "NapkinCore", "NapkinFront", "NapkinTransport",
            ], swiftSettings: front),
        .executableTarget(
            name: "napkin-client",
            dependencies: [
                "NapkinCoding", "NapkinCore", "NapkinFront", "NapkinProtocol", "NapkinTerminal",
                "NapkinTransport", "NapkinRuntime", "RibHouseFront",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),

        // Rib House.
        .target(
            name: "RibHouseContract", dependencies: ["NapkinCore"],
            path: "examples/RibHouse/Contract", swiftSettings: strict),
        .target(
            name: "RibHouseFeature", dependencies: ["NapkinCore", "RibHouseContract"],
            path: "examples/RibHouse/Feature", swiftSettings: strict),
        .target(
            name: "RibHouseFront",
            dependencies: ["NapkinCore", "NapkinFront", "NapkinTerminal", "RibHouseContract"],
            path: "examples/RibHouse/Front", swiftSettings: front),

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

        // Tests.
        .testTarget(name: "StyleTests", swiftSettings: strict),
        // NapkinFront is built before it, as what a contract must not be able to import.
        .testTarget(
            name: "CompileFailTests", dependencies: ["NapkinCore", "NapkinFront"],
            exclude: ["Snippets"], swiftSettings: strict),
        .testTarget(
            name: "NapkinMacrosTests",
            dependencies: [
                "NapkinMacros",
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(
                    name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ], swiftSettings: strict),
        .testTarget(
            name: "NapkinCodingTests", dependencies: ["NapkinCoding", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "NapkinProtocolTests",
            dependencies: ["NapkinCoding", "NapkinProtocol", "TestSupport"],
            exclude: ["Frozen"], swiftSettings: strict),
        .executableTarget(
            name: "LoopProbe", dependencies: ["NapkinCore", "NapkinTransport"],
            path: "Tests/LoopProbe",
            swiftSettings: strict),
        .testTarget(
            name: "NapkinTransportTests", dependencies: ["NapkinTransport", "LoopProbe"],
            swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: ["NapkinCoding", "NapkinCore", "NapkinFront", "NapkinProtocol"],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        .executableTarget(
            name: "CodingProbe", dependencies: ["CFloor", "NapkinCoding"],
            path: "Tests/CodingProbe", swiftSettings: strict),
        .testTarget(
            name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"],
            swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(
            name: "NapkinCoreTests",
            dependencies: ["NapkinCoding", "NapkinCore", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "NapkinRuntimeTests",
            dependencies: [
                "NapkinCoding", "NapkinCore", "NapkinProtocol", "NapkinRuntime",
                "NapkinTransport", "TestSupport",
            ], swiftSettings: strict),
        .target(
            name: "CrossingContractsOnMain", dependencies: ["NapkinCore"],
            path: "Tests/NapkinCrossingTests/ContractsOnMain", swiftSettings: front),
        .testTarget(
            name: "NapkinCrossingTests", dependencies: ["NapkinCore", "CrossingContractsOnMain"],
            exclude: ["ContractsOnMain"], swiftSettings: strict),
        .testTarget(
            name: "RibHouseTests",
            dependencies: ["NapkinCore", "NapkinTesting", "RibHouseContract", "RibHouseFeature"],
            swiftSettings: strict),
        .testTarget(
            name: "NapkinFrontTests",
            dependencies: [
                "NapkinCoding", "NapkinCore", "NapkinFront", "NapkinProtocol", "NapkinRuntime",
                "NapkinTransport", "TestSupport",
            ], swiftSettings: strict),
        .testTarget(
            name: "NapkinTerminalTests",
            dependencies: [
                "NapkinCoding", "NapkinCore", "NapkinFront", "NapkinProtocol", "NapkinTerminal",
            ], swiftSettings: front),
        .testTarget(
            name: "ClientTests",
            dependencies: [
                "NapkinCoding", "NapkinCore", "NapkinFront", "NapkinProtocol", "napkin-client",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "QuestionDaemon", dependencies: ["NapkinCore", "NapkinDaemon"],
            path: "Tests/QuestionDaemon", swiftSettings: strict),
        .target(
            name: "ConformanceCases", dependencies: ["NapkinCore", "NapkinTesting"],
            path: "Tests/ConformanceCases", swiftSettings: strict),
        .executableTarget(
            name: "ConformanceDaemon", dependencies: ["ConformanceCases", "NapkinDaemon"],
            path: "Tests/ConformanceDaemon", swiftSettings: strict),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "ConformanceCases", "NapkinCore", "NapkinFront", "NapkinProtocol",
                "NapkinTesting", "NapkinTransport", "TestSupport",
            ], swiftSettings: strict),
        .executableTarget(
            name: "HostileProbe",
            dependencies: [
                "NapkinCoding", "NapkinCore", "NapkinProtocol", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Tests/HostileProbe", swiftSettings: strict),
        .executableTarget(
            name: "SessionProbe",
            dependencies: [
                "NapkinCore", "NapkinDaemon", "NapkinFront", "NapkinProtocol", "NapkinTesting",
                "NapkinTransport", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Tests/SessionProbe", swiftSettings: strict),
        .testTarget(name: "IntegrationTests", swiftSettings: strict),
    ]
)
