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

/// What a process consists of that serves, or is served.
let runtime: [Target.Dependency] = [
    "NapkinCoding", "NapkinProtocol", "NapkinTransport", "NapkinCore", "NapkinRuntime",
]
let commands: [Target.Dependency] = [
    .product(name: "Logging", package: "swift-log"),
    .product(name: "ArgumentParser", package: "swift-argument-parser"),
]

/// Fronts live on the main actor.
let front = strict + [.defaultIsolation(MainActor.self)]

/// What `napkin-client new` writes, as an app and two features of it.
let templates = [
    "App/Sample.swift", "App/SampleApp.swift", "App/SampleClient.swift",
    "App/SampleInteractor.swift", "App/SampleRouter.swift", "App/SampleTests.swift",
    "App/SampleScreen.swift", "App/SampleScreenTests.swift", "App/SampleViews.swift",
    "App/SampleWorker.swift", "App/gitignore.txt", "App/installation.txt", "App/Makefile.txt",
    "App/manifest.txt", "App/README.txt", "App/schema.txt", "Feature/Detail.swift",
    "Feature/DetailInteractor.swift", "Feature/DetailTests.swift", "Feature/DetailRouter.swift",
    "Feature/DetailScreen.swift", "Headless/Errand.swift", "Headless/ErrandInteractor.swift",
    "Headless/ErrandTests.swift",
]

let package = Package(
    name: "napkin",
    products: [
        // What a contract and a feature need.
        "NapkinCore", "NapkinFoundation",
        // What a worker's program needs, and features that use the system.
        "NapkinWorker", "NapkinSystem",
        // What a front needs: the session, views, a terminal, the client with its commands.
        "NapkinFront", "NapkinElements", "NapkinTerminal", "NapkinClient",
        "NapkinTesting",
        // napkind, for programs that contain it.
        "NapkinDaemon",
    ].map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "napkind", targets: ["napkind"]),
        .executable(name: "napkin-client", targets: ["napkin-client"]),
    ],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.1"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(
            url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.2", traits: []),
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

        .target(
            name: "NapkinFoundation", dependencies: ["NapkinCoding"], swiftSettings: strict),

        // The loop.
        .systemLibrary(name: "CLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .target(name: "NapkinTransport", dependencies: ["CLibuv"], swiftSettings: strict),

        // The pattern.
        .target(
            name: "NapkinCore",
            dependencies: [
                "NapkinCoding", "NapkinMacros", .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["FastPath/README.md"], swiftSettings: strict),

        // Durable sessions: what is kept of them, and when it may be told.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "NapkinLedger",
            dependencies: ["CSQLite", "NapkinCoding", "NapkinCore", "NapkinTransport"],
            swiftSettings: strict),

        // The three together, and the two ends.
        .target(
            name: "NapkinRuntime",
            dependencies: [
                "NapkinCoding", "NapkinProtocol", "NapkinTransport", "NapkinCore", "NapkinLedger",
            ], swiftSettings: strict),
        .target(name: "NapkinFront", dependencies: runtime, swiftSettings: strict),
        // What napkind and a worker share as processes.
        .target(name: "NapkinHost", dependencies: runtime + commands, swiftSettings: strict),
        .target(
            name: "NapkinDaemon", dependencies: runtime + commands + ["NapkinHost"],
            swiftSettings: strict),
        .executableTarget(
            name: "napkind", dependencies: ["NapkinDaemon"], path: "daemon", exclude: ["systemd"],
            swiftSettings: strict),
        .target(
            name: "NapkinWorker",
            dependencies: runtime + commands + [
                "NapkinHost", "NapkinLedger", .product(name: "Yams", package: "Yams"),
            ], swiftSettings: strict),

        // What runs beside an app: programs, directories, times.
        .target(
            name: "NapkinSystem",
            dependencies: [
                "NapkinCore", "NapkinTransport",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ], swiftSettings: strict),

        // For tests of features: no daemon, no second process.
        .target(
            name: "NapkinTesting",
            dependencies: runtime + ["NapkinLedger", "NapkinFront"], swiftSettings: strict),

        // Views as values, and what they show, for any screen.
        .target(
            name: "NapkinElements",
            dependencies: [
                "NapkinCoding", "NapkinCore", "NapkinFront", "NapkinMacros", "NapkinProtocol",
                "NapkinTransport",
            ], swiftSettings: front),

        // The client: a terminal, a pipe, a script.
        .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
        .target(
            name: "NapkinTerminal",
            dependencies: [
                "CNcurses", "NapkinCore", "NapkinElements", "NapkinFront", "NapkinTransport",
            ], swiftSettings: front),
        // A browser: HTML of the rendered tree, and the server of its pages.
        .target(
            name: "NapkinWeb",
            dependencies: [
                "NapkinCore", "NapkinElements", "NapkinFront", "NapkinTransport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            // In the code: a client that is moved takes them along.
            resources: ["client.js", "page.html", "style.css"].map {
                .embedInCode("Resources/\($0)")
            }, swiftSettings: strict),
        // The commands, for the project's own client and for those of apps.
        .target(
            name: "NapkinClient",
            dependencies: [
                "NapkinCoding", "NapkinCore", "NapkinElements", "NapkinFront", "NapkinProtocol",
                "NapkinTerminal", "NapkinTransport", "NapkinRuntime", "NapkinWeb", "NapkinLedger",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            // In the code: a client that is moved takes them along.
            resources: templates.map { .embedInCode("Templates/\($0)") }, swiftSettings: strict),
        .executableTarget(
            name: "napkin-client", dependencies: ["NapkinClient"], swiftSettings: strict),

        // The documentation's home: no code, and above what it names.
        .target(
            name: "Napkin",
            dependencies: [
                "NapkinClient", "NapkinCoding", "NapkinCore", "NapkinElements", "NapkinFront",
                "NapkinSystem", "NapkinTerminal", "NapkinTesting", "NapkinWorker",
            ], swiftSettings: strict),

        // Tests of the library. Tests/Proofs has those that start its programs.
        .testTarget(name: "StyleTests", swiftSettings: strict),
        // NapkinFront is built before it, as what a contract must not be able to import.
        .testTarget(
            name: "CompileFailTests",
            dependencies: ["NapkinCore", "NapkinFoundation", "NapkinFront"],
            exclude: ["Snippets"], swiftSettings: strict),
        .target(name: "CTestWidth", path: "Tests/CTestWidth"),
        .target(
            name: "TestSupport", dependencies: ["CTestWidth", "NapkinCore"],
            path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(
            name: "ProtocolTests",
            dependencies: ["NapkinCoding", "NapkinFoundation", "NapkinProtocol", "TestSupport"],
            swiftSettings: strict),
        .target(
            name: "CrossingContractsOnMain", dependencies: ["NapkinCore"],
            path: "Tests/CrossingContractsOnMain", swiftSettings: front),
        .testTarget(
            name: "RuntimeTests",
            dependencies: [
                "CrossingContractsOnMain", "NapkinCoding", "NapkinCore", "NapkinElements",
                "NapkinFront", "NapkinLedger", "NapkinProtocol", "NapkinRuntime", "NapkinSystem",
                "NapkinTerminal", "NapkinTesting", "NapkinTransport", "TestSupport",
            ], swiftSettings: strict),
        .testTarget(
            name: "ViewsTests",
            dependencies: [
                "NapkinCoding", "NapkinCore", "NapkinElements", "NapkinFront", "NapkinProtocol",
                "NapkinTerminal", "NapkinTransport", "NapkinWeb", "TestSupport",
            ], exclude: ["Terminal/Golden"], swiftSettings: front),
        .testTarget(
            name: "ClientTests",
            dependencies: [
                "NapkinClient", "NapkinCoding", "NapkinCore", "NapkinElements", "NapkinFront",
                "NapkinProtocol", "NapkinTerminal", "NapkinTransport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),
    ]
)
