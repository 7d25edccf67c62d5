// swift-tools-version: 6.2
import Foundation
import PackageDescription

// What drives, breaks and measures the programs from outside: tests, the apps that they start,
// probes, fuzzing, benchmarks. It is built in the library's own folder:
//
//   swift build --package-path Tests/Proofs --scratch-path .build

/// The library's package, as the compiler knows it: what is `package` there is seen here.
let library = URL(fileURLWithPath: Context.packageDirectory)
    .deletingLastPathComponent().deletingLastPathComponent()
let identity = String(
    library.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

/// As in the library's Package.swift, and with its `package` access.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-package-name", identity]),
]

func napkin(_ products: String...) -> [Target.Dependency] {
    products.map { .product(name: $0, package: "napkin") }
}

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

func library(_ name: String, in folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "\(folder)/\(name)", packageAccess: false,
        swiftSettings: strict)
}

func program(_ name: String, in folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "\(folder)/\(name)", packageAccess: false,
        swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: exclude,
        packageAccess: false, swiftSettings: strict)
}

let package = Package(
    name: "proofs",
    dependencies: [
        .package(name: "napkin", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
    ],
    targets: [
        .target(name: "CProofs", path: "Support/CProofs"),
        library("ProofSupport", in: "Support", ["CProofs"] + napkin("NapkinCore")),
        library(
            "FuzzTargets", in: "Support", napkin("NapkinCore", "NapkinFront", "NapkinClient")),

        // Apps that tests start.
        program(
            "QuestionDaemon", in: "Fixtures",
            ["CProofs"] + napkin("NapkinCore", "NapkinDaemon", "NapkinWorker")),
        // Its sessions run with nobody there.
        program(
            "StartWorker", in: "Fixtures", napkin("NapkinCore", "NapkinSystem", "NapkinWorker")),
        // Its sessions survive their worker.
        program("LedgerWorker", in: "Fixtures", napkin("NapkinCore", "NapkinWorker")),
        // An app with a banner on every page.
        library(
            "StationCase", in: "Fixtures", napkin("NapkinCore", "NapkinElements", "NapkinFront")),
        program("StationWorker", in: "Fixtures", ["StationCase"] + napkin("NapkinWorker")),
        program("StationClient", in: "Fixtures", ["StationCase"] + napkin("NapkinClient")),
        program("StationClientRebuilt", in: "Fixtures", ["StationCase"] + napkin("NapkinClient")),
        // An app that is a shell in a terminal.
        library(
            "ConsoleCase", in: "Fixtures",
            napkin("NapkinCore", "NapkinElements", "NapkinFront", "NapkinSystem")),
        program("ConsoleWorker", in: "Fixtures", ["ConsoleCase"] + napkin("NapkinWorker")),
        program("ConsoleClient", in: "Fixtures", ["ConsoleCase"] + napkin("NapkinClient")),
        // The pattern's promises, and what they are held with.
        library(
            "ConformanceCases", in: "Fixtures",
            ["ProofSupport"] + napkin("NapkinCore", "NapkinTesting")),
        program("ConformanceWorker", in: "Fixtures", ["ConformanceCases"] + napkin("NapkinWorker")),

        // Programs that break something, and say what it did.
        program("LoopProbe", in: "Probes", napkin("NapkinFront")),
        program("CodingProbe", in: "Probes", ["CFloor", "FuzzTargets"] + napkin("NapkinCore")),
        program(
            "LedgerProbe", in: "Probes", ["ProofSupport"] + napkin("NapkinCore", "NapkinFront")),
        program("HostileProbe", in: "Probes", ["ProofSupport", arguments] + napkin("NapkinFront")),
        program(
            "SessionProbe", in: "Probes",
            ["CProofs", "ProofSupport", arguments]
                + napkin("NapkinDaemon", "NapkinFront", "NapkinTesting", "NapkinWorker")),

        .target(name: "CFloor", path: "Benchmarks/CFloor"),
        program(
            "napkin-bench", in: "Benchmarks",
            ["CFloor", arguments, .product(name: "Histogram", package: "hdrhistogram-swift")]
                + napkin("NapkinDaemon", "NapkinFront", "NapkinWorker")),
        program("napkin-rows", in: "Benchmarks", napkin("NapkinClient", "NapkinElements")),

        tests(
            "ConformanceTests",
            ["ConformanceCases", "ProofSupport"]
                + napkin("NapkinFront", "NapkinTesting"), exclude: ["Golden"]),
        tests(
            "ProbeTests",
            ["FuzzTargets", "LedgerProbe", "LoopProbe", "ProofSupport"] + napkin("NapkinFront")),
        tests("IntegrationTests", ["ProofSupport"], exclude: ["Screens"]),
    ]
)
