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

/// What `napkin-client new` writes, as an app and two features of it.
let templates = [
    "App/Sample.swift", "App/SampleApp.swift", "App/SampleClient.swift",
    "App/SampleInteractor.swift", "App/SampleRouter.swift", "App/SampleTests.swift",
    "App/SampleScreen.swift", "App/SampleScreenTests.swift", "App/SampleViews.swift",
    "App/SampleWorker.swift", "App/gitignore.txt", "App/installation.txt", "App/Makefile.txt",
    "App/manifest.txt", "App/README.txt", "Feature/Detail.swift", "Feature/DetailInteractor.swift",
    "Feature/DetailTests.swift", "Feature/DetailRouter.swift", "Feature/DetailScreen.swift",
    "Headless/Errand.swift", "Headless/ErrandInteractor.swift", "Headless/ErrandTests.swift",
]

/// A target in the folder of its group.
func target(
    _ name: String, in group: String, _ dependencies: [Target.Dependency] = [],
    exclude: [String] = [], resources: [Resource] = [], settings: [SwiftSetting] = strict
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "\(group)/\(name)", exclude: exclude,
        resources: resources, swiftSettings: settings)
}

func products(_ names: String..., of package: String) -> [Target.Dependency] {
    names.map { .product(name: $0, package: package) }
}

/// Both ends of a connection.
let connection: [Target.Dependency] = [
    "NapkinCoding", "NapkinProtocol", "NapkinTransport", "NapkinCore", "NapkinRuntime",
]
let commands = products("ArgumentParser", of: "swift-argument-parser")
let logging = products("Logging", of: "swift-log")

// Bytes in, values out: no clock, no socket, no task.
let protocolTargets = [
    target("NapkinCoding", in: "Protocol", ["NapkinMacros"]),
    target("NapkinProtocol", in: "Protocol", ["NapkinCoding"]),
]

// The pattern, and the processes that it is pulled apart into.
let runtimeTargets: [Target] = [
    .macro(
        name: "NapkinMacros",
        dependencies: products(
            "SwiftSyntax", "SwiftParser", "SwiftSyntaxMacros", "SwiftCompilerPlugin",
            "SwiftDiagnostics", "SwiftSyntaxBuilder", of: "swift-syntax"),
        path: "Sources/Runtime/NapkinMacros", swiftSettings: strict),
    .systemLibrary(
        name: "CLibuv", path: "Sources/Runtime/CLibuv", pkgConfig: "libuv",
        providers: [.apt(["libuv1-dev"])]),
    target("NapkinTransport", in: "Sources/Runtime", ["CLibuv"]),
    target(
        "NapkinCore", in: "Sources/Runtime", ["NapkinCoding", "NapkinMacros"] + logging,
        exclude: ["FastPath/README.md"]),
    target("NapkinFoundation", in: "Sources/Runtime", ["NapkinCoding"]),
    .systemLibrary(
        name: "CSQLite", path: "Sources/Runtime/CSQLite", pkgConfig: "sqlite3",
        providers: [.apt(["libsqlite3-dev"])]),
    // Nothing of it is linked: libpq is loaded when a journal in PostgreSQL is opened.
    .systemLibrary(name: "CPostgres", path: "Sources/Runtime/CPostgres"),
    target(
        "NapkinLedger", in: "Sources/Runtime",
        ["CPostgres", "CSQLite", "NapkinCoding", "NapkinCore", "NapkinTransport"]),
    target(
        "NapkinRuntime", in: "Sources/Runtime",
        ["NapkinCoding", "NapkinProtocol", "NapkinTransport", "NapkinCore", "NapkinLedger"]),
    // Plain C: a process of it stays for each held program.
    .executableTarget(name: "napkin-keeper", path: "Sources/Runtime/NapkinKeeper"),
    target("NapkinHost", in: "Sources/Runtime", connection + commands + logging),
    target(
        "NapkinDaemon", in: "Sources/Runtime",
        connection + ["NapkinHost", "NapkinLedger"] + commands + logging),
    target(
        "NapkinWorker", in: "Sources/Runtime",
        connection + ["NapkinHost", "NapkinLedger"] + commands + logging
            + products("Yams", of: "Yams")),
    target("NapkinFront", in: "Sources/Runtime", connection),
    .systemLibrary(
        name: "CVterm", path: "Sources/Runtime/CVterm", pkgConfig: "vterm",
        providers: [.apt(["libvterm-dev"])]),
    target(
        "NapkinSystem", in: "Sources/Runtime",
        ["CVterm", "NapkinCore", "NapkinTransport"] + products("Subprocess", of: "swift-subprocess")
            + products("SystemPackage", of: "swift-system")),
    target(
        "NapkinTesting", in: "Sources/Runtime", connection + ["NapkinFront", "NapkinLedger"]),
    .executableTarget(
        name: "napkind", dependencies: ["NapkinDaemon"], path: "daemon", exclude: ["systemd"],
        swiftSettings: strict),
]

// Views as values, and what paints them: a terminal, pages of a browser.
let viewTargets: [Target] = [
    target(
        "NapkinElements", in: "Sources/Views",
        [
            "NapkinCoding", "NapkinCore", "NapkinFront", "NapkinMacros", "NapkinProtocol",
            "NapkinTransport",
        ], settings: front),
    .systemLibrary(
        name: "CNcurses", path: "Sources/Views/CNcurses", providers: [.apt(["libncurses-dev"])]),
    target(
        "NapkinTerminal", in: "Sources/Views",
        ["CNcurses", "NapkinCore", "NapkinElements", "NapkinFront", "NapkinTransport"],
        settings: front),
    // Embedded in the code: a client that is moved takes its resources along.
    target(
        "NapkinWeb", in: "Sources/Views",
        ["NapkinCore", "NapkinElements", "NapkinFront", "NapkinTransport"]
            + products("NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket", of: "swift-nio"),
        resources: ["client.js", "page.html", "style.css"].map {
            .embedInCode("Resources/\($0)")
        }),
]

// The commands, for the project's client and for those of apps.
let clientTargets: [Target] = [
    target(
        "NapkinClient", in: "Sources/Client",
        connection
            + ["NapkinElements", "NapkinFront", "NapkinLedger", "NapkinTerminal", "NapkinWeb"]
            + commands, resources: templates.map { .embedInCode("Templates/\($0)") }),
    .executableTarget(
        name: "napkin-client", dependencies: ["NapkinClient"], path: "Sources/Client/napkin-client",
        swiftSettings: strict),
]

// The documentation's home: no code, and above what it names.
let documentation: Target = target(
    "Napkin", in: "Sources",
    [
        "NapkinClient", "NapkinCoding", "NapkinCore", "NapkinElements", "NapkinFront",
        "NapkinSystem", "NapkinTerminal", "NapkinTesting", "NapkinWorker",
    ])

// Tests/Proofs has the tests that start programs.
let testTargets: [Target] = [
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
            "CrossingContractsOnMain", "NapkinCoding", "NapkinCore", "NapkinDaemon",
            "NapkinElements", "NapkinFront", "NapkinHost", "NapkinLedger", "NapkinProtocol",
            "NapkinRuntime", "NapkinSystem", "NapkinTerminal", "NapkinTesting", "NapkinTransport",
            "NapkinWorker", "TestSupport",
        ], exclude: ["System/Recordings"], swiftSettings: strict),
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
            "NapkinProtocol", "NapkinTerminal", "NapkinTransport", "NapkinWeb", "TestSupport",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ], swiftSettings: strict),
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
        .executable(name: "napkin-keeper", targets: ["napkin-keeper"]),
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
    targets: protocolTargets + runtimeTargets + viewTargets + clientTargets + [documentation]
        + testTargets
)
